"""associative_scan: all prefixes of an operation, in few steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, _ops
from ._array.axes import axes_tuple
from ._array.shape import as_tensor, moveaxis

__all__ = ["associative_scan"]

Tree = list[Any]


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """elems[0], fn(elems[0], elems[1]), ... along an axis, in about 2 log2(n) calls.

    elems is a tensor or a tree of tensors with the same size along the axis. fn takes
    two such trees of many elements and combines them elementwise. It must be
    associative: fn(fn(a, b), c) equals fn(a, fn(b, c)). reverse: start at the end.
    """
    if not callable(fn):
        raise TypeError(f"associative_scan(): fn is a {type(fn).__name__}; wanted a "
                        "function")  # fmt: skip
    leaves, form = _core.tree_flatten(elems)
    if not leaves:
        raise ValueError("associative_scan(): elems holds no tensor")
    leaves = [as_tensor(leaf) for leaf in leaves]
    places = [axes_tuple(axis, leaf.ndim, "associative_scan")[0] for leaf in leaves]
    sizes = {int(leaf.shape[at]) for leaf, at in zip(leaves, places)}
    if len(sizes) != 1:
        raise ValueError(
            f"associative_scan(): sizes {sorted(sizes)} along axis {axis}; wanted one"
        )
    lines = [moveaxis(leaf, at, 0) if at else leaf for leaf, at in zip(leaves, places)]
    if reverse:
        lines = [_ops.reverse(line, (0,)) for line in lines]

    def combined(a: Tree, b: Tree) -> Tree:
        # fn sees the axis in its original position.
        a, b = ([_back(t, at) for t, at in zip(side, places)] for side in (a, b))
        made, found = _core.tree_flatten(fn(form.unflatten(a), form.unflatten(b)))
        if found != form:
            raise ValueError(
                f"associative_scan(): fn gives {found}; wanted {form}, as elems"
            )
        made = [_front(as_tensor(t), at) for t, at in zip(made, places)]
        for now, was in zip(made, lines):
            if now.dtype != was.dtype or now.ndim != was.ndim:
                raise ValueError(
                    f"associative_scan(): fn gives {now.dtype.name} of {now.ndim} "
                    f"axes; wanted {was.dtype.name} of {was.ndim}, as elems"
                )
        return made

    made = _scanned(combined, lines, sizes.pop())
    if reverse:
        made = [_ops.reverse(line, (0,)) for line in made]
    return form.unflatten(_back(line, at) for line, at in zip(made, places))


def _back(line: Any, at: int) -> Any:
    return moveaxis(line, 0, at) if at else line


def _front(leaf: Any, at: int) -> Any:
    return moveaxis(leaf, at, 0) if at else leaf


def _scanned(combined: Callable[[Tree, Tree], Tree], lines: Tree, n: int) -> Tree:
    """The prefixes of n elements along the first axis of each tensor."""
    if n < 2:
        return lines
    pairs = combined([t[0 : n - 1 : 2] for t in lines], [t[1::2] for t in lines])
    # The prefixes that end at odd positions. One more element gives the even ones.
    odd = _scanned(combined, pairs, n // 2)
    evens = [t[:1] for t in lines]
    if n > 2:
        before = [t[: (n - 1) // 2] for t in odd]
        more = combined(before, [t[2::2] for t in lines])
        evens = [_ops.concat([first, t], axis=0) for first, t in zip(evens, more)]
    return [_interleaved(a, b, n) for a, b in zip(evens, odd)]


def _interleaved(evens: Any, odd: Any, n: int) -> Any:
    order = [i // 2 if i % 2 == 0 else (n + 1) // 2 + i // 2 for i in range(n)]
    both = _ops.concat([evens, odd], axis=0)
    return _ops.gather(both, order, axis=0)
