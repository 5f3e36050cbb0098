"""Inverse circular and hyperbolic functions of complex numbers, on their parts.

After W. Kahan, "Branch cuts for complex elementary functions": from the square roots
of 1 - z and 1 + z, so that the signs of zeros choose the side of a cut.
"""

from __future__ import annotations

import math

from .. import _ops
from .._core import Tensor
from ._complex import Parts, both, is_inf, number, sqrt, where

__all__: list[str] = []

_inf = math.inf


def _plus_one(a: Tensor, b: Tensor) -> Parts:
    return sqrt(_ops.add(a, number(1.0)), b)


def _one_minus(a: Tensor, b: Tensor) -> Parts:
    return sqrt(_ops.sub(number(1.0), a), _ops.neg(b))


def _quiet(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Parts with those that are not finite replaced, and where they were."""
    wild = _ops.logical_not(both(_ops.isfinite(a), _ops.isfinite(b)))
    return where(wild, 0.5, a), where(wild, 0.5, b), wild


def asin(a: Tensor, b: Tensor) -> Parts:
    # asin z = -i asinh(i z)
    re, im = asinh(_ops.neg(b), a)
    return im, _ops.neg(re)


def asinh(a: Tensor, b: Tensor) -> Parts:
    """As Kahan has it: asinh z = -i asin(i z), from the roots of 1 - i z, 1 + i z."""
    calm_a, calm_b, wild = _quiet(a, b)
    u, v = _ops.neg(calm_b), calm_a  # i z
    (m_re, m_im), (p_re, p_im) = _one_minus(u, v), _plus_one(u, v)
    across = _ops.sub(_ops.mul(m_re, p_re), _ops.mul(m_im, p_im))
    along = _ops.sub(_ops.mul(m_re, p_im), _ops.mul(m_im, p_re))
    re, im = _ops.asinh(along), _ops.neg(_ops.atan2(u, across))
    # Infinities: the angle of the direction, on the right half plane.
    size = _ops.abs(a)
    angle = _ops.atan2(b, size)
    far_re = where(_ops.logical_or(is_inf(a), is_inf(b)), _inf, math.nan)
    far_re = _ops.copy_sign(far_re, a)
    far_im = where(both(_ops.isnan(a), _ops.equal(b, number(0.0))), b, angle)
    return where(wild, far_re, re), where(wild, far_im, im)


def acos(a: Tensor, b: Tensor) -> Parts:
    calm_a, calm_b, wild = _quiet(a, b)
    (m_re, m_im), (p_re, p_im) = _one_minus(calm_a, calm_b), _plus_one(calm_a, calm_b)
    re = _ops.mul(_ops.atan2(m_re, p_re), number(2.0))
    across = _ops.sub(_ops.mul(p_re, m_im), _ops.mul(p_im, m_re))
    im = _ops.asinh(across)
    angle = _ops.atan2(_ops.abs(b), a)
    infinite = _ops.logical_or(is_inf(a), is_inf(b))
    far_im = _ops.copy_sign(where(infinite, _inf, math.nan), _ops.neg(b))
    zero_nan = both(_ops.equal(a, number(0.0)), _ops.isnan(b))
    far_re = where(zero_nan, math.pi / 2, angle)
    return where(wild, far_re, re), where(wild, far_im, im)


def acosh(a: Tensor, b: Tensor) -> Parts:
    """i acos z or -i acos z, whichever is on the right half plane."""
    re, im = acos(a, b)
    # acos' imaginary part has the sign opposite to b's.
    return _ops.abs(im), _ops.copy_sign(re, b)


def atanh(a: Tensor, b: Tensor) -> Parts:
    calm_a, calm_b, wild = _quiet(a, b)
    one, size = number(1.0), _ops.abs(calm_a)
    rest = _ops.sub(one, size)
    below = _ops.add(_ops.mul(rest, rest), _ops.mul(calm_b, calm_b))
    re = _ops.mul(_ops.log1p(_ops.div(_ops.mul(size, number(4.0)), below)),
                  number(0.25))  # fmt: skip
    level = _ops.sub(_ops.mul(rest, _ops.add(one, size)), _ops.mul(calm_b, calm_b))
    im = _ops.mul(_ops.atan2(_ops.mul(calm_b, number(2.0)), level), number(0.5))
    # The pole at 1 has no angle of its own.
    pole = _ops.equal(below, number(0.0))
    im = where(pole, calm_b, im)
    infinite = _ops.logical_or(is_inf(a), is_inf(b))
    known = _ops.logical_or(infinite, _ops.equal(a, number(0.0)))
    far_re = where(known, 0.0, math.nan)
    upright = _ops.logical_or(is_inf(b), both(is_inf(a), _ops.isfinite(b)))
    far_im = where(upright, _ops.copy_sign(number(math.pi / 2), b), math.nan)
    re, im = where(wild, far_re, re), where(wild, far_im, im)
    return _ops.copy_sign(re, a), im
