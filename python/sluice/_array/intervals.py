"""Differences of neighbours along an axis, and sums of what lies between them."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import one_axis, whole
from .shape import as_tensor, own_copy

__all__ = ["cumulative_trapezoid", "diff", "trapezoid", "trapz"]


def _part(x: Tensor, at: int, part: slice) -> Tensor:
    made: Tensor = x[(*(slice(None),) * at, part)]
    return made


def diff(
    x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Tensor:
    """Each element less the one before it along an axis, n times over."""
    x = as_tensor(x)
    at, n = one_axis(dim, x.ndim, "diff"), whole(n, "diff(): n")
    if n < 0:
        raise ValueError(f"diff(): n is {n}; wanted 0 or more")
    if n == 0:  # what would stand beside it does not count
        return own_copy(x)
    given = [as_tensor(t) for t in (prepend, x, append) if t is not None]
    made = _ops.concat(given, axis=at) if len(given) > 1 else x
    # Of bools: where they change.
    op = _ops.logical_xor if made.dtype == _core.bool else _ops.sub
    for _ in range(min(n, int(made.shape[at]))):
        made = op(_part(made, at, slice(1, None)), _part(made, at, slice(-1)))
    return made


def _areas(y: Any, x: Any, dx: Any, dim: int, what: str) -> tuple[Tensor, int]:
    y = as_tensor(y)
    at = one_axis(dim, y.ndim, what)
    if not (y.dtype.is_floating_point or y.dtype.is_complex):
        y = _ops.cast(y, _core.default_float())
    sums = _ops.add(_part(y, at, slice(1, None)), _part(y, at, slice(-1)))
    if x is None:
        return _ops.mul(_ops.mul(sums, 0.5), dx), at
    x = as_tensor(x)
    if x.ndim == 1:
        sides = [-1 if a == at else 1 for a in range(y.ndim)]
        steps = _ops.reshape(diff(x), sides)
    else:
        steps = diff(x, dim=at - y.ndim)
    return _ops.mul(_ops.mul(sums, 0.5), steps), at


def trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The area below lines from point to point along an axis."""
    made, at = _areas(y, x, dx, dim, "trapezoid")
    return _ops.sum(made, (at,), False)


trapz = trapezoid


def cumulative_trapezoid(
    y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """The running sums of trapezoid's areas."""
    made, at = _areas(y, x, dx, dim, "cumulative_trapezoid")
    return _ops.cumsum(made, at)
