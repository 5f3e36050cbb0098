"""Complex numbers from their parts, and the parts of complex numbers."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .shape import as_tensor, broadcast_arrays, may_be

__all__ = ["angle", "complex", "polar", "real", "view_as_complex", "view_as_real"]


def real(x: Any) -> Tensor:
    """The real parts; real numbers are their own."""
    x = as_tensor(x)
    return _ops.real(x) if x.dtype.is_complex else x


def angle(x: Any) -> Tensor:
    """The angle of complex numbers; of real ones pi below 0, else 0."""
    x = as_tensor(x)
    if x.dtype.is_complex:
        return _ops.atan2(_ops.imag(x), _ops.real(x))
    if not x.dtype.is_floating_point:
        x = _ops.cast(x, _core.default_float())
    zero = _ops.zeros_like(x)
    # The sign's gradient is 0 everywhere, as that of an angle of real numbers.
    turned = _ops.mul(_ops.sub(_ops.square(_ops.sign(x)), _ops.sign(x)), math.pi / 2)
    return _ops.add(_ops.where(_ops.isnan(x), x, zero), turned)


def _parts(a: Any, b: Any, what: str) -> list[Tensor]:
    a, b = as_tensor(a), as_tensor(b)
    if a.dtype != b.dtype:
        raise TypeError(
            f"{what}(): the parts are {a.dtype.name} and {b.dtype.name}; wanted one "
            "type"
        )
    if not a.dtype.is_floating_point:
        raise TypeError(f"{what}(): the parts are {a.dtype.name}; wanted float32")
    if a.dtype != _core.float32:
        raise NotImplementedError(
            f"{what}(): the parts are {a.dtype.name}; wanted float32, for complex64 "
            "is the type of complex numbers there is"
        )
    return list(broadcast_arrays(a, b))


def complex(real: Any, imag: Any) -> Tensor:
    """Complex numbers of these real and imaginary parts, which broadcast."""
    return _ops.make_complex(*_parts(real, imag, "complex"))


def polar(abs: Any, angle: Any) -> Tensor:
    """Complex numbers of these sizes and angles, which broadcast."""
    size, turned = _parts(abs, angle, "polar")
    return _ops.make_complex(
        _ops.mul(size, _ops.cos(turned)), _ops.mul(size, _ops.sin(turned))
    )


def view_as_real(x: Any) -> Tensor:
    """Both parts of complex numbers along a last axis of 2: a copy, not a view."""
    x = as_tensor(x)
    if not x.dtype.is_complex:
        raise TypeError(
            f"view_as_real(): x is {x.dtype.name}; wanted complex numbers"
        )
    return _ops.stack([_ops.real(x), _ops.imag(x)], axis=-1)


def view_as_complex(x: Any) -> Tensor:
    """Complex numbers from a last axis of two parts: a copy, not a view."""
    x = as_tensor(x)
    if x.ndim < 1 or not may_be(x.shape[-1], 2):
        raise ValueError(
            f"view_as_complex(): x is {list(x.shape)}; wanted 2 along the last axis"
        )
    first, second = _ops.unstack(x, 2, axis=-1)
    return complex(first, second)
