"""Optimizer: what all optimizers have.

One has a rule for the gradient of a whole variable (`_apply_dense`); of a gradient
that is IndexedSlices only the rows it names change, unless the rule says
otherwise. What it keeps are variables that are not trainable, named after the
variable they belong to.
"""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._closed import closed
from ._dtypes import int64
from ._emit import convert, emit, typed_constant
from ._flow import group
from ._gradients import gradients
from ._graphs import GraphKeys, get_default_graph, opened
from ._tensor import IndexedSlices, Tensor, wrap_operation
from ._variables import Variable, trainable_variables

__all__ = ["Optimizer"]


def called(value: Any) -> Any:
    return value() if callable(value) else value


@closed
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
            if not hasattr(grad_loss, "dtype"):  # TensorFlow's class of error
                raise AttributeError(
                    f"grad_loss is a {type(grad_loss).__name__}, which has no dtype; "
                    "wanted a tensor"
                )
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
        """Creates the slots of the rule."""

    def _prepare(self) -> None:
        """Creates tensors of the optimizer's hyperparameters."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """The operation that changes a variable."""
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """The same for some rows; other rows and their slots stay."""
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
        found = convert(called(value), name=name, hint=var.dtype)
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
        """The slot of a variable with that name, or None."""
        return self._slots.get(name, {}).get(var)

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """All variables it keeps in the default graph."""
        graph = get_default_graph()
        found = [v for v in self._others.values() if v.graph is graph]
        for slots in self._slots.values():
            found += [v for v in slots.values() if v.graph is graph]
        return sorted(found, key=lambda v: v.name)


def _filled(value: Any, var: Any) -> Any:
    from ._fills import fill

    if isinstance(value, Tensor):
        return value
    return fill(var.shape, typed_constant(value, var.dtype, "value"))


def _counted(global_step: Any, scope: str) -> Any:
    if not isinstance(global_step, Variable):
        raise TypeError(f"global_step is a {type(global_step).__name__}; a Variable")
    one = typed_constant(1, global_step.dtype, "value")
    change = global_step._variable.assign_add(one._core)
    return group(wrap_operation(global_step.graph, change), name=scope)
