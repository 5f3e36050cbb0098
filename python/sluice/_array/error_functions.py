"""Inverses of the error function, and what is made of these and lgamma."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .shape import as_tensor

__all__ = ["erfinv", "mvlgamma"]

_SLOPE = 2 / math.sqrt(math.pi)  # of erf at 0
_BEND = 0.147  # makes the first guess good to 0.2 %


def _first_guess(q: Tensor) -> Tensor:
    """About the y with erfc(y) = q, for 0 < q <= 1."""
    log_q = _ops.log(q)
    whole = _ops.add(log_q, _ops.log(_ops.sub(2.0, q)))
    half = _ops.add(_ops.mul(whole, 0.5), 2 / (math.pi * _BEND))
    root = _ops.sqrt(_ops.sub(_ops.square(half), _ops.div(whole, _BEND)))
    near = _ops.sqrt(_ops.maximum(_ops.sub(root, half), 0.0))
    # Far out erfc(y) is exp(-y^2) / (y sqrt(pi)).
    bound = _ops.minimum(log_q, -10.0)
    far = _ops.sqrt(_ops.neg(bound))
    for _ in range(3):
        scaled = _ops.log(_ops.mul(far, math.sqrt(math.pi)))
        far = _ops.sqrt(_ops.neg(_ops.add(bound, scaled)))
    return _ops.where(_ops.less(log_q, -20.0), far, near)


def inverse_erfc(q: Tensor, x: Tensor) -> Tensor:
    """The y >= 0 with erfc(y) = q and erf(y) = x, for float64 of which one is exact.

    q is 1 - x, between 0 and 1.
    """
    inside = _ops.logical_and(_ops.greater(q, 0.0), _ops.less_equal(q, 1.0))
    q = _ops.where(inside, q, 0.5)
    x = _ops.where(inside, x, 0.5)
    y = _first_guess(q)
    for _ in range(3):
        # Halley's steps: each has three times the digits of the one before.
        off = _ops.where(_ops.less(x, 0.5), _ops.sub(_ops.erf(y), x),
                         _ops.sub(q, _ops.erfc(y)))  # fmt: skip
        step = _ops.div(off, _ops.mul(_ops.exp(_ops.neg(_ops.square(y))), _SLOPE))
        y = _ops.sub(y, _ops.div(step, _ops.add(_ops.mul(y, step), 1.0)))
    return y


def _erfinv_values(x: Tensor) -> Tensor:
    wide = _ops.cast(x, _core.float64)
    size = _ops.abs(wide)
    y = inverse_erfc(_ops.sub(1.0, size), size)
    y = _ops.where(_ops.equal(size, 1.0), math.inf, y)
    y = _ops.where(_ops.less_equal(size, 1.0), y, math.nan)
    return _ops.cast(_ops.copy_sign(y, wide), x.dtype)


@functools.cache
def with_gradient(values: Any, slope: Any) -> Any:
    """A function of one tensor whose derivative at x is slope(x, y)."""
    from .._custom_vjp import custom_vjp

    made = custom_vjp(values)

    def forward(x: Tensor) -> tuple[Tensor, Tensor]:
        return values(x), x

    def backward(x: Tensor, g: Tensor) -> tuple[Tensor]:
        # The values come from a call of `made`: they have gradients of their own.
        by = slope(x, made(x))
        # That of complex numbers is the conjugate's, as everywhere.
        return (_ops.mul(g, _ops.conj(by) if by.dtype.is_complex else by),)

    made.defvjp(forward, backward)
    return made


def _erfinv_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.mul(_ops.exp(_ops.square(y)), 1 / _SLOPE)


def floats(x: Any, what: str) -> Tensor:
    """x as real floats; integers become floats."""
    x = as_tensor(x)
    if x.dtype.is_complex:
        raise TypeError(f"{what}(): x is {x.dtype.name}; wanted real numbers")
    return x if x.dtype.is_floating_point else _ops.cast(x, _core.default_float())


def erfinv(x: Any) -> Tensor:
    """The y with erf(y) = x: infinite at -1 and 1, NaN beyond."""
    made: Tensor = with_gradient(_erfinv_values, _erfinv_slope)(floats(x, "erfinv"))
    return made


def mvlgamma(x: Any, p: int) -> Tensor:
    """The logarithm of the gamma function of p dimensions."""
    x = floats(x, "mvlgamma")
    if p < 1:
        raise ValueError(f"mvlgamma(): p is {p}; wanted 1 or more")
    made = _ops.lgamma(x)
    for j in range(1, p):
        made = _ops.add(made, _ops.lgamma(_ops.sub(x, j / 2)))
    return _ops.add(made, p * (p - 1) / 4 * math.log(math.pi))
