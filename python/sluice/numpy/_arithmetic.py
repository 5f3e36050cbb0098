"""Arithmetic by the names that numpy alone has."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._array import math as _math
from .._array import products, scalars, slopes
from .._array.error_functions import floats as real_floats
from .._array.intervals import diff as _diff
from .._array.pick import searchsorted, take, where
from .._array import shape as _shape
from .._array.shape import as_tensor, concat, flip, ravel
from .._core import Tensor
from ._arguments import floats, no_out

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
    """The nearest whole number as a float; halves go to even."""
    return _math.round(floats(x))


def fabs(x: Any) -> Tensor:
    """|x| of real numbers, as floats."""
    return _ops.abs(real_floats(x, "fabs"))


def divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Quotients rounded down, and remainders."""
    return _ops.floor_div(x1, x2), _ops.mod(x1, x2)


def modf(x: Any) -> tuple[Tensor, Tensor]:
    """The fraction and the whole part, both with the sign of x."""
    x = real_floats(x, "modf")
    whole = _ops.trunc(x)
    # Infinities have no fraction; one of 0 has the sign, too.
    finite = _ops.logical_not(_ops.isinf(x))
    part = _ops.where(finite, _ops.sub(x, whole), _ops.zeros_like(x))
    return _ops.copy_sign(part, x), whole


def spacing(x: Any) -> Tensor:
    """From x to the next number away from 0."""
    x = real_floats(x, "spacing")
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


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """Each element less the one before it, of all as a vector, between others."""
    made = _diff(ravel(as_tensor(ary)))
    parts = [None if v is None else ravel(as_tensor(v)) for v in (to_begin, to_end)]
    for part in parts:
        if part is not None and _core.promote_types(part.dtype, made.dtype) != (
                made.dtype):  # fmt: skip
            raise TypeError(f"ediff1d(): {part.dtype.name} beside differences of "
                            f"{made.dtype.name}; wanted their type")  # fmt: skip
    line = [parts[0], made, parts[1]]
    return concat([_ops.cast(v, made.dtype) for v in line if v is not None])


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slopes along axes: one array, or a tuple of one for each axis."""
    f = as_tensor(f)
    over = f.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    given = [s if isinstance(s, (int, float)) else as_tensor(s) for s in spacing]
    single = len(given) == 1 and over != 1
    if single and isinstance(given[0], Tensor) and given[0].ndim:
        raise TypeError(f"gradient(): coordinates of one axis for {over}; wanted those "
                        "of each, or a number")  # fmt: skip
    steps = given[0] if len(given) == 1 and over != 1 else given or None
    made = slopes.gradient(f, spacing=steps, dim=axis, edge_order=edge_order)
    return made[0] if len(made) == 1 else tuple(made)


def dot(a: Any, b: Any, out: None = None) -> Tensor:
    """Products summed over the last axis of a and the last but one of b."""
    no_out(out, "dot")
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
    x, xp, fp = (real_floats(v, "interp") for v in (x, xp, fp))
    if (xp.ndim, fp.ndim) != (1, 1) or xp.shape[0] != fp.shape[0] or not xp.shape[0]:
        raise ValueError(f"interp(): xp is {list(xp.shape)}, fp {list(fp.shape)}; "
                         "wanted two vectors of one size, 1 or more")  # fmt: skip
    last = int(xp.shape[0]) - 1
    kind = _core.promote_types(_core.promote_types(x.dtype, xp.dtype), fp.dtype)
    x, xp, fp = (_ops.cast(v, kind) for v in (x, xp, fp))
    place = searchsorted(xp, x, right=True)
    at = _math.clip(_ops.sub(place, 1), 0, max(last - 1, 0))
    behind = _math.clip(_ops.add(at, 1), 0, last)
    x0, x1 = take(xp, at, 0), take(xp, behind, 0)
    y0, y1 = take(fp, at, 0), take(fp, behind, 0)
    run = _ops.sub(x1, x0)
    slope = _ops.div(
        _ops.sub(y1, y0), where(_ops.equal(run, 0), _ops.ones_like(run), run))
    made = _ops.add(y0, _ops.mul(slope, _ops.sub(x, x0)))
    # From the other end, or a level line, where infinities leave NaN; at a point
    # that is its value.
    other = _ops.add(y1, _ops.mul(slope, _ops.sub(x, x1)))
    other = where(_ops.equal(y0, y1), y0, other)
    made = where(_ops.logical_and(_ops.isnan(made), _ops.logical_not(_ops.isnan(x))),
                 other, made)  # fmt: skip
    made = where(_ops.equal(x, x0), y0, where(_ops.equal(x, x1), y1, made))
    low = fp[0] if left is None else as_tensor(left)
    high = fp[last] if right is None else as_tensor(right)
    made = where(_ops.less(x, xp[0]), _ops.cast(low, made.dtype), made)
    return where(_ops.greater(x, xp[last]), _ops.cast(high, made.dtype), made)


def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """Sums of products of one vector with the other, reversed, at every shift.

    mode: full, same (as many as the longer one), or valid (where both lie whole).
    """
    a, v = (_shape.atleast_1d(as_tensor(t)) for t in (a, v))
    if (a.ndim, v.ndim) != (1, 1):
        raise ValueError(f"convolve(): {a.ndim} and {v.ndim} axes; wanted two vectors")
    return _slid(a, v, mode, "convolve")


def _slid(a: Tensor, v: Tensor, mode: str, what: str) -> Tensor:
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{what}(): mode is {mode!r}; wanted full, same or valid")
    n, m = int(a.shape[0]), int(v.shape[0])
    if not (n and m):
        raise ValueError(f"{what}(): {n} and {m} elements; wanted one or more of each")
    kind = _core.promote_types(a.dtype, v.dtype)
    a, v = _ops.cast(a, kind), _ops.cast(v, kind)
    swapped = n < m
    if swapped:
        a, v, n, m = v, a, m, n
    side = 0 if mode == "valid" else m - 1
    pieces = _ops.pad(a, [side, side]).unfold(0, m, 1)
    terms = _ops.mul(pieces, flip(v, 0))
    if side:  # nothing lies there: no infinity times 0
        there = _ops.pad(_ops.cast(_ops.ones_like(a), _core.int32), [side, side])
        there = _ops.not_equal(there.unfold(0, m, 1), 0)
        terms = _ops.where(there, terms, _ops.zeros_like(terms))
    made = _ops.sum(terms, (1,))
    if mode == "same":
        first = (m - 1) // 2
        if swapped and what == "correlate":  # shifts are counted from the other end
            first = m - 1 - first
        made = made[first : first + n]
    return made if kind != _core.bool else _ops.cast(made, kind)


def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """Sums of products of one vector with the other at every shift."""
    a, v = as_tensor(a), as_tensor(v)
    if (a.ndim, v.ndim) != (1, 1):
        raise ValueError(f"correlate(): {a.ndim} and {v.ndim} axes; wanted two vectors")
    return _slid(a, flip(_math.conj(v), 0), mode, "correlate")


def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *,
    period: float = 2 * math.pi,
) -> Tensor:  # fmt: skip
    """Angles without jumps of more than half a turn, or than discont if larger."""
    p = real_floats(p, "unwrap")
    least = period / 2 if discont is None else max(float(discont), period / 2)
    step = diff(p, axis=axis)
    near = _ops.sub(_ops.mod(_ops.add(step, period / 2), period), period / 2)
    up = _ops.logical_and(_ops.equal(near, -period / 2), _ops.greater(step, 0))
    near = where(up, _ops.add(_ops.zeros_like(near), period / 2), near)
    fixed = where(_ops.less(_ops.abs(step), least), _ops.zeros_like(step),
                  _ops.sub(near, step))  # fmt: skip
    first = take(_ops.zeros_like(p), [0], axis)
    return _ops.add(p, concat([first, _ops.cumsum(fixed, axis)], axis))
