"""Arithmetic by the names that numpy alone has."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._array import math as _math
from .._array import products, scalars, slopes
from .._array.intervals import diff as _diff
from .._array.pick import searchsorted, take, where
from .._array.shape import as_tensor, concat, flip, ravel
from .._core import Tensor

__all__ = [
    "around",
    "bitwise_invert",
    "convolve",
    "correlate",
    "degrees",
    "diff",
    "divmod",
    "dot",
    "ediff1d",
    "fabs",
    "gradient",
    "interp",
    "invert",
    "iscomplex",
    "left_shift",
    "modf",
    "radians",
    "right_shift",
    "rint",
    "spacing",
    "unwrap",
]

around, degrees, radians = _math.round, scalars.rad2deg, scalars.deg2rad
bitwise_invert = invert = _ops.bitwise_not
left_shift, right_shift = _math.bitwise_left_shift, _math.bitwise_right_shift


def rint(x: Any) -> Tensor:
    """The nearest whole number; halves go to even."""
    return _math.round(x)


def fabs(x: Any) -> Tensor:
    """|x| of real numbers, as floats."""
    return _ops.abs(_real(x))


def _real(x: Any) -> Tensor:
    x = as_tensor(x)
    return x if x.dtype.is_floating_point else _ops.cast(x, _core.default_float())


def divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Quotients rounded down, and remainders."""
    return _ops.floor_div(x1, x2), _ops.mod(x1, x2)


def modf(x: Any) -> tuple[Tensor, Tensor]:
    """The fraction and the whole part, both with the sign of x."""
    x = _real(x)
    whole = _ops.trunc(x)
    return _ops.sub(x, whole), whole


def spacing(x: Any) -> Tensor:
    """From x to the next number away from 0."""
    x = _real(x)
    away = _ops.copy_sign(_ops.add(_ops.zeros_like(x), math.inf), x)
    return _ops.sub(_ops.next_after(x, away), x)


def iscomplex(x: Any) -> Tensor:
    """Whether the imaginary part is not 0."""
    x = as_tensor(x)
    if x.dtype.is_complex:
        return _ops.not_equal(_ops.imag(x), 0)
    return _ops.cast(_ops.zeros_like(x), _core.bool)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
         ) -> Tensor:  # fmt: skip
    """Each element less the one before it along an axis, n times over."""
    return _diff(as_tensor(a), n, axis, prepend, append)


def ediff1d(ary: Any) -> Tensor:
    """Each element less the one before it, of all as a vector."""
    return _diff(ravel(as_tensor(ary)))


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slopes along axes: one array, or a list of one for each axis."""
    f = as_tensor(f)
    over = f.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    given = [s if isinstance(s, (int, float)) else as_tensor(s) for s in spacing]
    steps = given[0] if len(given) == 1 and over != 1 else given or None
    made = slopes.gradient(f, spacing=steps, dim=axis, edge_order=edge_order)
    return made[0] if len(made) == 1 else list(made)


def dot(a: Any, b: Any) -> Tensor:
    """Products summed over the last axis of a and the last but one of b."""
    a, b = as_tensor(a), as_tensor(b)
    if 0 in (a.ndim, b.ndim):
        return _ops.mul(a, b)
    if a.dtype != b.dtype:
        kind = _core.promote_types(a.dtype, b.dtype)
        a, b = _ops.cast(a, kind), _ops.cast(b, kind)
    if b.ndim == 1:
        return products.inner(a, b)
    return _math.tensordot(a, b, dims=([-1], [-2]))


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """The value at x of lines from point to point (xp, fp), xp growing."""
    x, xp, fp = (_real(v) for v in (x, xp, fp))
    last = int(xp.shape[0]) - 1
    place = searchsorted(xp, x, right=True)
    at = _math.clip(_ops.sub(place, 1), 0, max(last - 1, 0))
    behind = _math.clip(_ops.add(at, 1), 0, last)
    x0, x1 = take(xp, at, 0), take(xp, behind, 0)
    y0, y1 = take(fp, at, 0), take(fp, behind, 0)
    run = _ops.sub(x1, x0)
    run = where(_ops.equal(run, 0), _ops.ones_like(run), run)
    share = _ops.div(_ops.sub(x, x0), run)
    made = _ops.add(y0, _ops.mul(_ops.sub(y1, y0), share))
    low = fp[0] if left is None else as_tensor(left)
    high = fp[last] if right is None else as_tensor(right)
    made = where(_ops.less(x, xp[0]), _ops.cast(low, made.dtype), made)
    return where(_ops.greater(x, xp[last]), _ops.cast(high, made.dtype), made)


def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """Sums of products of one vector with the other, reversed, at every shift.

    mode: full, same (as many as the longer one), or valid (where both lie whole).
    """
    a, v = as_tensor(a), as_tensor(v)
    if (a.ndim, v.ndim) != (1, 1):
        raise ValueError(f"convolve(): {a.ndim} and {v.ndim} axes; wanted two vectors")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve(): mode is {mode!r}; wanted full, same or valid")
    kind = _core.promote_types(a.dtype, v.dtype)
    a, v = _ops.cast(a, kind), _ops.cast(v, kind)
    if int(a.shape[0]) < int(v.shape[0]):
        a, v = v, a
    n, m = int(a.shape[0]), int(v.shape[0])
    side = {"full": m - 1, "same": m - 1, "valid": 0}[mode]
    wide = _ops.pad(a, [side, side])
    pieces = wide.unfold(0, m, 1)
    made = _ops.sum(_ops.mul(pieces, flip(v, 0)), (1,))
    if mode == "same":
        made = made[(m - 1) // 2 : (m - 1) // 2 + n]
    return made


def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """Sums of products of one vector with the other at every shift."""
    a, v = as_tensor(a), as_tensor(v)
    made = convolve(a, flip(_math.conj(v), 0), mode)
    # Of a longer second vector shifts are counted the other way.
    return flip(made, 0) if int(a.shape[0]) < int(v.shape[0]) else made


def unwrap(p: Any, axis: int = -1, *, period: float = 2 * math.pi) -> Tensor:
    """Angles without jumps of more than half a turn."""
    p = _real(p)
    step = diff(p, axis=axis)
    near = _ops.sub(_ops.mod(_ops.add(step, period / 2), period), period / 2)
    up = _ops.logical_and(_ops.equal(near, -period / 2), _ops.greater(step, 0))
    near = where(up, _ops.add(_ops.zeros_like(near), period / 2), near)
    fixed = where(_ops.less(_ops.abs(step), period / 2), _ops.zeros_like(step),
                  _ops.sub(near, step))  # fmt: skip
    first = take(_ops.zeros_like(p), [0], axis)
    return _ops.add(p, concat([first, _ops.cumsum(fixed, axis)], axis))
