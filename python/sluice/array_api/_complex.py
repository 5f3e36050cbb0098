"""Elementwise functions of complex numbers, made of those of their parts.

Computed in float64 and rounded once, so that plain formulas neither overflow nor
cancel in complex64. Infinities, NaN and the signs of zeros come out as the standard
lists them, which is as C has them. What gives such results at special places is not
to be differentiated: gradients are by the derivative that each function names.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, cast

from .. import _core, _ops
from .._array.error_functions import with_gradient
from .._core import Tensor
from .._custom_vjp import custom_vjp

__all__: list[str] = []

_f64 = _core.float64
_inf = math.inf
Parts = tuple[Tensor, Tensor]


def parts(z: Tensor) -> Parts:
    """Real and imaginary parts, in float64."""
    return _ops.cast(_ops.real(z), _f64), _ops.cast(_ops.imag(z), _f64)


def joined(re: Tensor, im: Tensor) -> Tensor:
    return _ops.make_complex(_ops.cast(re, _core.float32), _ops.cast(im, _core.float32))


def on_parts(f: Callable[[Tensor, Tensor], Parts]) -> Callable[[Tensor], Tensor]:
    """A function of parts as one of complex numbers."""

    def of_complex(z: Tensor) -> Tensor:
        return joined(*f(*parts(z)))

    return of_complex


def turned(f: Callable[[Tensor, Tensor], Parts]) -> Callable[[Tensor], Tensor]:
    """-i f(i z): the circular function that belongs to a hyperbolic one."""

    def of_complex(z: Tensor) -> Tensor:
        a, b = parts(z)
        re, im = f(_ops.neg(b), a)
        return joined(im, _ops.neg(re))

    return of_complex


@functools.cache
def with_slope(
    of_complex: Callable[[Tensor], Tensor], slope: Callable[[Tensor, Tensor], Tensor]
) -> Callable[[Tensor], Tensor]:
    """A function whose derivative at z is slope(z, its value)."""
    return cast("Callable[[Tensor], Tensor]", with_gradient(of_complex, slope))


def number(value: float) -> Tensor:
    return _core.tensor(value, _f64)


def where(condition: Tensor, a: Any, b: Any) -> Tensor:
    return _ops.where(condition, a if isinstance(a, Tensor) else number(a),
                      b if isinstance(b, Tensor) else number(b))  # fmt: skip


def both(a: Tensor, b: Tensor) -> Tensor:
    return _ops.logical_and(a, b)


def is_inf(x: Tensor) -> Tensor:
    return _ops.isinf(x)


def _product(factor: Tensor, circular: Tensor, zero: Tensor) -> Tensor:
    """factor times a sine or cosine, which is NaN at infinity: a 0 wins over NaN, but
    not what is only too small to tell from it."""
    lost = both(zero, _ops.isnan(circular))
    return where(lost, factor, _ops.mul(factor, circular))


def _zero(x: Tensor) -> Tensor:
    return _ops.equal(x, number(0.0))


def _at_real(b: Tensor, im: Tensor, sign: Tensor) -> Tensor:
    """The imaginary part of an f that is real on the real axis: there it is 0."""
    return where(_ops.equal(b, number(0.0)), _ops.mul(b, sign), im)


def _lost_angle(a: Tensor, b: Tensor) -> Tensor:
    """Where a is infinite and b no angle."""
    return both(is_inf(a), _ops.logical_not(_ops.isfinite(b)))


def exp(a: Tensor, b: Tensor) -> Parts:
    size = _ops.exp(a)
    one = _ops.ones_like(a)
    none = _ops.equal(a, number(-_inf))
    re, im = _product(size, _ops.cos(b), none), _product(size, _ops.sin(b), none)
    re = where(both(_ops.equal(a, number(_inf)), _lost_angle(a, b)), size, re)
    return re, _at_real(b, im, one)


def expm1(a: Tensor, b: Tensor) -> Parts:
    half = _ops.sin(_ops.mul(b, number(0.5)))
    less = _ops.mul(_ops.mul(half, half), number(2.0))
    re = _ops.sub(_ops.mul(_ops.expm1(a), _ops.cos(b)), less)
    lost = _lost_angle(a, b)
    re = where(both(lost, _ops.equal(a, number(_inf))), a, re)
    re = where(_ops.equal(a, number(-_inf)), -1.0, re)
    re = where(both(_zero(a), _zero(b)), 0.0, re)
    return re, exp(a, b)[1]


def log(a: Tensor, b: Tensor) -> Parts:
    return _ops.log(_length(a, b)), _ops.atan2(b, a)


def _length(a: Tensor, b: Tensor) -> Tensor:
    infinite = _ops.logical_or(is_inf(a), is_inf(b))
    return where(infinite, _inf, _ops.hypot(a, b))


def log_to(base: float) -> Callable[[Tensor, Tensor], Parts]:
    """The logarithm to a base."""

    def made(a: Tensor, b: Tensor) -> Parts:
        scale = number(1.0 / math.log(base))
        re, im = log(a, b)
        return _ops.mul(re, scale), _ops.mul(im, scale)

    return made


def log1p(a: Tensor, b: Tensor) -> Parts:
    one = number(1.0)
    re, im = log(_ops.add(a, one), b)
    # |1 + z|^2 - 1, without the 1 in which a small z would drown.
    more = _ops.add(_ops.mul(a, _ops.add(a, number(2.0))), _ops.mul(b, b))
    small = _ops.less(_ops.hypot(a, b), number(0.5))
    near = _ops.mul(_ops.log1p(where(small, more, 0.0)), number(0.5))
    return where(small, near, re), im


def sqrt(a: Tensor, b: Tensor) -> Parts:
    half, zero = number(0.5), number(0.0)
    size = _ops.abs(a)
    t = _ops.sqrt(_ops.mul(_ops.add(_length(a, b), size), half))
    other = _ops.div(_ops.abs(b), _ops.mul(t, number(2.0)))
    other = where(_ops.equal(t, zero), 0.0, other)
    right = _ops.greater_equal(a, zero)
    re = where(right, t, other)
    im = _ops.copy_sign(where(right, other, t), b)
    unknown = _ops.isnan(a)
    re, im = where(unknown, math.nan, re), where(unknown, math.nan, im)
    infinite = is_inf(b)
    return where(infinite, _inf, re), where(infinite, b, im)


def sinh(a: Tensor, b: Tensor) -> Parts:
    s, c = _ops.sinh(a), _ops.cosh(a)
    re = where(_lost_angle(a, b), a, _product(s, _ops.cos(b), _zero(a)))
    return re, _at_real(b, _ops.mul(c, _ops.sin(b)), _ops.ones_like(a))


def cosh(a: Tensor, b: Tensor) -> Parts:
    s, c = _ops.sinh(a), _ops.cosh(a)
    re = where(_lost_angle(a, b), _inf, _ops.mul(c, _ops.cos(b)))
    sign = _ops.copy_sign(_ops.ones_like(a), a)
    return re, _at_real(b, _product(s, _ops.sin(b), _zero(a)), sign)


def cos(a: Tensor, b: Tensor) -> Parts:
    return cosh(_ops.neg(b), a)


def tanh(a: Tensor, b: Tensor) -> Parts:
    one = number(1.0)
    far = _ops.greater(_ops.abs(a), number(20.0))
    near = where(far, 0.0, a)
    t, s = _ops.tan(b), _ops.sinh(near)
    beta = _ops.add(_ops.mul(t, t), one)
    below = _ops.add(_ops.mul(beta, _ops.mul(s, s)), one)
    up = _ops.mul(_ops.mul(beta, _ops.sqrt(_ops.add(_ops.mul(s, s), one))), s)
    re = where(both(_zero(a), _ops.isnan(b)), a, _ops.div(up, below))
    re = where(both(_zero(a), is_inf(b)), a, re)
    fade = _ops.mul(_ops.exp(_ops.mul(_ops.abs(a), number(-2.0))), number(4.0))
    thin = _ops.mul(_ops.mul(_ops.sin(b), _ops.cos(b)), fade)
    thin = where(is_inf(a), _ops.copy_sign(number(0.0), b), thin)
    one_way = _ops.copy_sign(_ops.ones_like(a), a)
    known = _ops.logical_or(is_inf(a), _ops.isfinite(b))
    re = where(far, where(known, one_way, math.nan), re)
    im = where(far, thin, _ops.div(t, below))
    return re, _at_real(b, im, _ops.ones_like(a))


def sign(a: Tensor, b: Tensor) -> Parts:
    """z / |z|: an infinite part is the direction, where the other is finite."""
    far = _ops.logical_or(is_inf(a), is_inf(b))
    open_angle = both(is_inf(a), is_inf(b))
    a, b = (where(far, _direction(part), part) for part in (a, b))
    size = _ops.hypot(a, b)
    zero = _zero(size)
    size = where(open_angle, math.nan, where(zero, 1.0, size))
    return (where(zero, 0.0, _ops.div(a, size)),
            where(zero, 0.0, _ops.div(b, size)))  # fmt: skip


def _direction(x: Tensor) -> Tensor:
    """1 or -1 of infinities, NaN of NaN, else 0."""
    unit = _ops.copy_sign(_ops.ones_like(x), x)
    return where(is_inf(x), unit, _ops.mul(x, number(0.0)))


def reciprocal(a: Tensor, b: Tensor) -> Parts:
    below = _ops.add(_ops.mul(a, a), _ops.mul(b, b))
    far = _ops.logical_or(is_inf(a), is_inf(b))
    re, im = _ops.div(a, below), _ops.div(_ops.neg(b), below)
    zero = number(0.0)
    return (where(far, _ops.copy_sign(zero, a), re),
            where(far, _ops.copy_sign(zero, _ops.neg(b)), im))  # fmt: skip


def power(x: Tensor, y: Tensor) -> Tensor:
    """exp(y log x); 0 to a power of positive real part is 0, anything to 0 is 1."""
    (a, b), (c, d) = parts(x), parts(y)
    zero = number(0.0)
    re, im = log(a, b)
    made = exp(_ops.sub(_ops.mul(c, re), _ops.mul(d, im)),
               _ops.add(_ops.mul(c, im), _ops.mul(d, re)))  # fmt: skip
    none = both(_ops.equal(a, zero), _ops.equal(b, zero))
    none = both(none, _ops.greater(c, zero))
    unit = both(_ops.equal(c, zero), _ops.equal(d, zero))
    re = where(unit, 1.0, where(none, 0.0, made[0]))
    return joined(re, where(_ops.logical_or(unit, none), 0.0, made[1]))


def _power_forward(x: Tensor, y: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    return power(x, y), (x, y)


def _power_backward(kept: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, Tensor]:
    from ._elementwise import log

    x, y = kept
    one = _ops.cast(number(1.0), _core.complex64)
    by_x = _ops.mul(y, power_with_gradient(x, _ops.sub(y, one)))
    zero = _ops.equal(x, 0)
    # x^0 is 1 at 0, too; and 0 to a power is 0 whatever the power.
    by_x = _ops.where(_ops.equal(y, 0), _ops.zeros_like(by_x), by_x)
    logs = log(_ops.where(zero, one, x))
    by_y = _ops.mul(power_with_gradient(x, y), logs)
    by_y = _ops.where(zero, _ops.zeros_like(by_y), by_y)
    return (_ops.sum_to(_ops.mul(g, _ops.conj(by_x)), _ops.shape(x)),
            _ops.sum_to(_ops.mul(g, _ops.conj(by_y)), _ops.shape(y)))  # fmt: skip


power_with_gradient = custom_vjp(power)
power_with_gradient.defvjp(_power_forward, _power_backward)


def rounded(a: Tensor, b: Tensor) -> Parts:
    return _ops.round(a), _ops.round(b)


def either(f: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Whether f holds of one of the parts."""
    return lambda z: _ops.logical_or(f(_ops.real(z)), f(_ops.imag(z)))


def both_finite(z: Tensor) -> Tensor:
    return both(_ops.isfinite(_ops.real(z)), _ops.isfinite(_ops.imag(z)))
