"""vmap: code for one example, run on many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _core
from ._flat import (
    Arguments,
    Results,
    as_it_is,
    as_list,
    called,
    flatten,
    is_array,
    name_of,
)
from ._function import function

__all__ = ["vmap"]

_MAX_KEPT = 64


def _axes_for(axes: Any, tree: Any, what: str) -> list[int | None]:
    """An axis for each leaf of the tree, from a tree of axes that may end early."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(flatten(tree)[0])
    if isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)):
        if len(axes) == len(tree):
            parts = [_axes_for(a, t, what) for a, t in zip(axes, tree)]
            return [axis for part in parts for axis in part]
        raise ValueError(f"vmap: {len(axes)} {what} for {len(tree)} values")
    if isinstance(axes, dict) and isinstance(tree, dict):
        if set(axes) == set(tree):
            keys = sorted(tree) if all(isinstance(k, str) for k in tree) else tree
            parts = [_axes_for(axes[k], tree[k], what) for k in keys]
            return [axis for part in parts for axis in part]
        raise ValueError(f"vmap: {what} has keys {set(axes)}; wanted {set(tree)}")
    raise TypeError(
        f"vmap: {what} holds {axes!r}; wanted whole numbers, None, or trees of them "
        "like what they are for"
    )


def vmap(
    f: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    in_dims: Any = 0,
    out_dims: Any = 0,
) -> Callable[..., Any]:
    """The function that does to every lane of its arguments what f does to one.

    `in_axes`: the lane axis of each argument, negative from the end, or None for an
    argument that is the same for all lanes; one for all arguments or one each, as trees
    for arguments that are trees. Keyword arguments have their lanes along axis 0.
    `out_axes`: the lane axis of each result. f may branch and loop by sl.cond and
    sl.while_loop: each lane behaves as if it ran alone. Numbers, strings and None among
    the arguments are passed unchanged.
    """
    if not callable(f):
        raise TypeError(f"vmap: got a {type(f).__name__}; wanted a function")
    axes_in = in_axes if in_dims == 0 else in_dims
    axes_out = out_axes if out_dims == 0 else out_dims
    if isinstance(axes_in, list):
        axes_in = tuple(axes_in)
    lanes = _Lanes(f, axes_in, axes_out)

    @functools.wraps(f)
    def vmap_f(*args: Any, **kwargs: Any) -> Any:
        made, value = lanes(args, kwargs)
        vmap_f.report = made.lanes.report  # type: ignore[attr-defined]
        return value

    return as_it_is(vmap_f)


class _Made(NamedTuple):
    """The recordings for one signature."""

    lanes: Any
    all_lanes: Callable[..., Any]  # in a graph
    captured: Callable[..., Any]  # imperatively


class _Lanes:
    """A function on many examples, recorded once per kind of arguments."""

    def __init__(self, f: Callable[..., Any], axes_in: Any, axes_out: Any) -> None:
        self.f, self.axes_in, self.axes_out = f, axes_in, axes_out
        self.whole = axes_out is None or isinstance(axes_out, int)
        self.kept: dict[Any, _Made] = {}

    def __call__(self, args: Any, kwargs: Any) -> tuple[_Made, Any]:
        args = tuple(as_list(arg) for arg in args)
        axes = self.axes_of(args, kwargs)
        given = Arguments((args, kwargs))
        made = self.made_for(given, axes)
        in_graph = _core.is_building() or any(t.symbolic for t in given.tensors)
        value = (made.all_lanes if in_graph else made.captured)(given.tensors)
        return made, value if self.whole else _placed(value, self.axes_out)

    def axes_of(self, args: Any, kwargs: Any) -> list[int | None]:
        """The axis of lanes of each tensor among the arguments."""
        axes_in = self.axes_in
        if isinstance(axes_in, tuple) and len(axes_in) != len(args):
            raise ValueError(
                f"vmap of {name_of(self.f)}: in_axes is {axes_in}; "
                f"wanted one for each of {len(args)} arguments"
            )
        leaf_axes = _axes_for(axes_in, args, "in_axes")
        leaf_axes += [0] * len(flatten(kwargs)[0])
        axes = [
            axis
            for axis, leaf in zip(leaf_axes, flatten((args, kwargs))[0])
            if is_array(leaf)
        ]
        if not axes:
            raise ValueError(f"vmap of {name_of(self.f)}: no argument is a tensor")
        return axes

    def made_for(self, given: Arguments, axes: list[int | None]) -> _Made:
        """Recorded now, or for a call like this one before."""
        try:
            key = (
                given.static_key(),
                tuple(axes),
                tuple((t.dtype, t.ndim) for t in given.tensors),
            )
            made = self.kept.get(key)
        except TypeError:  # something that cannot be compared
            return self.record(given, axes)
        if made is None:
            made = self.record(given, axes)
            if len(self.kept) >= _MAX_KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[key] = made
        return made

    def record(self, given: Arguments, axes: list[int | None]) -> _Made:
        """The lanes of these arguments; the code runs when they are called."""
        f, name = self.f, name_of(self.f)
        structure: list[Any] = [None]

        def one_lane(tensors: list[Any]) -> list[Any]:
            args, kwargs = given.rebuild(tensors)
            results = Results(called(f)(*args, **kwargs), f"vmap of {name}")
            structure[0] = results.tree
            return results.tensors

        out = [self.axes_out if self.whole else 0]
        lanes = _core.LanesOf(one_lane, axes, out, name)

        def all_lanes(tensors: list[Any]) -> Any:
            results = lanes(tensors)
            return structure[0].unflatten(results)

        # Imperatively it is a captured function, with what that does about values
        # the code reads around it.
        return _Made(lanes, all_lanes, function(as_it_is(all_lanes), name=name))


def _placed(value: Any, axes: Any) -> Any:
    """Results with lanes moved from the front to where they are asked for."""
    wanted = _axes_for(axes, value, "out_axes")
    leaves, tree = flatten(value)
    transpose, gather = _core.op_function("Transpose"), _core.op_function("Gather")
    for i, (leaf, axis) in enumerate(zip(leaves, wanted)):
        if axis is None:
            leaves[i] = gather(leaf, 0)
            continue
        rank = leaf.ndim
        if not -rank <= axis < rank:
            raise ValueError(f"vmap: out_axes holds {axis}, for {rank} axes")
        if axis % rank:
            order = list(range(1, rank))
            order.insert(axis % rank, 0)
            leaves[i] = transpose(leaf, order)
    return tree.unflatten(leaves)
