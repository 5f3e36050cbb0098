"""vmap: code for one example, run on many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

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

    `in_axes`: the axis of lanes of each argument, negative from the end, or None for
    what is the same for all lanes; one for all arguments or one each, trees for
    arguments that are trees. Keyword arguments have their lanes along axis 0.
    `out_axes`: where lanes go in the results. f may branch and loop by sl.cond and
    sl.while_loop: each lane does what it would do alone. Numbers, strings and None
    among the arguments are passed on as they are.
    """
    if not callable(f):
        raise TypeError(f"vmap: got a {type(f).__name__}; wanted a function")
    axes_in = in_axes if in_dims == 0 else in_dims
    axes_out = out_axes if out_dims == 0 else out_dims
    if isinstance(axes_in, list):
        axes_in = tuple(axes_in)
    kept: dict[Any, tuple[Any, Any, Any]] = {}
    whole = axes_out is None or isinstance(axes_out, int)

    def record(given: Arguments, axes: list[int | None]) -> tuple[Any, Any, Any]:
        structure: list[Any] = [None]

        def one_lane(tensors: list[Any]) -> list[Any]:
            args, kwargs = given.rebuild(tensors)
            results = Results(called(f)(*args, **kwargs), f"vmap of {name_of(f)}")
            structure[0] = results.tree
            return results.tensors

        out = [axes_out] if whole else [0]
        lanes = _core.LanesOf(one_lane, axes, out, name_of(f))

        def all_lanes(tensors: list[Any]) -> Any:
            results = lanes(tensors)
            return structure[0].unflatten(results)

        # Imperatively it is a captured function, with what that does about values
        # the code reads around it.
        captured = function(as_it_is(all_lanes), name=name_of(f))
        return lanes, all_lanes, captured

    @functools.wraps(f)
    def vmap_f(*args: Any, **kwargs: Any) -> Any:
        args = tuple(as_list(arg) for arg in args)
        if isinstance(axes_in, tuple) and len(axes_in) != len(args):
            raise ValueError(
                f"vmap of {name_of(f)}: in_axes is {axes_in}; "
                f"wanted one for each of {len(args)} arguments"
            )
        given = Arguments((args, kwargs))
        leaf_axes = _axes_for(axes_in, args, "in_axes")
        leaf_axes += [0] * len(flatten(kwargs)[0])
        axes = [
            axis
            for axis, leaf in zip(leaf_axes, flatten((args, kwargs))[0])
            if is_array(leaf)
        ]
        if not axes:
            raise ValueError(f"vmap of {name_of(f)}: no argument is a tensor")
        key: Any = None
        made = None
        try:
            key = (
                given.static_key(),
                tuple(axes),
                tuple((t.dtype, t.ndim) for t in given.tensors),
            )
            made = kept.get(key)
        except TypeError:  # something that cannot be compared
            key = None
        if made is None:
            made = record(given, axes)
            if key is not None:
                if len(kept) >= _MAX_KEPT:
                    kept.pop(next(iter(kept)))
                kept[key] = made
        lanes, all_lanes, captured = made
        in_graph = _core.is_building() or any(t.symbolic for t in given.tensors)
        value = (all_lanes if in_graph else captured)(given.tensors)
        vmap_f.report = lanes.report  # type: ignore[attr-defined]
        return value if whole else _placed(value, axes_out)

    return as_it_is(vmap_f)


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
