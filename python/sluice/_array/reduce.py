"""Sums, extremes and other values made of all elements, or of those along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, one_of

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_sum",
    "logsumexp",
    "max",
    "mean",
    "median",
    "min",
    "nanmean",
    "nansum",
    "prod",
    "ptp",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]


class ValuesAndIndices(NamedTuple):
    """Elements, and where they are along the axis."""

    values: Tensor
    indices: Tensor


_F = TypeVar("_F", bound=Callable[..., Any])


def _fast(op: Any, *names: str) -> Callable[[_F], _F]:
    """The op itself serves for tensors of floats with plain arguments."""
    allowed = names or ("axis", "dim", "keepdims", "keepdim")

    def with_fast(slow: _F) -> _F:
        return cast(_F, _core.fast_path(op, slow, allowed))

    return with_fast


_SMALL = frozenset("bool int8 int16 int32 uint8 uint16 uint32".split())


def _keeps(keepdims: Any, keepdim: Any) -> bool:
    return bool(keepdims or (keepdim is not NOTHING and keepdim))


def _over(op: Any, x: Any, axis: Any, keep: bool) -> Tensor:
    if isinstance(axis, (tuple, list)) and not axis:
        return x if isinstance(x, Tensor) else _core.tensor(x)
    return op(x, axis, keep)


def _widened(x: Any, dtype: Any) -> Any:
    """Small integers are added up in 64 bits, as numpy and PyTorch do."""
    if dtype is not None:
        return _ops.cast(x, dtype)
    if isinstance(x, Tensor) and x.dtype.name in _SMALL:
        return _ops.cast(x, _core.int64)
    return x


@_fast(_ops.sum)
def sum(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dtype: Any = None,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The sum over all elements or some axes; small integers are added as int64."""
    axis = one_of(axis, dim)
    return _over(_ops.sum, _widened(x, dtype), axis, _keeps(keepdims, keepdim))


@_fast(_ops.prod)
def prod(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dtype: Any = None,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The product over all elements or some axes."""
    axis = one_of(axis, dim)
    return _over(_ops.prod, _widened(x, dtype), axis, _keeps(keepdims, keepdim))


@_fast(_ops.mean)
def mean(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dtype: Any = None,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The mean over all elements or some axes."""
    x = x if dtype is None else _ops.cast(x, dtype)
    return _over(_ops.mean, x, one_of(axis, dim), _keeps(keepdims, keepdim))


def average(x: Any, axis: Any = None, weights: Any = None) -> Tensor:
    """The mean, or that with weights."""
    if weights is None:
        return mean(x, axis)
    return _ops.div(sum(_ops.mul(x, weights), axis), sum(_ops.mul(_ops.ones_like(
        x if isinstance(x, Tensor) else _core.tensor(x)), weights), axis))  # fmt: skip


def _extreme(op: Any, arg: Any, x: Any, axis: Any, dim: Any, keep: bool) -> Any:
    if dim is not NOTHING:
        return with_indices(op, arg, x, dim, keep)
    made = _over(op, x, axis, keep)
    return _as_bool(x, made)


def _as_bool(x: Any, made: Tensor) -> Tensor:
    if isinstance(x, Tensor) and x.dtype == _core.bool and made.dtype != x.dtype:
        return _ops.cast(made, x.dtype)
    return made


def with_indices(op: Any, arg: Any, x: Any, dim: int, keep: bool) -> Any:
    """As PyTorch has it: the values along one axis, and where they are."""
    indices = arg(x, dim, True)
    values = _as_bool(x, _ops.take_along(x, indices, axis=dim))
    if not keep:
        values = _ops.squeeze(values, (dim,))
        indices = _ops.squeeze(indices, (dim,))
    return ValuesAndIndices(values, indices)


@_fast(_ops.max, "axis", "keepdims")
def max(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Any:
    """The largest element of all, or along some axes.

    axis= gives the values, as numpy does; dim= gives (values, indices) along one
    axis, as PyTorch does.
    """
    keep = _keeps(keepdims, keepdim)
    return _extreme(_ops.max, _ops.argmax, x, axis, dim, keep)


@_fast(_ops.min, "axis", "keepdims")
def min(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Any:
    """The smallest element of all, or along some axes; axis= and dim= as max."""
    keep = _keeps(keepdims, keepdim)
    return _extreme(_ops.min, _ops.argmin, x, axis, dim, keep)


@_fast(_ops.max)
def amax(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The largest elements over some axes."""
    axis = one_of(axis, dim)
    return _as_bool(x, _over(_ops.max, x, axis, _keeps(keepdims, keepdim)))


@_fast(_ops.min)
def amin(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The smallest elements over some axes."""
    axis = one_of(axis, dim)
    return _as_bool(x, _over(_ops.min, x, axis, _keeps(keepdims, keepdim)))


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest element less the smallest."""
    return _ops.sub(amax(x, axis, keepdims), amin(x, axis, keepdims))


def _place(op: Any, x: Any, axis: Any, keep: bool) -> Tensor:
    if axis is not None:
        return op(x, axis, keep)
    made = op(_ops.reshape(x, (-1,)), 0, False)
    if not keep:
        return made
    ndim = x.ndim if isinstance(x, Tensor) else _core.tensor(x).ndim
    return _ops.reshape(made, (1,) * ndim)


def argmax(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """Where the largest element is: among all, or along an axis."""
    return _place(_ops.argmax, x, one_of(axis, dim), _keeps(keepdims, keepdim))


def argmin(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """Where the smallest element is: among all, or along an axis."""
    return _place(_ops.argmin, x, one_of(axis, dim), _keeps(keepdims, keepdim))


def truth(x: Any) -> Any:
    """Elements as bools: whether they are not 0."""
    if isinstance(x, Tensor):
        return x if x.dtype == _core.bool else _ops.not_equal(x, 0)
    x = _core.tensor(x)
    return x if x.dtype == _core.bool else _ops.not_equal(x, 0)


def any(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """Whether some element is true, that is not 0."""
    axis = one_of(axis, dim)
    return _over(_ops.any_of, truth(x), axis, _keeps(keepdims, keepdim))


def all(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """Whether all elements are true, that is not 0."""
    axis = one_of(axis, dim)
    return _over(_ops.all_of, truth(x), axis, _keeps(keepdims, keepdim))


def count_nonzero(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """How many elements are not 0."""
    axis = one_of(axis, dim)
    return _over(_ops.count_non_zero, x, axis, _keeps(keepdims, keepdim))


def logsumexp(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """log(sum(exp(x))), without overflow on the way."""
    axis = one_of(axis, dim)
    return _over(_ops.log_sum_exp, x, axis, _keeps(keepdims, keepdim))


def _correction(correction: Any, ddof: Any, unbiased: Any) -> int:
    if unbiased is not None:
        return 1 if unbiased else 0
    given = correction if ddof is None else ddof
    if given is not None and given != int(given):
        raise ValueError(f"correction is {given}; wanted a whole number")
    return 1 if given is None else int(given)


def _spread(
    op: Any, x: Any, axis: Any, keep: bool, correction: Any, ddof: Any, unbiased: Any
) -> Tensor:
    # torch.std(x, unbiased) by place: a bool is no axis.
    if isinstance(axis, bool):
        axis, unbiased = None, axis
    how = _correction(correction, ddof, unbiased)
    return op(x, axis, keep, correction=how)


@_fast(_ops.std)
def std(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    unbiased: bool | None = None,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The standard deviation. By default that of a sample, correction=1."""
    keep = _keeps(keepdims, keepdim)
    axis = one_of(axis, dim)
    return _spread(_ops.std, x, axis, keep, correction, ddof, unbiased)


@_fast(_ops.var)
def var(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    unbiased: bool | None = None,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The variance. By default that of a sample, correction=1."""
    keep = _keeps(keepdims, keepdim)
    axis = one_of(axis, dim)
    return _spread(_ops.var, x, axis, keep, correction, ddof, unbiased)


def var_mean(x: Any, axis: Any = None, keepdims: bool = False, **how: Any) -> Any:
    """Variance and mean."""
    return var(x, axis, keepdims, **how), mean(x, how.get("dim", axis), keepdims)


def std_mean(x: Any, axis: Any = None, keepdims: bool = False, **how: Any) -> Any:
    """Standard deviation and mean."""
    return std(x, axis, keepdims, **how), mean(x, how.get("dim", axis), keepdims)


def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The sum of what is not NaN."""
    return sum(_ops.where(_ops.isnan(x), 0, x), axis, keepdims)


def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The mean of what is not NaN."""
    there = sum(_ops.logical_not(_ops.isnan(x)), axis, keepdims)
    return _ops.div(nansum(x, axis, keepdims), there)


def median(
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Any:
    """The element in the middle: of two such the lower, as PyTorch has it.

    dim= gives (values, indices) along one axis.
    """
    keep = _keeps(keepdims, keepdim)
    pair = dim is not NOTHING
    axis = one_of(axis, dim)
    if axis is None:
        x, axis = _ops.reshape(x, (-1,)), 0
    order = _ops.arg_sort(x, axis)
    middle = (order.shape[axis] - 1) // 2
    indices = _ops.gather(order, _core.tensor([middle]), axis=axis)
    values = _ops.take_along(x, indices, axis=axis)
    if not keep:
        values = _ops.squeeze(values, (axis,))
        indices = _ops.squeeze(indices, (axis,))
    return ValuesAndIndices(values, indices) if pair else values


def cumsum(
    x: Any, axis: Any = None, *, dtype: Any = None, dim: Any = NOTHING
) -> Tensor:
    """Running sums along an axis, or over all elements in order."""
    axis = one_of(axis, dim)
    x = _widened(x, dtype)
    if axis is None:
        x, axis = _ops.reshape(x, (-1,)), 0
    return _ops.cumsum(x, axis)


def cumprod(
    x: Any, axis: Any = None, *, dtype: Any = None, dim: Any = NOTHING
) -> Tensor:
    """Running products along an axis, or over all elements in order."""
    axis = one_of(axis, dim)
    x = _widened(x, dtype)
    if axis is None:
        x, axis = _ops.reshape(x, (-1,)), 0
    return _ops.cumprod(x, axis)


def cumulative_sum(
    x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running sums, with a 0 before them on request: the array API's cumsum."""
    made = cumsum(x, axis, dtype=dtype)
    if not include_initial:
        return made
    at = 0 if axis is None else axis
    zero = _ops.zeros_like(_ops.gather(made, _core.tensor([0]), axis=at))
    return _ops.concat([zero, made], axis=at)
