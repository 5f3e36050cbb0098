"""Loops, conditions and what is run for its effect."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ... import _control_flow as flow
from ... import _core, tree
from ..._core import Operation, Tensor
from ._arrays import constant, convert_to_tensor, identity, named
from ._graphs import recorded, unique

__all__ = [
    "Assert",
    "Print",
    "case",
    "cond",
    "foldl",
    "gradients",
    "group",
    "map_fn",
    "no_op",
    "scan",
    "tuple",
    "while_loop",
]


def _tensors(values: Any) -> Any:
    """Numbers and variables as tensors of the graph, in any tree."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, (Tensor, Operation)) or leaf is None:
            return leaf
        return convert_to_tensor(leaf)

    return tree.map(one, values)


@recorded
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of the functions gives; only that one runs."""
    yes, no = true_fn or fn1, false_fn or fn2
    if yes is None or no is None:
        raise TypeError("cond: wanted true_fn and false_fn")

    def branch(function: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> Any:
            made = function()
            if isinstance(made, Operation):
                with _core.control_dependencies([made]):
                    return constant(True)
            made = _tensors(made)
            single = isinstance(made, (list, builtins.tuple)) and len(made) == 1
            return made[0] if single and not strict else made

        return run

    return flow.cond(convert_to_tensor(pred), branch(yes), branch(no))


@recorded
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str | None = None,
) -> Any:
    """What the function of the first condition that holds gives."""
    pairs = pred_fn_pairs
    pairs = list(pairs.items() if isinstance(pairs, dict) else pairs)
    last = default or pairs[-1][1]
    for pred, function in reversed(pairs):
        rest = last
        last = lambda p=pred, f=function, r=rest: cond(p, f, r)  # noqa: E731
    return last()


@recorded
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Runs the body while the condition holds.

    Shapes may change without `shape_invariants`; memory is the host's, so that
    there is nothing for `swap_memory` to do.
    """
    start = list(_tensors(list(loop_vars)))

    def next_values(*values: Any) -> Any:
        made = body(*values)
        if len(start) == 1 and not isinstance(made, (list, builtins.tuple)):
            made = [made]
        made = builtins.tuple(_tensors(list(made)))
        return made[0] if len(made) == 1 else made

    ended = flow.while_loop(
        lambda *values: convert_to_tensor(cond(*values)),
        next_values,
        *start,
        parallel_iterations=parallel_iterations,
        maximum_iterations=maximum_iterations,
        name=unique(name) or "",
    )
    if len(start) == 1:
        return [ended] if return_same_structure else ended
    kind = type(loop_vars)
    return ended if kind is builtins.tuple else list(ended)


@recorded
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """fn of each slice along the first axis, stacked."""
    return flow.map_fn(
        lambda x: _tensors(fn(x)),
        _tensors(elems),
        parallel_iterations=parallel_iterations,
        name=unique(name) or "",
    )


@recorded
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """All values of an accumulator that fn takes on, slice after slice."""
    elems = _tensors(elems)
    first = None
    if initializer is None:
        first = tree.map(lambda x: x[0], elems)
        initializer, elems = first, tree.map(lambda x: x[1:], elems)

    def step(state: Any, x: Any) -> Any:
        state = _tensors(fn(state, x))
        return state, state

    made, _ = flow.scan(
        step,
        _tensors(initializer),
        elems,
        parallel_iterations=parallel_iterations,
        name=unique(name) or "",
    )
    if first is None:
        return made
    return tree.map(lambda a, b: named("concat", [a[None], b], axis=0), first, made)


@recorded
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last value of an accumulator that fn takes on, slice after slice."""
    elems = _tensors(elems)
    if initializer is None:
        initializer = tree.map(lambda x: x[0], elems)
        elems = tree.map(lambda x: x[1:], elems)
    return flow.foldl(
        lambda state, x: _tensors(fn(state, x)), elems, _tensors(initializer)
    )


@recorded
def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing, once what it waits for is done."""
    made: Operation = _core.op_function("NoOp")(name=unique(name))
    return made


@recorded
def group(*inputs: Any, name: str | None = None) -> Operation:
    """One operation that stands for all of these."""
    with _core.control_dependencies([x for x in tree.leaves(inputs) if x is not None]):
        return no_op(name)


@recorded
def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """The tensors, none of which is there before all are."""
    given = [t for t in tensors if t is not None] + list(control_inputs or ())
    with _core.control_dependencies(given):
        return [None if t is None else identity(t) for t in tensors]


@recorded
def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The input itself; a step that computes it prints the data."""
    prints = [
        _core.op_function("Print")(convert_to_tensor(d), message=message or "")
        for d in data
    ]
    with _core.control_dependencies(prints):
        return identity(input_, name)


@recorded
def Assert(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails the step when the condition does not hold."""
    return _core.op_function("Assert")(
        convert_to_tensor(condition), [convert_to_tensor(d) for d in data]
    )


@recorded
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
) -> list[Any]:
    """Of the sum of ys with respect to each of xs; None where there is none."""
    if stop_gradients is not None:
        raise NotImplementedError("gradients: wanted stop_gradient() in the graph")
    found: list[Any] = _core.gradients(ys, xs, grad_ys, unconnected_gradients="none")
    return found

