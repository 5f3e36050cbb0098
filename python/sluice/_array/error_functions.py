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


def inverse_erfc(q: Tensor, x: Tensor) -> Tensor:
    """The y >= 0 with erfc(y) = q and erf(y) = x, for float64 of which one is exact.

    q is 1 - x, between 0 and 1.
    """
    made: Tensor = _core.inverse_erfc(q, x)
    return made


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


def _erfinv_values(x: Tensor) -> Tensor:
    made: Tensor = _core.inverse_erf(x)
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
