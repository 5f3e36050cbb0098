"""Values made of all elements, or of those along axes; running sums and products."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import reduce as _reduce
from .._array.axes import axes_tuple, one_axis
from .._array.shape import own_copy, ravel
from .._core import Tensor, dtype as DType
from ._complex import joined, parts
from ._operands import array, as_type, filled, kind_rank, of_kind

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def _axes(x: Tensor, axis: Any, what: str) -> tuple[int, ...]:
    """The axes to go over, as numbers from 0 on; None stands for all."""
    if axis is None:
        return tuple(range(x.ndim))
    return axes_tuple(axis, x.ndim, what)


def _over(op: Any, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """op over these axes; over none every element is by itself."""
    return op(x, axes, keepdims) if axes else own_copy(x)


def wide_type(x: Tensor, dtype: Any) -> DType:
    """The type of sums: of integers that of 64 bits and the same sign."""
    if dtype is not None:
        return _core.find_dtype(dtype)
    if kind_rank(x.dtype) == 1:
        return _core.int64 if x.dtype.is_signed else _core.uint64
    return _core.int64 if x.dtype == _core.bool else x.dtype


def sum(
    x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> Tensor:
    """The sum; integers are added in 64 bits, unsigned ones stay unsigned."""
    x = array(x, "sum")
    wide = as_type(x, wide_type(x, dtype))
    return _over(_ops.sum, wide, _axes(x, axis, "sum"), keepdims)


def prod(
    x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> Tensor:
    """The product; integers are multiplied in 64 bits."""
    x = array(x, "prod")
    wide = as_type(x, wide_type(x, dtype))
    axes = _axes(x, axis, "prod")
    if not wide.dtype.is_complex:
        return _over(_ops.prod, wide, axes, keepdims)
    return _complex_product(wide, axes, keepdims) if axes else own_copy(wide)


def _complex_product(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """Halves multiplied with each other, until one slice is left."""
    rest = [a for a in range(x.ndim) if a not in axes]
    kept = [x.shape[a] for a in rest]
    n = 1
    for a in axes:
        n *= x.shape[a]
    made = _ops.reshape(_ops.transpose(x, (*axes, *rest)), (n, *kept))
    if n == 0:
        made = filled(x, (1, *kept), 1)
    while made.shape[0] > 1:
        half = made.shape[0] // 2
        product = _ops.mul(made[:half], made[half : 2 * half])
        made = _ops.concat([product, made[2 * half :]], axis=0)
    shape = [1 if a in axes else x.shape[a] for a in range(x.ndim)]
    return _ops.reshape(made, shape if keepdims else kept)


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean of floating point numbers."""
    x = of_kind(array(x, "mean"), "mean", 2, 3)
    axes = _axes(x, axis, "mean")
    if x.dtype.is_complex:
        return joined(*(_over(_ops.mean, p, axes, keepdims) for p in parts(x)))
    return _over(_ops.mean, x, axes, keepdims)


def var(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance; by default of a whole population, where PyTorch's is of a
    sample (correction=1)."""
    x = of_kind(array(x, "var"), "var", 2, 2)
    axes = _axes(x, axis, "var")
    n = 1
    for a in axes:
        n *= x.shape[a]
    # Axes may be none: the mean is the element then.
    centred = _ops.sub(x, mean(x, axis=axes, keepdims=True))
    total = _over(_ops.sum, _ops.square(centred), axes, keepdims)
    left = n - correction
    return _ops.div(total, _core.tensor(left if left > 0 else 0.0, x.dtype))


def std(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The standard deviation, by default of a whole population."""
    x = of_kind(array(x, "std"), "std", 2, 2)
    return _ops.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest element; values alone, where PyTorch's max along an axis gives a
    pair."""
    x = of_kind(array(x, "max"), "max", 1, 2)
    return _over(_ops.max, x, _axes(x, axis, "max"), keepdims)


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The smallest element."""
    x = of_kind(array(x, "min"), "min", 1, 2)
    return _over(_ops.min, x, _axes(x, axis, "min"), keepdims)


def _place(op: Any, x: Tensor, axis: int | None, keepdims: bool, what: str) -> Tensor:
    x = of_kind(array(x, what), what, 1, 2)
    if axis is not None:
        at = one_axis(axis, x.ndim, what)
        return op(x, at, keepdims)
    made = op(ravel(x), 0, False)
    return _ops.reshape(made, (1,) * x.ndim) if keepdims else made


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest element is: among all, or along an axis."""
    return _place(_ops.argmax, x, axis, keepdims, "argmax")


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest element is: among all, or along an axis."""
    return _place(_ops.argmin, x, axis, keepdims, "argmin")


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements are not 0."""
    x = array(x, "count_nonzero")
    there = _ops.cast(_reduce.truth(x), _core.int64)
    return _over(_ops.sum, there, _axes(x, axis, "count_nonzero"), keepdims)


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, that is not 0."""
    x = array(x, "all")
    return _over(_ops.all_of, _reduce.truth(x), _axes(x, axis, "all"), keepdims)


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether some element is true, that is not 0."""
    x = array(x, "any")
    return _over(_ops.any_of, _reduce.truth(x), _axes(x, axis, "any"), keepdims)


def _running(
    op: Any, of_complex: Any, unit: int, x: Tensor, axis: int | None, dtype: Any,
    include_initial: bool, what: str,
) -> Tensor:  # fmt: skip
    x = array(x, what)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{what}(): x has {x.ndim} axes; wanted axis")
        axis = 0
    x = _ops.reshape(x, (1,)) if x.ndim == 0 else x
    at = one_axis(axis, x.ndim, what)
    wide = as_type(x, wide_type(x, dtype))
    made = of_complex(wide, at) if wide.dtype.is_complex else op(wide, at)
    if not include_initial:
        return made
    shape = [1 if a == at else n for a, n in enumerate(x.shape)]
    return _ops.concat([filled(made, shape, unit), made], axis=at)


def _complex_sums(x: Tensor, at: int) -> Tensor:
    return joined(*(_ops.cumsum(p, at) for p in parts(x)))


def _complex_products(x: Tensor, at: int) -> Tensor:
    """Each with what is 1, 2, 4, ... places before it: all within log2(n) steps."""
    before = (slice(None),) * at
    n, step = x.shape[at], 1
    while step < n:
        head, tail = x[(*before, slice(step))], x[(*before, slice(step, None))]
        earlier = x[(*before, slice(n - step))]
        x = _ops.concat([head, _ops.mul(tail, earlier)], axis=at)
        step *= 2
    return own_copy(x) if n < 2 else x


def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Tensor:
    """Running sums along an axis, with a 0 before them on request."""
    return _running(_ops.cumsum, _complex_sums, 0, x, axis, dtype, include_initial,
                    "cumulative_sum")  # fmt: skip


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Tensor:
    """Running products along an axis, with a 1 before them on request."""
    return _running(_ops.cumprod, _complex_products, 1, x, axis, dtype,
                    include_initial, "cumulative_prod")  # fmt: skip


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Each element less the one before it along an axis, n times over."""
    x = of_kind(array(x, "diff"), "diff", 1, 3)
    at = one_axis(axis, x.ndim, "diff")
    if n < 0:
        raise ValueError(f"diff(): n is {n}; wanted 0 or more")
    if prepend is not None or append is not None:
        from ._manipulation import concat

        x = concat([t for t in (prepend, x, append) if t is not None], axis=at)
    before = (slice(None),) * at
    for _ in range(n):
        x = _ops.sub(x[(*before, slice(1, None))], x[(*before, slice(-1))])
    return x if n else own_copy(x)
