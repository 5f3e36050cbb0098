"""Optimizers: TensorFlow's rules, with their slots as variables of the graph.

An optimizer has a rule for a gradient of a whole variable (`_apply_dense`); of
one that is IndexedSlices only the rows it names change, unless the rule says
otherwise. What it keeps are variables that are not trainable, named after the
variable they belong to.
"""

from __future__ import annotations

from typing import Any

from ... import _core
from ._dtypes import int64
from ._emit import convert, emit, typed_constant
from ._flow import group
from ._gradients import gradients
from ._graphs import GraphKeys, get_default_graph, opened
from ._tensor import IndexedSlices, Tensor
from ._variables import Variable, trainable_variables

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
]


def _called(value: Any) -> Any:
    return value() if callable(value) else value


class Optimizer:
    """What all optimizers have.

    `gate_gradients`, `aggregation_method` and `colocate_gradients_with_ops` say in
    which order and where gradients are computed and added up, `use_locking`
    whether changes exclude each other, which they do: they change no result.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(
        self,
        use_locking: bool,
        name: str,
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        if use_own_namescope_for_non_slot_vars:
            raise NotImplementedError(
                "use_own_namescope_for_non_slot_vars is not there; wanted False"
            )
        self._use_locking, self._name = use_locking, name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._others: dict[tuple[str, Any], Variable] = {}

    def get_name(self) -> str:
        """Its name."""
        return self._name

    # ---- Steps ----

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """The operation that makes the loss smaller, once."""
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if not any(g is not None for g, _ in pairs):
            names = [str(v.name) for _, v in pairs]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that "
                f"do not support gradients, between variables {names} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """(gradient, variable) of each trainable variable, or of these.

        `grad_loss` is the gradient of what comes after the loss; 1.
        """
        if callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a tensor."
            )
        if gate_gradients not in (0, 1, 2):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, "
                f"Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not {gate_gradients}"
            )
        self._check_float("loss", loss)
        if grad_loss is not None:
            self._check_float("grad_loss", grad_loss)
        if var_list is None:
            var_list = trainable_variables()
        variables = (
            list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]
        )
        if not variables:
            raise ValueError("No variables to optimize.")
        for v in variables:
            if not isinstance(v, (Variable, Tensor)):
                raise TypeError(f"Argument is not a tf.Variable: {v}")
        found = gradients(
            loss,
            variables,
            grad_ys=grad_loss,
            aggregation_method=aggregation_method,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        return list(zip(found, variables))

    @staticmethod
    def _check_float(what: str, value: Any) -> None:
        kind = convert(value).dtype
        if not kind.is_floating:
            raise ValueError(f"Invalid type {kind!r} for {what}, expected a float.")

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """The operation that changes the variables, and counts the step.

        `skip_gradients_aggregation` is of programs on several machines.
        """
        del skip_gradients_aggregation
        pairs = [tuple(pair) for pair in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        for _, v in pairs:
            if not isinstance(v, Variable):
                raise TypeError(f"Variable must be a tf.Variable: {v}")
        used = [(g, v) for g, v in pairs if g is not None]
        if not used:
            names = [str(v.name) for _, v in pairs]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        graph = used[0][1].graph
        with opened(graph):
            with _core.control_dependencies(None):
                self._create_slots([v for _, v in used])
            with graph.name_scope(name or self._name) as scope:
                self._prepare()
                updates = [self._update(g, v) for g, v in used]
                done = self._finish(updates, "update")
            if global_step is not None:
                with graph.control_dependencies([done]):
                    made = _counted(global_step, f"{scope}")
            else:
                made = group(done, name=scope)
            trained = graph.get_collection_ref(GraphKeys.TRAIN_OP)
            if made not in trained:
                trained.append(made)
            return made

    def _update(self, gradient: Any, variable: Variable) -> Any:
        if isinstance(gradient, IndexedSlices):
            self._check_type(gradient.values, variable)
            return self._apply_sparse(gradient, variable)
        gradient = convert(gradient)
        self._check_type(gradient, variable)
        return self._apply_dense(gradient, variable)

    @staticmethod
    def _check_type(gradient: Any, variable: Variable) -> None:
        if gradient.dtype != variable.dtype:
            raise TypeError(
                f"the gradient of {variable.name} is {gradient.dtype.name}; wanted "
                f"{variable.dtype.name}"
            )

    # ---- What a rule is made of ----

    def _create_slots(self, var_list: Any) -> None:
        """Makes what the rule keeps."""

    def _prepare(self) -> None:
        """Makes tensors of what the optimizer was made with."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """The operation that changes a variable."""
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """The same of some rows; the others, and what is kept of them, stay."""
        rows = var.shape[0].value
        dense = emit(
            None, "unsorted_segment_sum", grad.values, grad.indices, num_segments=rows
        )
        one = typed_constant(1, int64, "one")
        ones = emit(None, "fill", emit(None, "shape", grad.indices), one)
        seen = emit(None, "unsorted_segment_sum", ones, grad.indices, num_segments=rows)
        mask = emit(None, "greater", seen, typed_constant(0, int64, "zero"))
        for _ in range(len(var.shape) - 1):
            mask = emit(None, "expand_dims", mask, axis=-1)
        self._mask = mask
        try:
            return self._apply_dense(dense, var)
        finally:
            self._mask = None

    _mask: Any = None

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        """One operation of the updates of all variables."""
        return group(*update_ops, name=name_scope)

    def _keep(self, variable: Variable, old: Any, new: Any) -> Any:
        """The operation that gives a variable a value, where rows are touched."""
        if self._mask is not None:
            new = emit(None, "where", self._mask, new, old)
        return variable._variable.assign(new._core)

    def _hyper(self, value: Any, var: Any, name: str) -> Any:
        """A number of the optimizer, as a tensor of the variable's type."""
        found = convert(_called(value), name=name, hint=var.dtype)
        if found.dtype != var.dtype:
            found = emit(None, "cast", found, dtype=var.dtype)
        return found

    # ---- Slots ----

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Variable:
        """The slot of a variable, made with that value when it is not there."""
        slots = self._slots.setdefault(slot_name, {})
        if var not in slots:
            graph = var.graph
            outer, graph._scope = graph._scope, ""
            try:
                slots[var] = Variable(
                    lambda: _filled(val, var),
                    trainable=False,
                    name=f"{var.op.name}/{op_name}",
                )
            finally:
                graph._scope = outer
        return slots[var]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Variable:
        return self._get_or_make_slot(var, 0, slot_name, op_name)

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Variable:
        key = (name, colocate_with.graph)
        if key not in self._others:
            self._others[key] = Variable(initial_value, trainable=False, name=name)
        return self._others[key]

    def get_slot(self, var: Any, name: str) -> Any:
        """What the optimizer keeps of a variable under that name, or None."""
        return self._slots.get(name, {}).get(var)

    def get_slot_names(self) -> list[str]:
        """The names of what it keeps."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """All variables it keeps in the default graph."""
        graph = get_default_graph()
        found = [v for v in self._others.values() if v.graph is graph]
        for slots in self._slots.values():
            found += [v for v in slots.values() if v.graph is graph]
        return sorted(found, key=lambda v: v.name)


def _filled(value: Any, var: Any) -> Any:
    from ._arrays import fill

    if isinstance(value, Tensor):
        return value
    return fill(var.shape, typed_constant(value, var.dtype, "value"))


def _counted(global_step: Any, scope: str) -> Any:
    if not isinstance(global_step, Variable):
        raise TypeError(f"global_step is a {type(global_step).__name__}; a Variable")
    one = typed_constant(1, global_step.dtype, "value")
    change = global_step._variable.assign_add(one._core)
    from ._tensor import wrap_operation

    return group(wrap_operation(global_step.graph, change), name=scope)


def _core_op(variable: Variable, change: Any) -> Any:
    from ._tensor import wrap_operation

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
            number = _called(beta)
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
    import numpy as np

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
