"""Products of matrices and vectors, of numbers of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core, _ops
from .._array import math as _math
from .._array.axes import one_axis
from .._array.create import eye
from .._array.device import device_like
from .._array.shape import broadcast_arrays, moveaxis
from .._array.shape import matrix_transpose as _matrix_transpose
from .._core import Tensor
from . import _complex
from ._elementwise import conj, multiply
from ._operands import array, as_type, of_kind, pair

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]

# What the ops for products have kernels for; other integers wrap in 64 bits.
_PRODUCTS = frozenset("float32 float64 float16 bfloat16 int32 int64".split())


def _numbers(x1: Any, x2: Any, what: str) -> tuple[Tensor, Tensor]:
    a, b = pair(array(x1, what, "x1"), array(x2, what, "x2"), what)
    return of_kind(a, what, 1, 3), b


def bilinear(
    f: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor
) -> Tensor:
    """A product that is linear on both sides, of any type: complex numbers by their
    parts, small integers in 64 bits, of which the low ones are theirs."""
    its = a.dtype
    if its.is_complex:
        (ar, ai), (br, bi) = _complex.parts(a), _complex.parts(b)
        return _complex.joined(_ops.sub(f(ar, br), f(ai, bi)),
                               _ops.add(f(ar, bi), f(ai, br)))  # fmt: skip
    if its.name in _PRODUCTS:
        return f(a, b)
    made = f(_ops.cast(a, _core.int64), _ops.cast(b, _core.int64))
    return _ops.cast(made, its)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The product of matrices in the last two axes, or of vectors."""
    a, b = _numbers(x1, x2, "matmul")
    if 0 in (a.ndim, b.ndim):
        raise ValueError("matmul(): an operand has no axes; wanted one at least")
    return bilinear(_core.matmul, a, b)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two axes swapped."""
    return _matrix_transpose(array(x, "matrix_transpose"))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Products summed over the last axes of x1 and the first of x2, or over pairs."""
    a, b = _numbers(x1, x2, "tensordot")
    return bilinear(lambda p, q: _math.tensordot(p, q, axes=axes), a, b)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Inner products of vectors along an axis; of complex ones x1 conjugated."""
    a, b = _numbers(x1, x2, "vecdot")
    of_a = one_axis(axis, a.ndim, "vecdot")
    of_b = one_axis(axis, b.ndim, "vecdot")
    if a.shape[of_a] != b.shape[of_b]:
        raise ValueError(
            f"vecdot(): axis {axis} of x1 has size {a.shape[of_a]}, of x2 "
            f"{b.shape[of_b]}; wanted one size"
        )
    a, b = moveaxis(a, of_a, -1), moveaxis(b, of_b, -1)
    if a.dtype.is_complex:
        re, im = _complex.parts(multiply(conj(a), b))
        return _complex.joined(_ops.sum(re, (-1,)), _ops.sum(im, (-1,)))
    return _ops.sum(_ops.mul(a, b), (-1,))


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of three along an axis."""
    a, b = _numbers(x1, x2, "cross")
    for x, name in ((a, "x1"), (b, "x2")):
        at = one_axis(axis, x.ndim, "cross")
        if x.shape[at] != 3:
            raise ValueError(
                f"cross(): axis {axis} of {name} has size {x.shape[at]}; wanted 3"
            )
    a, b = broadcast_arrays(a, b)
    at = one_axis(axis, a.ndim, "cross")

    def from_(x: Tensor, first: int) -> Tensor:
        return _ops.roll(x, [-first], [at])

    one = _ops.mul(from_(a, 1), from_(b, 2))
    return _ops.sub(one, _ops.mul(from_(a, 2), from_(b, 1)))


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Every element of a vector times every element of another."""
    a, b = _numbers(x1, x2, "outer")
    for x, name in ((a, "x1"), (b, "x2")):
        if x.ndim != 1:
            raise ValueError(f"outer(): {name} has {x.ndim} axes; wanted a vector")
    return _ops.mul(_ops.expand_dims(a, 1), _ops.expand_dims(b, 0))


def identity_like(x: Tensor) -> Tensor:
    """Ones on the diagonals of matrices of x's shape and type."""
    n = x.shape[-1]
    made = eye(n, dtype=_core.float32, device=device_like(x, None))
    return _ops.broadcast_to(as_type(made, x.dtype), x.shape)
