"""Counts of points in boxes of several axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, whole
from .create import linspace
from .device import beside
from .pick import searchsorted
from .shape import as_tensor

__all__ = ["histogramdd"]


class HistogramDD(NamedTuple):
    """What histogramdd gives."""

    hist: Tensor
    bin_edges: list[Tensor]


def _edges(column: Tensor, bins: Any, low: Any, high: Any) -> Tensor:
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins.shape[0] < 2:
            raise ValueError(
                f"histogramdd(): borders of {list(bins.shape)}; wanted two or more"
            )
        return bins
    count = whole(bins, "histogramdd(): bins")
    if count < 1:
        raise ValueError(f"histogramdd(): bins is {count}; wanted 1 or more")
    if low is None:
        empty = not column.shape[0]
        low = 0.0 if empty else _ops.min(column, None, False).item()
        high = 1.0 if empty else _ops.max(column, None, False).item()
    if not -math.inf < low <= high < math.inf:
        raise ValueError(f"histogramdd(): from {low} to {high}; wanted finite numbers, "
                         "the larger one last")  # fmt: skip
    if low == high:
        low, high = low - 0.5, high + 0.5
    return beside(column, linspace(low, high, count + 1, dtype=column.dtype))


def histogramdd(
    x: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None,
    density: bool = False,
) -> HistogramDD:  # fmt: skip
    """How many points, the rows of the last axis, are in each box, or their weights.

    bins: how many along each axis, one number for all, or the borders; range: the
    first and last border of each, else the smallest and largest coordinates.
    """
    x = as_tensor(x)
    if x.ndim < 2 or not x.dtype.is_floating_point:
        raise TypeError(f"histogramdd(): x is {x.dtype.name} of {list(x.shape)}; "
                        "wanted floats, points along the last axis")  # fmt: skip
    axes = int(x.shape[-1])
    rows = x.reshape(-1, axes)
    each = [bins] * axes if isinstance(bins, int) else list(bins)
    ends = [None] * (2 * axes) if range is None else [float(v) for v in range]
    if len(each) != axes or len(ends) != 2 * axes:
        raise ValueError(
            f"histogramdd(): {len(each)} bins and {len(ends)} ends of range for points "
            f"of {axes}; wanted as many, and twice as many"
        )
    edges = [
        _edges(rows[:, i], n, ends[2 * i], ends[2 * i + 1]) for i, n in enumerate(each)
    ]
    place: Any = 0
    inside: Any = True
    sizes = [int(e.shape[0]) - 1 for e in edges]
    for i, (border, size) in enumerate(zip(edges, sizes)):
        column = rows[:, i]
        at = searchsorted(border, column, right=True) - 1
        # The last box has its end.
        at = _ops.where(_ops.equal(column, border[-1]), size - 1, at)
        inside = _ops.logical_and(inside, _ops.logical_and(at >= 0, at < size))
        place = place * size + at
    total = math.prod(sizes)
    place = _ops.where(inside, place, total)
    weights = _ops.ones_like(rows[:, 0]) if weight is None else (
        as_tensor(weight).reshape(-1))  # fmt: skip
    made = beside(x, _core.full((total + 1,), 0, x.dtype))
    made = _ops.index_add(made, place, _ops.cast(weights, x.dtype), axis=0)[:total]
    if flag(density, "density"):
        made = made / _ops.sum(made)
    made = made.reshape(sizes)
    if density:
        for i, border in enumerate(edges):
            width = (border[1:] - border[:-1]).reshape(-1, *[1] * (axes - 1 - i))
            made = made / width
    return HistogramDD(made, edges)
