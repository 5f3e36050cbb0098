"""Whole numbers and the parts of floats: common divisors, exponents."""

from __future__ import annotations

import math as _numbers
from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .math import logaddexp
from .shape import as_tensor, broadcast_arrays
from .types import result_type

__all__ = ["frexp", "gcd", "isreal", "lcm", "ldexp", "logaddexp2"]


def _whole(x: Any, other: Any, what: str) -> list[Tensor]:
    if not isinstance(x, int):
        x = as_tensor(x)
    if not isinstance(other, int):
        other = as_tensor(other)
    kind = result_type(x, other)
    if kind.is_floating_point or kind.is_complex or kind == _core.bool:
        raise TypeError(f"{what}(): {kind.name}; wanted integers")
    both = broadcast_arrays(as_tensor(x), as_tensor(other))
    return [_ops.cast(v, kind) for v in both]


def gcd(x: Any, other: Any) -> Tensor:
    """The greatest common divisor, elementwise; that of 0 and 0 is 0."""
    a, b = _whole(x, other, "gcd")
    a, b = _ops.abs(a), _ops.abs(b)
    # Consecutive Fibonacci numbers take the most steps of Euclid's: 93 in 64 bits.
    for _ in range({1: 14, 2: 25, 4: 48, 8: 94}[a.dtype.itemsize]):
        none = _ops.equal(b, 0)
        rest = _ops.mod(a, _ops.where(none, _ops.ones_like(b), b))
        a, b = _ops.where(none, a, b), _ops.where(none, b, rest)
    return a


def lcm(x: Any, other: Any) -> Tensor:
    """The least common multiple, elementwise; that of 0 is 0."""
    a, b = _whole(x, other, "lcm")
    both = gcd(a, b)
    none = _ops.equal(both, 0)
    part = _ops.floor_div(a, _ops.where(none, _ops.ones_like(both), both))
    return _ops.abs(_ops.mul(part, b))


class FrexpResult(NamedTuple):
    """What frexp gives: x = mantissa 2^exponent."""

    mantissa: Tensor
    exponent: Tensor


# The largest power of two of each type.
_LARGEST = {"float64": 1023, "float32": 127, "float16": 15, "bfloat16": 127}


def frexp(x: Any) -> FrexpResult:
    """x as mantissa times a power of two, 0.5 <= |mantissa| < 1; that of 0 is 0."""
    x = as_tensor(x)
    if not x.dtype.is_floating_point:
        raise TypeError(f"frexp(): x is {x.dtype.name}; wanted real floats")
    wide = _ops.cast(x, _core.float64)
    plain = _ops.logical_and(_ops.isfinite(wide), _ops.not_equal(wide, 0))
    size = _ops.abs(_ops.where(plain, wide, _ops.ones_like(wide)))
    # Subnormal numbers are brought up first: their logarithm is not exact.
    small = _ops.less(size, 2.0**-1000)
    size = _ops.where(small, _ops.mul(size, 2.0**100), size)
    power = _ops.floor(_ops.log2(size))
    # A logarithm that was rounded to the next whole number is off by one.
    for _ in range(2):
        part = _scaled(size, _ops.neg(power))
        power = _ops.add(power, _ops.cast(_ops.greater_equal(part, 2.0), power.dtype))
        power = _ops.sub(power, _ops.cast(_ops.less(part, 1.0), power.dtype))
    power = _ops.add(power, 1.0)
    part = _ops.stop_gradient(_scaled(size, _ops.neg(power)))
    power = _ops.sub(power, _ops.mul(_ops.cast(small, power.dtype), 100.0))
    power = _ops.stop_gradient(_ops.where(plain, power, _ops.zeros_like(power)))
    signed = _ops.cast(_ops.copy_sign(part, wide), x.dtype)
    # The slope of the mantissa is 2^-exponent, which is finite.
    steep = _ops.exp2(_ops.minimum(_ops.neg(power), float(_LARGEST[x.dtype.name])))
    flat = _ops.where(plain, _ops.sub(x, _ops.stop_gradient(x)), _ops.zeros_like(x))
    slope = _ops.mul(flat, _ops.cast(steep, x.dtype))
    made = _ops.where(plain, _ops.add(_ops.stop_gradient(signed), slope), x)
    return FrexpResult(made, _ops.cast(power, _core.int32))


def _scaled(x: Tensor, power: Tensor) -> Tensor:
    """x 2^power, in two steps: one such power may be too large for a float."""
    half = _ops.floor(_ops.mul(power, 0.5))
    return _ops.mul(_ops.mul(x, _ops.exp2(half)), _ops.exp2(_ops.sub(power, half)))


def ldexp(x: Any, other: Any) -> Tensor:
    """x times two to the power of other, elementwise."""
    x, other = as_tensor(x), as_tensor(other)
    if not (other.dtype.is_floating_point or other.dtype.is_complex):
        other = _ops.cast(other, _core.default_float())
    return _ops.mul(x, _ops.pow(2.0, other))


def logaddexp2(x: Any, other: Any) -> Tensor:
    """log2(2^x + 2^other), without overflow on the way."""
    two = _numbers.log(2)
    return _ops.div(logaddexp(_ops.mul(x, two), _ops.mul(other, two)), two)


def isreal(x: Any) -> Tensor:
    """Whether the imaginary part is 0, elementwise; real numbers are real."""
    x = as_tensor(x)
    if x.dtype.is_complex:
        return _ops.equal(_ops.imag(x), 0)
    return _ops.cast(_ops.ones_like(x), _core.bool)
