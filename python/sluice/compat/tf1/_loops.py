"""while_loop.

The functions it is given are called once, while the graph is built.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ... import _core
from ._dtypes import int64
from ._emit import convert, emit, typed_constant
from ._graphs import get_default_graph, graph_of, inside, opened
from ._leaves import as_leaf, lowered_leaf, predicate, raised_leaf
from ._nest import flatten, is_nested, pack, same
from ._shapes import TensorShape
from ._tensor import fresh
from ._tensor_array import TensorArray

__all__ = ["while_loop"]


def _entered(graph: Any, like: Any, core: Any) -> Any:
    if isinstance(like, TensorArray):
        return like._with(core)
    return emit(None, "identity", fresh(graph, core))


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: Any = 10,
    back_prop: builtins.bool = True,
    swap_memory: builtins.bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: builtins.bool = False,
) -> Any:
    """Runs the body while the condition holds.

    Shapes stay as they are, or within `shape_invariants`. Without `back_prop` the
    results are constants for gradients. `parallel_iterations` and `swap_memory`
    change no result.
    """
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    del swap_memory
    graph = graph_of(flatten(loop_vars))
    with opened(graph), graph.name_scope(name or "while"):
        start = [as_leaf(v) for v in flatten(loop_vars)]
        start = _invariant(loop_vars, start, shape_invariants)
        loop = _Loop(graph, cond, body, loop_vars, start, maximum_iterations)
        results = [_exit(r, back_prop) for r in loop.run(int(parallel_iterations))]
    packed = pack(loop.like(), results)
    if not return_same_structure and is_nested(packed) and len(packed) == 1:
        return next(iter(packed.values())) if isinstance(packed, dict) else packed[0]
    return packed


class _Loop:
    """The condition and body of one loop as functions of what it carries: the
    leaves of the loop variables, behind a counter where iterations are limited."""

    def __init__(
        self,
        graph: Any,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Any,
        start: list[Any],
        limit: Any,
    ) -> None:
        self.graph, self.cond, self.body = graph, cond, body
        self.loop_vars, self.start = loop_vars, start
        self.limit: Any = None
        self.returned: Any = None  # by the body, with its structure
        if limit is not None:
            self.limit = _as_limit(limit)
            self.start = [typed_constant(0, int64, "iteration"), *start]

    @property
    def counted(self) -> builtins.bool:
        return self.limit is not None

    def entered(self, cores: Any) -> list[Any]:
        return [_entered(self.graph, like, v) for like, v in zip(self.start, cores)]

    def args(self, values: list[Any]) -> Any:
        return pack(self.loop_vars, values[1:] if self.counted else values)

    def test(self, *cores: Any) -> Any:
        values = self.entered(cores)
        with inside(self.graph):
            holds = predicate(self.cond(*_spread(self.args(values))))
        if self.counted:
            below = emit(None, "less", values[0], self.limit)
            holds = emit(None, "logical_and", below, holds)
        return holds._core

    def step(self, *cores: Any) -> Any:
        values = self.entered(cores)
        with inside(self.graph):
            returned = self.body(*_spread(self.args(values)))
        made = _body_result(self.loop_vars, returned)
        if self.returned is None:
            self.returned = returned if is_nested(returned) else [returned]
        old = values[1:] if self.counted else values
        leaves = [_kept(o, m) for o, m in zip(old, made)]
        if self.counted:
            one = typed_constant(1, int64, "one")
            leaves = [emit(None, "add", values[0], one), *leaves]
        return builtins.tuple(lowered_leaf(leaf) for leaf in leaves)

    def run(self, parallel_iterations: int) -> list[Any]:
        """The loop as a node of the graph; gives the leaves carried last."""
        ended = _core.while_loop(
            self.test,
            self.step,
            builtins.tuple(lowered_leaf(s) for s in self.start),
            "device",
            self.graph.unique_name("loop"),
            parallel_iterations,
            -1,
        )
        raised = [
            raised_leaf(self.graph, like, v) for like, v in zip(self.start, ended)
        ]
        return raised[1 if self.counted else 0 :]

    def like(self) -> Any:
        """The results have the structure that the body returns."""
        given = type(self.returned) in (list, builtins.tuple)
        return self.returned if given else self.loop_vars


def _as_limit(maximum_iterations: Any) -> Any:
    limit = convert(maximum_iterations, name="maximum_iterations")
    if limit.shape.ndims not in (0, None):
        raise ValueError("maximum_iterations must be a scalar")
    return emit(None, "cast", limit, dtype=int64)


def _spread(packed: Any) -> Any:
    return [packed] if isinstance(packed, dict) else packed


def _exit(value: Any, back_prop: builtins.bool) -> Any:
    if isinstance(value, TensorArray):
        return value
    full = get_default_graph().unique_name("Exit")
    return emit(full, "identity" if back_prop else "stop_gradient", value)


def _invariant(loop_vars: Any, start: list[Any], invariants: Any) -> list[Any]:
    """The first values, of which no more is known than what stays."""
    from ._fills import forget_shape

    if invariants is None:
        return start
    shapes = _shapes_of(loop_vars, invariants)
    if len(shapes) != len(start):
        raise ValueError(
            f"while_loop: {len(shapes)} shape_invariants; wanted {len(start)}"
        )
    found = []
    for value, shape in zip(start, shapes):
        if isinstance(value, TensorArray) or shape is None:
            found.append(value)
            continue
        if not isinstance(shape, TensorShape):
            raise TypeError(
                f"while_loop: an invariant is {shape!r}; wanted TensorShape"
            )
        if not _less_or_equal(value.shape, shape):
            raise ValueError(
                f"The shape invariant specified for {value.name} is not compatible "
                f"with the initial shape of the loop variable. It enters the loop with "
                f"shape {value.shape}, but the specified shape invariant is {shape}."
            )
        found.append(forget_shape(value, shape))
    return found


def _shapes_of(like: Any, shapes: Any) -> list[Any]:
    if not is_nested(like):
        return [shapes]
    if isinstance(like, dict):
        return [s for k in sorted(like) for s in _shapes_of(like[k], shapes[k])]
    if len(like) != len(shapes):
        raise ValueError(
            f"while_loop: {len(shapes)} shape_invariants; wanted {len(like)}"
        )
    return [s for one, shape in zip(like, shapes) for s in _shapes_of(one, shape)]


def _less_or_equal(shape: TensorShape, wide: TensorShape) -> builtins.bool:
    if wide.ndims is None:
        return True
    if shape.ndims != wide.ndims:
        return False
    return all(w is None or s == w for s, w in zip(shape.as_list(), wide.as_list()))


def _body_result(loop_vars: Any, made: Any) -> list[Any]:
    if not is_nested(made):
        made = [made]
    elif isinstance(loop_vars, (list, builtins.tuple)) and isinstance(made, dict):
        made = [made]
    if made is None or any(leaf is None for leaf in flatten(made)):
        raise ValueError("while_loop: the body gives None; wanted the next values")
    expected = loop_vars
    if isinstance(expected, (list, builtins.tuple)) and isinstance(
        made, (list, builtins.tuple)
    ):
        made = list(made)
        expected = list(expected)
    try:
        same(
            "The two structures of the loop's variables and the body's", expected, made
        )
    except TypeError as error:
        raise ValueError(str(error)) from None
    return [as_leaf(v) for v in flatten(made)]


def _kept(old: Any, new: Any) -> Any:
    """The next value, of the type and shape of the one before."""
    if isinstance(old, TensorArray) != isinstance(new, TensorArray):
        raise TypeError("while_loop: a TensorArray stays one")
    if isinstance(new, TensorArray):
        return new
    if new.dtype != old.dtype:
        raise TypeError(
            f"while_loop: {old.name} is {old.dtype.name} and the body gives "
            f"{new.dtype.name}; wanted the same type"
        )
    if not _less_or_equal(new.shape, old.shape):
        raise ValueError(
            f"Input tensor {old.name!r} enters the loop with shape {old.shape}, but "
            f"has shape {new.shape} after one iteration. To allow the shape to vary "
            "across iterations, use the `shape_invariants` argument of tf.while_loop "
            "to specify a less-specific shape."
        )
    return new
