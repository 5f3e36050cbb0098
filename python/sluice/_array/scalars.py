"""Elementwise functions made of a few others, and what one asks of a tensor."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .math import is_nan, trunc
from .shape import as_tensor

__all__ = [
    "clamp_max",
    "clamp_min",
    "deg2rad",
    "fix",
    "float_power",
    "fmax",
    "fmin",
    "frac",
    "is_complex",
    "is_floating_point",
    "is_tensor",
    "logit",
    "numel",
    "rad2deg",
    "rsub",
    "sgn",
    "sinc",
]

fix = trunc


def clamp_min(x: Any, min: Any) -> Tensor:
    """x, or min where that is larger."""
    return _ops.maximum(x, min)


def clamp_max(x: Any, max: Any) -> Tensor:
    """x, or max where that is smaller."""
    return _ops.minimum(x, max)


def _without_nan(op: Any, a: Any, b: Any) -> Tensor:
    a, b = as_tensor(a), as_tensor(b)
    made = op(a, b)
    if not made.dtype.is_floating_point:
        return made
    for one, other in ((a, b), (b, a)):
        if one.dtype.is_floating_point:
            made = _ops.where(is_nan(one), _ops.cast(other, made.dtype), made)
    return made


def fmax(x: Any, other: Any) -> Tensor:
    """The larger of both; of a number and NaN the number."""
    return _without_nan(_ops.maximum, x, other)


def fmin(x: Any, other: Any) -> Tensor:
    """The smaller of both; of a number and NaN the number."""
    return _without_nan(_ops.minimum, x, other)


def _floats(x: Any) -> Tensor:
    x = as_tensor(x)
    real = x.dtype.is_floating_point or x.dtype.is_complex
    return x if real else _ops.cast(x, _core.default_float())


def logit(x: Any, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)); with eps x is held between eps and 1 - eps."""
    x = _floats(x)
    if eps is not None:
        if not eps <= 0.5:  # nor NaN
            raise ValueError(f"logit(): eps is {eps}; wanted 0.5 at most")
        x = _ops.minimum(_ops.maximum(x, eps), 1 - eps)
    return _ops.log(_ops.div(x, _ops.sub(1, x)))


def sinc(x: Any) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    x = _floats(x)
    zero = _ops.equal(x, 0)
    angle = _ops.mul(_ops.where(zero, _ops.ones_like(x), x), math.pi)
    # A term that is 0 at 0 keeps the gradients' gradients right there.
    at_zero = _ops.sub(1, _ops.mul(_ops.square(x), math.pi**2 / 6))
    return _ops.where(zero, at_zero, _ops.div(_ops.sin(angle), angle))


def float_power(x: Any, exponent: Any) -> Tensor:
    """x to a power, computed in float64."""
    x, exponent = as_tensor(x), as_tensor(exponent)
    if x.dtype.is_complex or exponent.dtype.is_complex:
        raise TypeError("float_power(): complex numbers, whose powers would be "
                        "complex128; wanted real ones, or pow()")  # fmt: skip
    return _ops.pow(_ops.cast(x, _core.float64), _ops.cast(exponent, _core.float64))


def frac(x: Any) -> Tensor:
    """The fraction of x, with its sign."""
    return _ops.sub(x, _ops.trunc(x))


def deg2rad(x: Any) -> Tensor:
    """Degrees as radians."""
    return _ops.mul(_floats(x), math.pi / 180)


def rad2deg(x: Any) -> Tensor:
    """Radians as degrees."""
    return _ops.mul(_floats(x), 180 / math.pi)


def sgn(x: Any) -> Tensor:
    """sign(x); of complex numbers x / |x|, and 0 of 0."""
    x = as_tensor(x)
    if not x.dtype.is_complex:
        return _ops.cast(x, x.dtype) if x.dtype == _core.bool else _ops.sign(x)
    size = _ops.complex_abs(x)
    zero = _ops.equal(size, 0)
    return _ops.div(x, _ops.cast(_ops.where(zero, 1.0, size), x.dtype))


def rsub(x: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """other - alpha x."""
    x = as_tensor(x)
    return as_tensor(other) - (x if alpha == 1 else x * alpha)


def is_tensor(x: Any) -> bool:
    """Whether x is a Tensor."""
    # A number that a captured function computes is none to its code.
    return isinstance(x, Tensor) and not x._number


def is_floating_point(x: Tensor) -> bool:
    """Whether the elements are real floating point numbers."""
    return bool(x.dtype.is_floating_point)


def is_complex(x: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return bool(x.dtype.is_complex)


def numel(x: Tensor) -> Any:
    """The number of elements."""
    return x.numel()
