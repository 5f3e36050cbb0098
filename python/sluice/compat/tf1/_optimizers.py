"""The rules of optimizers, TensorFlow's to the last epsilon."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._emit import convert, emit, typed_constant
from ._flow import group
from ._graphs import get_default_graph
from ._optimizer import Optimizer, called
from ._tensor import wrap_operation
from ._variables import Variable

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
]


def _core_op(variable: Variable, change: Any) -> Any:
    return wrap_operation(variable.graph, change)


def _all(var: Any, *changes: Any) -> Any:
    """One operation of several changes."""
    return group(*[_core_op(var, c) for c in changes], name="update")


def _mul(x: Any, y: Any) -> Any:
    return emit(None, "mul", x, y)


def _add(x: Any, y: Any) -> Any:
    return emit(None, "add", x, y)


def _sub(x: Any, y: Any) -> Any:
    return emit(None, "sub", x, y)


class GradientDescentOptimizer(Optimizer):
    """A step against the gradient."""

    def __init__(
        self,
        learning_rate: Any,
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        rate = self._hyper(self._learning_rate, var, "learning_rate")
        return _all(var, var._variable.assign_sub(_mul(rate, grad)._core))

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        rate = self._hyper(self._learning_rate, var, "learning_rate")
        change = var._variable.scatter_sub(
            convert(grad.indices)._core, _mul(rate, grad.values)._core
        )
        return _all(var, change)


class MomentumOptimizer(Optimizer):
    """accumulator = momentum * accumulator + gradient; a step against it.

    Nesterov's looks one more step ahead.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Any) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        slot = self._slots["momentum"][var]
        rate = self._hyper(self._learning_rate, var, "learning_rate")
        momentum = self._hyper(self._momentum, var, "momentum")
        kept, old = slot.read_value(), var.read_value()
        new = _add(_mul(kept, momentum), grad)
        step = _mul(rate, new)
        if self._use_nesterov:
            step = _add(_mul(rate, grad), _mul(_mul(rate, new), momentum))
        return _all(
            var,
            self._keep(slot, kept, new),
            self._keep(var, old, _sub(old, step)),
        )


class AdamOptimizer(Optimizer):
    """Adam, with epsilon beside the root that is not corrected for its bias.

    Rows that a sparse gradient does not name move, too.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr, self._beta1, self._beta2 = learning_rate, beta1, beta2
        self._epsilon = epsilon

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda v: v.name)
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            number = called(beta)
            if not hasattr(number, "graph"):
                number = _like_float(number, first)
            self._create_non_slot_variable(number, name, first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _powers(self, graph: Any) -> tuple[Variable, Variable]:
        return self._others["beta1_power", graph], self._others["beta2_power", graph]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        first, second = self._slots["m"][var], self._slots["v"][var]
        power1, power2 = (
            self._hyper(p.read_value(), var, "power") for p in self._powers(var.graph)
        )
        one = typed_constant(1, var.dtype, "one")
        rate = self._hyper(self._lr, var, "learning_rate")
        beta1 = self._hyper(self._beta1, var, "beta1")
        beta2 = self._hyper(self._beta2, var, "beta2")
        epsilon = self._hyper(self._epsilon, var, "epsilon")
        scale = emit(
            None, "div", emit(None, "sqrt", _sub(one, power2)), _sub(one, power1)
        )
        alpha = _mul(rate, scale)
        m, v, old = first.read_value(), second.read_value(), var.read_value()
        new_m = _add(m, _mul(_sub(grad, m), _sub(one, beta1)))
        new_v = _add(v, _mul(_sub(emit(None, "square", grad), v), _sub(one, beta2)))
        below = _add(emit(None, "sqrt", new_v), epsilon)
        step = emit(None, "div", _mul(new_m, alpha), below)
        return _all(
            var,
            self._keep(first, m, new_m),
            self._keep(second, v, new_v),
            self._keep(var, old, _sub(old, step)),
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(convert(grad), var)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        graph = get_default_graph()
        changes = []
        with graph.control_dependencies(update_ops):
            for power, beta in zip(self._powers(graph), (self._beta1, self._beta2)):
                now = power.read_value()
                factor = self._hyper(beta, power, "beta")
                change = power._variable.assign(_mul(now, factor)._core)
                changes.append(_core_op(power, change))
        return group(*update_ops, *changes, name=name_scope)


def _like_float(number: Any, var: Any) -> Any:
    return np.asarray(number, var.dtype.as_numpy_dtype)


class AdagradOptimizer(Optimizer):
    """accumulator += gradient ** 2; a step by gradient / sqrt(accumulator)."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                "initial_accumulator_value must be positive: "
                f"{initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial = initial_accumulator_value

    def _create_slots(self, var_list: Any) -> None:
        for v in var_list:
            self._get_or_make_slot(v, self._initial, "accumulator", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        slot = self._slots["accumulator"][var]
        rate = self._hyper(self._learning_rate, var, "learning_rate")
        kept, old = slot.read_value(), var.read_value()
        new = _add(kept, emit(None, "square", grad))
        step = _mul(_mul(grad, rate), emit(None, "rsqrt", new))
        return _all(
            var, self._keep(slot, kept, new), self._keep(var, old, _sub(old, step))
        )


class AdadeltaOptimizer(Optimizer):
    """Adadelta."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list: Any) -> None:
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        slot, moves = self._slots["accum"][var], self._slots["accum_update"][var]
        rate = self._hyper(self._lr, var, "lr")
        rho = self._hyper(self._rho, var, "rho")
        epsilon = self._hyper(self._epsilon, var, "epsilon")
        rest = _sub(typed_constant(1, var.dtype, "one"), rho)
        kept, moved, old = slot.read_value(), moves.read_value(), var.read_value()
        new = _add(_mul(kept, rho), _mul(emit(None, "square", grad), rest))
        step = _mul(
            _mul(
                emit(None, "sqrt", _add(moved, epsilon)),
                emit(None, "rsqrt", _add(new, epsilon)),
            ),
            grad,
        )
        new_moved = _add(_mul(moved, rho), _mul(emit(None, "square", step), rest))
        return _all(
            var,
            self._keep(slot, kept, new),
            self._keep(moves, moved, new_moved),
            self._keep(var, old, _sub(old, _mul(step, rate))),
        )


class RMSPropOptimizer(Optimizer):
    """RMSProp: epsilon within the root, the mean of squares beginning at 1."""

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered

    def _create_slots(self, var_list: Any) -> None:
        for v in var_list:
            self._get_or_make_slot(v, 1, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        squares, moves = self._slots["rms"][var], self._slots["momentum"][var]
        rate = self._hyper(self._learning_rate, var, "learning_rate")
        decay = self._hyper(self._decay, var, "decay")
        momentum = self._hyper(self._momentum, var, "momentum")
        epsilon = self._hyper(self._epsilon, var, "epsilon")
        rest = _sub(typed_constant(1, var.dtype, "one"), decay)
        kept, moved, old = squares.read_value(), moves.read_value(), var.read_value()
        new = _add(kept, _mul(_sub(emit(None, "square", grad), kept), rest))
        below, changes = _add(new, epsilon), []
        if self._centered:
            slot = self._slots["mg"][var]
            mean = slot.read_value()
            new_mean = _add(mean, _mul(_sub(grad, mean), rest))
            below = _add(_sub(new, emit(None, "square", new_mean)), epsilon)
            changes.append(self._keep(slot, mean, new_mean))
        step = _mul(_mul(grad, rate), emit(None, "rsqrt", below))
        new_moved = _add(_mul(moved, momentum), step)
        return _all(
            var,
            *changes,
            self._keep(squares, kept, new),
            self._keep(moves, moved, new_moved),
            self._keep(var, old, _sub(old, new_moved)),
        )
