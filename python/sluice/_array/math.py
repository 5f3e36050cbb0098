"""Arithmetic by the names of numpy, PyTorch and the array API."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .shape import as_tensor

__all__ = [
    "abs",
    "absolute",
    "addcdiv",
    "addcmul",
    "allclose",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "array_equal",
    "baddbmm",
    "bincount",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "bmm",
    "ceil",
    "clamp",
    "clip",
    "copysign",
    "diag",
    "diagonal",
    "div",
    "divide",
    "e",
    "einsum",
    "eq",
    "floor",
    "floor_divide",
    "ge",
    "gt",
    "inf",
    "isclose",
    "isneginf",
    "isposinf",
    "le",
    "logaddexp",
    "lt",
    "matmul",
    "mm",
    "multiply",
    "mv",
    "nan",
    "nan_to_num",
    "ne",
    "negative",
    "newaxis",
    "nextafter",
    "pi",
    "positive",
    "power",
    "remainder",
    "round",
    "signbit",
    "subtract",
    "tensordot",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "vecdot",
]

pi = math.pi
e = math.e
inf = math.inf
nan = math.nan
newaxis = None

matmul = _core.matmul

# The same functions by other names.
arccos = _ops.acos
arccosh = _ops.acosh
arcsin = _ops.asin
arcsinh = _ops.asinh
arctan = _ops.atan
arctan2 = _ops.atan2
arctanh = _ops.atanh
copysign = _ops.copy_sign
eq = _ops.equal
floor_divide = _ops.floor_div
gt = _ops.greater
ge = _ops.greater_equal
lt = _ops.less
le = _ops.less_equal
logaddexp = _ops.log_add_exp
remainder = _ops.mod
multiply = _ops.mul
negative = _ops.neg
nextafter = _ops.next_after
ne = _ops.not_equal
power = _ops.pow
subtract = _ops.sub
bincount = _ops.bin_count


def abs(x: Any) -> Tensor:
    """|x|, elementwise; of complex numbers, too."""
    x = as_tensor(x)
    return _ops.complex_abs(x) if x.dtype.is_complex else _ops.abs(x)


absolute = abs


def _rounding(op: Any, x: Any) -> Tensor:
    x = as_tensor(x)
    # Integers are whole already.
    return op(x) if x.dtype.is_floating_point else x


def floor(x: Any) -> Tensor:
    """The largest integer not above x, elementwise."""
    return _rounding(_ops.floor, x)


def ceil(x: Any) -> Tensor:
    """The smallest integer not below x, elementwise."""
    return _rounding(_ops.ceil, x)


def trunc(x: Any) -> Tensor:
    """x without its fraction, elementwise."""
    return _rounding(_ops.trunc, x)


def round(x: Any, decimals: int = 0) -> Tensor:
    """The nearest integer, or number of that many decimals; halves go to even."""
    if decimals == 0:
        return _rounding(_ops.round, x)
    x = as_tensor(x)
    if not x.dtype.is_floating_point:
        if decimals > 0:
            return x
        scale = 10**-decimals
        return _ops.cast(_ops.mul(_ops.round(_ops.div(
            _ops.cast(x, _core.float64), scale)), scale), x.dtype)  # fmt: skip
    scale = 10.0**decimals
    return _ops.div(_ops.round(_ops.mul(x, scale)), scale)


def divide(a: Any, b: Any, *, rounding_mode: str | None = None) -> Tensor:
    """a / b; integers give floats. rounding_mode: "floor" or "trunc" as PyTorch's."""
    if rounding_mode is None:
        return as_tensor(a) / b
    if rounding_mode == "floor":
        return _ops.floor_div(a, b)
    if rounding_mode == "trunc":
        return trunc(_ops.div(a, b))
    raise ValueError(
        f"divide(): rounding_mode is {rounding_mode!r}; wanted None, floor or trunc"
    )


div = true_divide = divide


def positive(x: Any) -> Tensor:
    """x itself."""
    return as_tensor(x)


def signbit(x: Any) -> Tensor:
    """Whether x is negative, -0.0 included."""
    x = as_tensor(x)
    if not x.dtype.is_floating_point:
        return _ops.less(x, 0)
    return _ops.less(_ops.copy_sign(_ops.ones_like(x), x), 0)


def bitwise_invert(x: Any) -> Tensor:
    """Every bit flipped; of bools their opposite."""
    return ~as_tensor(x)


def bitwise_left_shift(a: Any, b: Any) -> Tensor:
    """a with its bits moved up by b places."""
    return as_tensor(a) << b


def bitwise_right_shift(a: Any, b: Any) -> Tensor:
    """a with its bits moved down by b places."""
    return as_tensor(a) >> b


def clip(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """x held between min and max: numbers or tensors, either may be None."""
    numbers = (int, float)
    if isinstance(min, numbers) and isinstance(max, numbers):
        x = as_tensor(x)
        if x.dtype.is_floating_point and min <= max:
            return _ops.clip(x, min, max)
    if min is None and max is None:
        raise ValueError("clip(): min and max are None; wanted one of them")
    if min is not None:
        x = _ops.maximum(x, min)
    if max is not None:
        x = _ops.minimum(x, max)
    return x


clamp = clip


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """|a - b| <= atol + rtol |b|, elementwise."""
    a, b = as_tensor(a), as_tensor(b)
    if not (a.dtype.is_floating_point or b.dtype.is_floating_point):
        return _ops.equal(a, b) if a.dtype == _core.bool else _ops.approximate_equal(
            _ops.cast(a, _core.float64), _ops.cast(b, _core.float64),
            rtol=rtol, atol=atol)  # fmt: skip
    return _ops.approximate_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether isclose is true for all elements."""
    return bool(_ops.all_of(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a: Any, b: Any) -> bool:
    """Whether both have one shape and equal elements."""
    a, b = as_tensor(a), as_tensor(b)
    return a.shape == b.shape and bool(_ops.all_of(a == b))


def isposinf(x: Any) -> Tensor:
    """Where x is +inf."""
    return _ops.equal(x, inf)


def isneginf(x: Any) -> Tensor:
    """Where x is -inf."""
    return _ops.equal(x, -inf)


def nan_to_num(
    x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and infinities replaced by numbers, by default 0 and the largest ones."""
    from .types import finfo

    x = as_tensor(x)
    if not x.dtype.is_floating_point:
        return x
    limits = finfo(x.dtype)
    x = _ops.where(_ops.isnan(x), nan, x)
    x = _ops.where(_ops.equal(x, inf), limits.max if posinf is None else posinf, x)
    return _ops.where(_ops.equal(x, -inf), limits.min if neginf is None else neginf, x)


def diagonal(x: Any, offset: int = 0) -> Tensor:
    """A diagonal of the matrices in the last two axes."""
    return _ops.diag_part(x, offset)


def diag(x: Any, k: int = 0, *, diagonal: int | None = None) -> Tensor:
    """A matrix with a vector on its k-th diagonal, or that diagonal of a matrix."""
    x = as_tensor(x)
    k = k if diagonal is None else diagonal
    return _ops.diag(x, k) if x.ndim == 1 else _ops.diag_part(x, k)


def tril(x: Any, k: int = 0, *, diagonal: int | None = None) -> Tensor:
    """The elements on and below a diagonal; the others are 0."""
    return _ops.tril(x, k if diagonal is None else diagonal)


def triu(x: Any, k: int = 0, *, diagonal: int | None = None) -> Tensor:
    """The elements on and above a diagonal; the others are 0."""
    return _ops.triu(x, k if diagonal is None else diagonal)


def einsum(equation: Any, *operands: Any) -> Tensor:
    """Products summed over axes, as an equation says: einsum("ij,jk->ik", a, b)."""
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): equation is a {type(equation).__name__}; wanted a str"
        )
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    return _ops.einsum(operands, equation.replace(" ", ""))


def tensordot(a: Any, b: Any, axes: Any = 2, *, dims: Any = None) -> Tensor:
    """Products summed over the last n axes of a and the first of b, or over pairs."""
    a, b = as_tensor(a), as_tensor(b)
    axes = axes if dims is None else dims
    if hasattr(axes, "__index__"):
        n = axes.__index__()
        over_a, over_b = list(range(a.ndim - n, a.ndim)), list(range(n))
    else:
        over_a, over_b = (
            [p] if hasattr(p, "__index__") else list(p) for p in axes
        )
    over_a = [i % a.ndim for i in over_a]
    over_b = [i % b.ndim for i in over_b]
    if len(over_a) != len(over_b):
        raise ValueError("tensordot(): axes names more of one side than of the other")
    for i, j in zip(over_a, over_b):
        if a.shape[i] != b.shape[j]:
            raise ValueError(
                f"tensordot(): axis {i} of a has size {a.shape[i]}, "
                f"axis {j} of b {b.shape[j]}"
            )
    rest_a = [i for i in range(a.ndim) if i not in over_a]
    rest_b = [i for i in range(b.ndim) if i not in over_b]
    shape = [a.shape[i] for i in rest_a] + [b.shape[i] for i in rest_b]
    inner = math.prod(a.shape[i] for i in over_a)
    rows = math.prod(a.shape[i] for i in rest_a)
    columns = math.prod(b.shape[i] for i in rest_b)
    left = _ops.reshape(_ops.transpose(a, rest_a + over_a), (rows, inner))
    right = _ops.reshape(_ops.transpose(b, over_b + rest_b), (inner, columns))
    return _ops.reshape(_core.matmul(left, right), shape)


def vecdot(a: Any, b: Any, axis: int = -1) -> Tensor:
    """Inner products of vectors along an axis."""
    return _ops.sum(_ops.mul(a, b), axis)


def bmm(a: Any, b: Any) -> Tensor:
    """Products of stacks of matrices [batch, n, m] and [batch, m, p]."""
    return _core.matmul(a, b)


def mm(a: Any, b: Any) -> Tensor:
    """The product of two matrices."""
    return _ops.matmul(a, b)


def mv(a: Any, x: Any) -> Tensor:
    """The product of a matrix and a vector."""
    return _ops.mat_vec(a, x)


def baddbmm(x: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha a @ b."""
    return as_tensor(x) * beta + _core.matmul(a, b) * alpha


def addcmul(x: Any, a: Any, b: Any, *, value: float = 1) -> Tensor:
    """x + value a b, elementwise."""
    return as_tensor(x) + as_tensor(a) * b * value


def addcdiv(x: Any, a: Any, b: Any, *, value: float = 1) -> Tensor:
    """x + value a / b, elementwise."""
    return as_tensor(x) + as_tensor(a) / b * value
