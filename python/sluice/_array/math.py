"""Arithmetic by the names of numpy, PyTorch and the array API."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import (
    NOTHING,
    axes_tuple,
    flag,
    not_several,
    one_axis,
    one_of,
    whole,
)
from .reduce import truth, widened
from .shape import as_tensor, broadcast_arrays, may_be, moveaxis, own_copy

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
    "conj",
    "copysign",
    "cross",
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
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
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
    "polygamma",
    "positive",
    "power",
    "remainder",
    "round",
    "signbit",
    "tensordot",
    "trace",
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


def abs(x: Any) -> Tensor:
    """|x|, elementwise; of complex numbers, too."""
    x = as_tensor(x)
    return _ops.complex_abs(x) if x.dtype.is_complex else _ops.abs(x)


absolute = abs


def _rounding(op: Any, x: Any) -> Tensor:
    x = as_tensor(x)
    # Integers are whole already; complex numbers the op refuses.
    real = x.dtype.is_floating_point or x.dtype.is_complex
    return op(x) if real else own_copy(x)


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
    x, decimals = as_tensor(x), whole(decimals, "round(): decimals")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        if decimals > 0:
            return own_copy(x)
        scale = 10**-decimals
        return _ops.cast(_ops.mul(_ops.round(_ops.div(
            _ops.cast(x, _core.float64), scale)), scale), x.dtype)  # fmt: skip
    scale = 10.0**decimals
    return _ops.div(_ops.round(_ops.mul(x, scale)), scale)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each of 0, 1, ... is there, or the sum of its weights."""
    if as_tensor(x).ndim > 1:
        raise ValueError(f"bincount(): x has {as_tensor(x).ndim} axes; wanted a vector")
    if weights is None:
        return _ops.bin_count(x, minlength=minlength)
    weights = as_tensor(weights)
    if weights.dtype.is_complex:
        raise TypeError(
            f"bincount(): weights are {weights.dtype.name}; wanted real numbers"
        )
    if weights.dtype not in (_core.float32, _core.float64):
        weights = _ops.cast(weights, _core.float64)
    return _ops.bin_count(x, weights, minlength=minlength)


def divide(a: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """a / other; integers give floats. rounding_mode: "floor" or "trunc"."""
    if rounding_mode is None:
        return as_tensor(a) / other
    if rounding_mode == "floor":
        return _ops.floor_div(a, other)
    if rounding_mode == "trunc":
        return trunc(_ops.div(a, other))
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
    a: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """|a - other| <= atol + rtol |other|, elementwise."""
    for name, bound in (("rtol", rtol), ("atol", atol)):
        if not bound >= 0:  # nor NaN
            raise ValueError(f"isclose(): {name} is {bound}; wanted it 0 or more")
    flag(equal_nan, "equal_nan")
    a, other = as_tensor(a), as_tensor(other)
    if a.dtype.is_complex or other.dtype.is_complex:
        return _close_complex(a, other, rtol, atol, equal_nan)
    if not (a.dtype.is_floating_point or other.dtype.is_floating_point):
        if a.dtype == _core.bool or rtol == atol == 0:
            return _ops.equal(a, other)
        return _ops.approximate_equal(
            _ops.cast(a, _core.float64), _ops.cast(other, _core.float64),
            rtol=rtol, atol=atol)  # fmt: skip
    return _ops.approximate_equal(a, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


def _close_complex(
    a: Tensor, b: Tensor, rtol: float, atol: float, equal_nan: bool
) -> Tensor:
    a, b = (_ops.cast(t, _core.complex64) for t in (a, b))
    allowed = _ops.add(_ops.mul(_ops.complex_abs(b), rtol), atol)
    near = _ops.less_equal(_ops.complex_abs(_ops.sub(a, b)), allowed)
    near = _ops.logical_and(near, _ops.isfinite(allowed))
    near = _ops.logical_or(near, _ops.equal(a, b))
    if equal_nan:
        near = _ops.logical_or(near, _ops.logical_and(is_nan(a), is_nan(b)))
    return near


def is_nan(x: Tensor) -> Tensor:
    """Where x is NaN; of complex numbers either part."""
    if not x.dtype.is_complex:
        return _ops.isnan(x)
    return _ops.logical_or(_ops.isnan(_ops.real(x)), _ops.isnan(_ops.imag(x)))


def allclose(
    a: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether isclose is true for all elements."""
    return bool(_ops.all_of(isclose(a, other, rtol, atol, equal_nan)))


def array_equal(a: Any, b: Any) -> bool:
    """Whether both have one shape and equal elements."""
    a, b = as_tensor(a), as_tensor(b)
    return a.shape == b.shape and bool(_ops.all_of(a == b))


def _ordered(x: Any, what: str) -> Tensor:
    x = as_tensor(x)
    if x.dtype.is_complex:
        raise TypeError(f"{what}(): x is {x.dtype.name}; wanted real numbers")
    return x


def isposinf(x: Any) -> Tensor:
    """Where x is +inf."""
    return _ops.equal(_ordered(x, "isposinf"), inf)


def isneginf(x: Any) -> Tensor:
    """Where x is -inf."""
    return _ops.equal(_ordered(x, "isneginf"), -inf)


def nan_to_num(
    x: Any,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """NaN and infinities replaced by numbers, by default 0 and the largest ones."""
    from .types import finfo

    x = as_tensor(x)
    if x.dtype.is_complex:
        parts = (_ops.real(x), _ops.imag(x))
        return _ops.make_complex(*(nan_to_num(p, nan, posinf, neginf) for p in parts))
    if not x.dtype.is_floating_point:
        return own_copy(x)
    limits = finfo(x.dtype)
    # Where they are is asked of x: what stands in for one may be another of them.
    made = _ops.where(_ops.isnan(x), 0.0 if nan is None else nan, x)
    high, low = _ops.equal(x, inf), _ops.equal(x, -inf)
    made = _ops.where(high, limits.max if posinf is None else posinf, made)
    return _ops.where(low, limits.min if neginf is None else neginf, made)


def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal of the matrices in two axes, by default the first two."""
    x = as_tensor(x)
    a, b = axes_tuple((dim1, dim2), x.ndim, "diagonal")
    if (a, b) != (x.ndim - 2, x.ndim - 1):
        x = moveaxis(x, (a, b), (-2, -1))
    return _ops.diag_part(x, offset)


def diag(x: Any, diagonal: int = 0, *, k: int | None = None) -> Tensor:
    """A matrix with a vector on its k-th diagonal, or that diagonal of a matrix."""
    x = as_tensor(x)
    k = diagonal if k is None else k
    if x.ndim not in (1, 2):
        raise ValueError(f"diag(): x has {x.ndim} axes; wanted a vector or a matrix")
    return _ops.diag(x, k) if x.ndim == 1 else own_copy(_ops.diag_part(x, k))


def tril(x: Any, diagonal: int = 0, *, k: int | None = None) -> Tensor:
    """The elements on and below a diagonal; the others are 0."""
    return _ops.tril(x, diagonal if k is None else k)


def triu(x: Any, diagonal: int = 0, *, k: int | None = None) -> Tensor:
    """The elements on and above a diagonal; the others are 0."""
    return _ops.triu(x, diagonal if k is None else k)


def einsum(equation: Any, *operands: Any) -> Tensor:
    """Products summed over axes, as an equation says: einsum("ij,jk->ik", a, b)."""
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): equation is a {type(equation).__name__}; wanted a str"
        )
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    return _ops.einsum(operands, equation.replace(" ", ""))


def _axis_pairs(a: Tensor, b: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if hasattr(axes, "__index__"):
        n = axes.__index__()
        if not 0 <= n <= min(a.ndim, b.ndim):
            raise ValueError(
                f"tensordot(): {n} axes of tensors of {a.ndim} and {b.ndim}"
            )
        return list(range(a.ndim - n, a.ndim)), list(range(n))
    of_a, of_b = ([p] if hasattr(p, "__index__") else list(p) for p in axes)
    if len(of_a) != len(of_b):
        raise ValueError("tensordot(): axes names more of one side than of the other")
    return (list(axes_tuple(of_a, a.ndim, "tensordot")),
            list(axes_tuple(of_b, b.ndim, "tensordot")))  # fmt: skip


def tensordot(a: Any, b: Any, dims: Any = 2, *, axes: Any = None) -> Tensor:
    """Products summed over the last n axes of a and the first of b, or over pairs."""
    a, b = as_tensor(a), as_tensor(b)
    over_a, over_b = _axis_pairs(a, b, dims if axes is None else axes)
    for i, j in zip(over_a, over_b):
        if None not in (a.shape[i], b.shape[j]) and a.shape[i] != b.shape[j]:
            raise ValueError(
                f"tensordot(): axis {i} of a has size {a.shape[i]}, "
                f"axis {j} of b {b.shape[j]}"
            )
    # Every axis by a letter; those summed over share one.
    letters = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    of_a = [next(letters) for _ in range(a.ndim)]
    of_b = [of_a[over_a[over_b.index(j)]] if j in over_b else next(letters)
            for j in range(b.ndim)]  # fmt: skip
    rest = [of_a[i] for i in range(a.ndim) if i not in over_a]
    rest += [of_b[j] for j in range(b.ndim) if j not in over_b]
    left, right, made = "".join(of_a), "".join(of_b), "".join(rest)
    return _ops.einsum([a, b], f"{left},{right}->{made}")


def cross(a: Any, b: Any, dim: int | None = None, *, axis: Any = NOTHING) -> Tensor:
    """Cross products of vectors of three; by default along the first axis of 3."""
    a, b = as_tensor(a), as_tensor(b)
    at = one_of(axis, NOTHING, dim)
    if at is None:
        sizes = a.shape if a.ndim >= b.ndim else b.shape
        threes = [i for i, n in enumerate(sizes) if n == 3]
        if not threes:
            raise ValueError(f"cross(): a is {list(a.shape)}; wanted an axis of 3")
        at = threes[0] - len(sizes)
    at = one_axis(at, max(a.ndim, b.ndim), "cross")
    for name, t in (("a", a), ("b", b)):
        own = at - max(a.ndim, b.ndim) + t.ndim
        if own < 0 or not may_be(t.shape[own], 3):
            raise ValueError(
                f"cross(): {name} is {list(t.shape)}; wanted 3 along axis {own}"
            )
    return _ops.cross(*broadcast_arrays(a, b), axis=at)


def polygamma(n: int, x: Any) -> Tensor:
    """The n-th derivative of digamma, elementwise; of n = 0 digamma itself."""
    if isinstance(n, Tensor):
        raise TypeError("polygamma(): n is a Tensor; wanted an int, and x behind it")
    return _ops.digamma(x) if n == 0 else _ops.polygamma(x, n)


def vecdot(a: Any, b: Any, axis: int = -1) -> Tensor:
    """Inner products of vectors along an axis; of complex ones a conjugated."""
    a = as_tensor(a)
    not_several(axis, "vecdot")
    return _ops.sum(_ops.mul(conj(a), b), axis)


def bmm(x: Any, mat2: Any) -> Tensor:
    """Products of stacks of matrices [batch, n, m] and [batch, m, p]."""
    return _core.matmul(x, mat2)


def mm(x: Any, mat2: Any) -> Tensor:
    """The product of two matrices."""
    return _ops.matmul(x, mat2)


def mv(x: Any, vec: Any) -> Tensor:
    """The product of a matrix and a vector."""
    return _ops.mat_vec(x, vec)


def baddbmm(
    x: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta x + alpha batch1 @ batch2; with beta = 0 without x, NaN in it or not."""
    return rounded_sum(_core.matmul, x, batch1, batch2, beta, alpha)


def rounded_sum(
    product: Any, x: Any, a: Any, b: Any, beta: float, alpha: float
) -> Tensor:
    """beta x + alpha product(a, b)."""
    x, a, b = as_tensor(x), as_tensor(a), as_tensor(b)
    kind = a.dtype
    if kind.name in _HALVES and {x.dtype, b.dtype} == {kind}:
        # Rounded once, at the end.
        x, a, b = (_ops.cast(t, _core.float32) for t in (x, a, b))
    made = scaled_sum(x, product(a, b), beta, alpha)
    return made if made.dtype == kind or kind.name not in _HALVES else _ops.cast(
        made, kind)  # fmt: skip


def scaled_sum(x: Any, product: Tensor, beta: float, alpha: float) -> Tensor:
    """beta x + alpha product, of the product's shape."""
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if not product.dtype.is_floating_point and factor != int(factor):
            raise ValueError(f"{name} is {factor}, the product "
                             f"{product.dtype.name}; wanted an integer")  # fmt: skip
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return (as_tensor(x) if beta == 1 else as_tensor(x) * beta) + product


_HALVES = ("float16", "bfloat16")


def _rounded_once(f: Any, *xs: Any) -> Tensor:
    """f of tensors; of halves it is computed in floats and rounded at the end."""
    tensors = [as_tensor(x) for x in xs]
    kinds = {t.dtype for t in tensors}
    if len(kinds) != 1 or tensors[0].dtype.name not in _HALVES:
        return f(*tensors)
    made = f(*(_ops.cast(t, _core.float32) for t in tensors))
    return _ops.cast(made, tensors[0].dtype)


def addcmul(x: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """x + value tensor1 tensor2, elementwise."""
    return _rounded_once(lambda x, a, b: x + a * b * value, x, tensor1, tensor2)


def addcdiv(x: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """x + value tensor1 / tensor2, elementwise."""
    return _rounded_once(lambda x, a, b: x + a / b * value, x, tensor1, tensor2)


def trace(x: Any) -> Tensor:
    """The sum of the diagonal of a matrix; small integers are added as int64."""
    return _ops.trace(widened(x, None))


def logical_and(a: Any, other: Any) -> Tensor:
    """Whether both are true, that is not 0, elementwise."""
    return _ops.logical_and(truth(a), truth(other))


def logical_or(a: Any, other: Any) -> Tensor:
    """Whether one of them is true, that is not 0, elementwise."""
    return _ops.logical_or(truth(a), truth(other))


def logical_xor(a: Any, other: Any) -> Tensor:
    """Whether just one of them is true, that is not 0, elementwise."""
    return _ops.logical_xor(truth(a), truth(other))


def logical_not(x: Any) -> Tensor:
    """Whether x is false, that is 0, elementwise."""
    return _ops.logical_not(truth(x))


def conj(x: Any) -> Tensor:
    """Complex conjugates; real numbers are their own."""
    x = as_tensor(x)
    return _ops.conj(x) if x.dtype.is_complex else x
