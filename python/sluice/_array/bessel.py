"""Bessel functions of orders 0 and 1, by the names of torch.special.

Computed in float64 from series of Chebyshev polynomials, over a range near 0 and
one beyond it; their derivatives are each other's.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from . import bessel_series as series
from .error_functions import floats, with_gradient

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
]


def _series(weights: tuple[float, ...], t: Tensor) -> Tensor:
    """The sum of weights times Chebyshev polynomials of t, by Clenshaw's steps."""
    twice = _ops.mul(t, 2.0)
    before, now = _ops.zeros_like(t), _ops.add(_ops.zeros_like(t), weights[-1])
    for weight in weights[-2:0:-1]:
        next_one = _ops.add(_ops.sub(_ops.mul(twice, now), before), weight)
        before, now = now, next_one
    return _ops.add(_ops.sub(_ops.mul(t, now), before), weights[0])


def _wide(x: Tensor) -> Tensor:
    return _ops.cast(x, _core.float64)


def _scaled_i(size: Tensor, near: Any, far: Any, by_x: bool) -> Tensor:
    """exp(-x) I(x) for x >= 0."""
    small = _ops.minimum(size, 8.0)
    first = _series(near, _ops.sub(_ops.mul(small, 0.25), 1.0))
    large = _ops.maximum(size, 8.0)
    second = _series(far, _ops.sub(_ops.div(16.0, large), 1.0))
    return _ops.where(_ops.less_equal(size, 8.0),
                      _ops.mul(first, small) if by_x else first,
                      _ops.div(second, _ops.sqrt(large)))  # fmt: skip


def _i0e_of(x: Tensor) -> Tensor:
    return _scaled_i(_ops.abs(x), series.I0_NEAR, series.I0_FAR, False)


def _i1e_of(x: Tensor) -> Tensor:
    made = _scaled_i(_ops.abs(x), series.I1_NEAR, series.I1_FAR, True)
    return _ops.mul(made, _ops.sign(x))


def _by_x(y: Tensor, x: Tensor, at_zero: float) -> Tensor:
    """y / x, and what it tends to at 0."""
    none = _ops.equal(x, 0)
    safe = _ops.where(none, _ops.ones_like(x), x)
    limit = _ops.add(_ops.zeros_like(x), at_zero)
    return _ops.where(none, limit, _ops.div(y, safe))


def _i0e_values(x: Tensor) -> Tensor:
    return _ops.cast(_i0e_of(_wide(x)), x.dtype)


def _i0e_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(i1e(x), _ops.mul(_ops.sign(x), y))


def _i1e_values(x: Tensor) -> Tensor:
    return _ops.cast(_i1e_of(_wide(x)), x.dtype)


def _i1e_slope(x: Tensor, y: Tensor) -> Tensor:
    falling = _ops.add(_ops.mul(_ops.sign(x), y), _by_x(y, x, 0.5))
    return _ops.sub(i0e(x), falling)


def _grown(scaled: Tensor, x: Tensor) -> Tensor:
    """Without the factor exp(-|x|); of what is 0 at infinity the limit."""
    made = _ops.mul(scaled, _ops.exp(_ops.abs(x)))
    return _ops.where(_ops.isinf(x), _ops.abs(x), made)


def _i0_values(x: Tensor) -> Tensor:
    wide = _wide(x)
    return _ops.cast(_grown(_i0e_of(wide), wide), x.dtype)


def _i0_slope(x: Tensor, y: Tensor) -> Tensor:
    return i1(x)


def _i1_values(x: Tensor) -> Tensor:
    wide = _wide(x)
    size = _ops.abs(_grown(_i1e_of(wide), wide))
    return _ops.cast(_ops.mul(size, _ops.sign(wide)), x.dtype)


def _i1_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(i0(x), _by_x(y, x, 0.5))


def _scaled_k(x: Tensor, first: bool) -> Tensor:
    """exp(x) K(x): infinite at 0, NaN below."""
    small = _ops.minimum(_ops.maximum(x, 1e-300), 2.0)
    t = _ops.sub(_ops.mul(_ops.square(small), 0.5), 1.0)
    log = _ops.log(_ops.mul(small, 0.5))
    if first:
        part = _ops.div(_series(series.K1_NEAR, t), small)
        near = _ops.add(part, _ops.mul(log, _grown(_i1e_of(small), small)))
    else:
        part = _series(series.K0_NEAR, t)
        near = _ops.sub(part, _ops.mul(log, _grown(_i0e_of(small), small)))
    large = _ops.maximum(x, 2.0)
    weights = series.K1_FAR if first else series.K0_FAR
    far = _ops.div(_series(weights, _ops.sub(_ops.div(4.0, large), 1.0)),
                   _ops.sqrt(large))  # fmt: skip
    made = _ops.where(_ops.less_equal(x, 2.0), _ops.mul(near, _ops.exp(small)), far)
    return _from_zero(made, x, math.inf)


def _from_zero(made: Tensor, x: Tensor, at_zero: float) -> Tensor:
    """As it is above 0, at 0 a limit, NaN below."""
    made = _ops.where(_ops.equal(x, 0.0), at_zero, made)
    return _ops.where(_ops.greater_equal(x, 0.0), made, math.nan)


def _shrunk(x: Tensor, first: bool) -> Tensor:
    """K(x) without the factor exp(x)."""
    made = _ops.mul(_scaled_k(x, first), _ops.exp(_ops.neg(x)))
    return _ops.where(_ops.equal(x, 0.0), math.inf, made)


def _k0_values(x: Tensor) -> Tensor:
    return _ops.cast(_shrunk(_wide(x), False), x.dtype)


def _k0_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.neg(modified_bessel_k1(x))


def _k1_values(x: Tensor) -> Tensor:
    return _ops.cast(_shrunk(_wide(x), True), x.dtype)


def _k1_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.neg(_ops.add(modified_bessel_k0(x), _ops.div(y, x)))


def _k0e_values(x: Tensor) -> Tensor:
    return _ops.cast(_scaled_k(_wide(x), False), x.dtype)


def _k0e_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(y, scaled_modified_bessel_k1(x))


def _k1e_values(x: Tensor) -> Tensor:
    return _ops.cast(_scaled_k(_wide(x), True), x.dtype)


def _k1e_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(_ops.sub(y, scaled_modified_bessel_k0(x)), _ops.div(y, x))


def _waves(x: Tensor, p: Any, q: Any, order: int) -> tuple[Tensor, Tensor]:
    """J and Y for x >= 8, from Hankel's form: waves of a slowly changing size."""
    large = _ops.maximum(x, 8.0)
    t = _ops.sub(_ops.mul(_ops.square(_ops.div(8.0, large)), 2.0), 1.0)
    turn = _ops.sub(large, (2 * order + 1) * math.pi / 4)
    sine, cosine = _ops.sin(turn), _ops.cos(turn)
    upper, other = _series(p, t), _ops.div(_series(q, t), large)
    size = _ops.sqrt(_ops.div(2 / math.pi, large))
    j = _ops.sub(_ops.mul(upper, cosine), _ops.mul(other, sine))
    y = _ops.add(_ops.mul(upper, sine), _ops.mul(other, cosine))
    # At infinity the angle means nothing; the size is 0.
    endless = _ops.isinf(x)
    j, y = (_ops.where(endless, 0.0, _ops.mul(wave, size)) for wave in (j, y))
    return j, y


def _near(x: Tensor) -> tuple[Tensor, Tensor]:
    small = _ops.minimum(x, 8.0)
    return small, _ops.sub(_ops.mul(_ops.square(small), 1 / 32), 1.0)


def _j0_of(x: Tensor) -> Tensor:
    size = _ops.abs(x)
    far, _ = _waves(size, series.P0, series.Q0, 0)
    _, t = _near(size)
    return _ops.where(_ops.less(size, 8.0), _series(series.J0_NEAR, t), far)


def _j1_of(x: Tensor) -> Tensor:
    size = _ops.abs(x)
    far, _ = _waves(size, series.P1, series.Q1, 1)
    small, t = _near(size)
    near = _ops.mul(_series(series.J1_NEAR, t), small)
    made = _ops.where(_ops.less(size, 8.0), near, far)
    return _ops.mul(made, _ops.sign(x))


def _y0_values(x: Tensor) -> Tensor:
    wide = _wide(x)
    _, far = _waves(wide, series.P0, series.Q0, 0)
    small, t = _near(_ops.maximum(wide, 1e-300))
    log = _ops.mul(_ops.log(small), 2 / math.pi)
    near = _ops.add(_series(series.Y0_NEAR, t), _ops.mul(log, _j0_of(small)))
    made = _ops.where(_ops.less(wide, 8.0), near, far)
    return _ops.cast(_from_zero(made, wide, -math.inf), x.dtype)


def _y1_values(x: Tensor) -> Tensor:
    wide = _wide(x)
    _, far = _waves(wide, series.P1, series.Q1, 1)
    small, t = _near(_ops.maximum(wide, 1e-300))
    log = _ops.sub(_ops.mul(_ops.log(small), _j1_of(small)), _ops.reciprocal(small))
    near = _ops.add(_ops.mul(_series(series.Y1_NEAR, t), small),
                    _ops.mul(log, 2 / math.pi))  # fmt: skip
    made = _ops.where(_ops.less(wide, 8.0), near, far)
    return _ops.cast(_from_zero(made, wide, -math.inf), x.dtype)


def _j0_values(x: Tensor) -> Tensor:
    return _ops.cast(_j0_of(_wide(x)), x.dtype)


def _j1_values(x: Tensor) -> Tensor:
    return _ops.cast(_j1_of(_wide(x)), x.dtype)


def _j0_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.neg(bessel_j1(x))


def _j1_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(bessel_j0(x), _by_x(y, x, 0.5))


def _y0_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.neg(bessel_y1(x))


def _y1_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(bessel_y0(x), _ops.div(y, x))


def _computed(name: str, x: Any) -> Tensor:
    values, slope = globals()[f"_{name}_values"], globals()[f"_{name}_slope"]
    made: Tensor = with_gradient(values, slope)(floats(x, name))
    return made


def i0(x: Any) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
    return _computed("i0", x)


def i1(x: Any) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    return _computed("i1", x)


def i0e(x: Any) -> Tensor:
    """exp(-|x|) i0(x)."""
    return _computed("i0e", x)


def i1e(x: Any) -> Tensor:
    """exp(-|x|) i1(x)."""
    return _computed("i1e", x)


def bessel_j0(x: Any) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    return _computed("j0", x)


def bessel_j1(x: Any) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    return _computed("j1", x)


def bessel_y0(x: Any) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
    return _computed("y0", x)


def bessel_y1(x: Any) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
    return _computed("y1", x)


def modified_bessel_k0(x: Any) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
    return _computed("k0", x)


def modified_bessel_k1(x: Any) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
    return _computed("k1", x)


def scaled_modified_bessel_k0(x: Any) -> Tensor:
    """exp(x) modified_bessel_k0(x)."""
    return _computed("k0e", x)


def scaled_modified_bessel_k1(x: Any) -> Tensor:
    """exp(x) modified_bessel_k1(x)."""
    return _computed("k1e", x)


modified_bessel_i0, modified_bessel_i1 = i0, i1


def spherical_bessel_j0(x: Any) -> Tensor:
    """sin(x) / x, and 1 at 0."""
    x = floats(x, "spherical_bessel_j0")
    made = _by_x(_ops.sin(x), x, 1.0)
    return _ops.where(_ops.isinf(x), _ops.zeros_like(x), made)
