"""Cuts, borders and repetitions by sizes of a function being recorded.

Ops that take such numbers as attributes would need to know them; these do the
same by ops that take tensors, so that one recording serves all sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .._symbols.numbers import Symbol
from .device import beside

__all__: list[str] = []


def has_symbols(values: Any) -> bool:
    """Whether one of them is a SymInt."""
    return any(isinstance(v, Symbol) for v in values)


def cut(x: Tensor, axis: int, begin: Any, end: Any) -> Tensor:
    """x[begin:end] along an axis."""
    return x[(*[slice(None)] * axis, slice(begin, end))]


def by_one_op(x: Tensor) -> bool:
    """Whether parts of x are values of a graph that one op cuts; else they are views,
    which code may write to, in a captured function as well."""
    return bool(x.symbolic and not _core.recorded_here(x))


def by_one_gradient(
    x: Tensor, views: tuple[Tensor, ...], cut_all: Callable[[], Any]
) -> tuple[Tensor, ...]:
    """The views, whose gradients go by the one op that `cut_all` calls: each by itself
    has one as large as x."""
    if len(views) > 1 and x._tracked and _core.is_grad_enabled():
        _core.come_from(views, _parts(cut_all()))
    return views


def pieces(x: Tensor, sizes: list[Any], axis: int, what: str) -> tuple[Tensor, ...]:
    """x cut along an axis into parts of these sizes."""
    total = x.shape[axis]
    if not sum(sizes) == total:
        raise ValueError(
            f"{what}(): parts of {list(map(int, sizes))} of an axis of size "
            f"{int(total)}; wanted their sum to be that"
        )
    made, begin = [], 0
    for size in sizes:
        made.append(cut(x, axis, begin, begin + size))
        begin = begin + size
    return tuple(made)


def split_by(x: Tensor, size: Any, axis: int) -> tuple[Tensor, ...]:
    """x cut into parts of one size, the last maybe smaller; how many is decided."""
    total = x.shape[axis]
    if size == 0 if isinstance(size, Symbol) else False:
        raise ValueError("split(): split_size is 0; wanted 1 or more")
    rest = total % size
    count = max(int(-(-total // size)), 1)
    if rest == 0 and by_one_op(x):
        return _parts(_ops.split(x, count, axis=axis))
    views = tuple(
        cut(x, axis, i * size, (i + 1) * size if i + 1 < count else None)
        for i in range(count)
    )
    if rest != 0:
        return views
    return by_one_gradient(x, views, lambda: _ops.split(x, count, axis=axis))


def chunks_of(x: Tensor, count: int, axis: int) -> tuple[Tensor, ...]:
    """x cut into at most so many parts, the last maybe smaller."""
    total = x.shape[axis]
    if total > 0 and total % count == 0:
        if by_one_op(x):
            return _parts(_ops.split(x, count, axis=axis))
        size = total // count
        views = tuple(cut(x, axis, i * size, (i + 1) * size) for i in range(count))
        return by_one_gradient(x, views, lambda: _ops.split(x, count, axis=axis))
    return split_by(x, max(int(-(-total // count)), 1), axis)


def tiled(x: Tensor, counts: list[Any]) -> Tensor:
    """x repeated along its axes: stretched along new ones, which are then joined."""
    sizes = list(x.shape)
    apart, wide, joined = [], [], []
    for size, count in zip(sizes, counts):
        if not isinstance(count, Symbol) and count == 1:
            apart.append(size)
            wide.append(size)
        else:
            apart += [1, size]
            wide += [count, size]
        joined.append(count * size)
    if len(wide) > _MOST_AXES:
        return _ops.tile(x, counts)  # of the numbers they are now
    return _ops.reshape(_ops.broadcast_to(_ops.reshape(x, apart), wide), joined)


_MOST_AXES = 8


def padded(x: Tensor, pad: Any, value: float) -> Tensor:
    """A border of one value: (before, after) of the last axis, then of others."""
    widths = list(pad)
    if len(widths) % 2 or len(widths) > 2 * x.ndim:
        raise ValueError(
            f"pad(): {len(widths)} widths for a tensor of {x.ndim} axes; wanted two "
            "for each of the last ones"
        )
    for k in range(0, len(widths), 2):
        axis = x.ndim - 1 - k // 2
        before, after = widths[k : k + 2]
        begin, end = 0, None
        if before < 0:  # decided, where it depends on sizes
            begin, before = -before, 0
        if after < 0:
            end, after = x.shape[axis] + after, 0
        if end is not None or isinstance(begin, Symbol) or begin > 0:
            x = cut(x, axis, begin, end)
        parts = [_border(x, axis, before, value), x, _border(x, axis, after, value)]
        there = [p for p in parts if p is not None]
        if len(there) > 1:
            x = _ops.concat(there, axis=axis)
    return x


def _border(x: Tensor, axis: int, width: Any, value: float) -> Any:
    if not isinstance(width, Symbol) and width == 0:
        return None
    sizes = list(x.shape)
    sizes[axis] = width
    return beside(x, _core.full(sizes, value, x.dtype))


def identity(rows: Any, columns: Any, k: Any, dtype: Any) -> Tensor:
    """eye() of sizes that are not known yet."""
    down = _ops.reshape(_ops.range(0, rows, 1), (-1, 1))
    return _ops.cast(_ops.equal(_ops.add(down, k), _ops.range(0, columns, 1)), dtype)


def _parts(made: Any) -> tuple[Tensor, ...]:
    return (made,) if isinstance(made, Tensor) else tuple(made)
