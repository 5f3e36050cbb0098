"""Elements by their order along an axis: running extremes, quantiles, memberships."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple, flag, flags, not_several, one_axis, whole
from .pick import searchsorted, sort_with_indices
from .reduce import ValuesAndIndices, amax, amin
from .shape import as_tensor, moveaxis, own_copy, ravel

__all__ = [
    "aminmax",
    "bucketize",
    "cummax",
    "cummin",
    "histc",
    "isin",
    "kthvalue",
    "logcumsumexp",
    "msort",
    "nanquantile",
    "quantile",
]


class MinMax(NamedTuple):
    """What aminmax gives."""

    min: Tensor
    max: Tensor


def aminmax(x: Any, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """The smallest and the largest element: of all, or along an axis."""
    not_several(dim, "aminmax")
    return MinMax(amin(x, dim, keepdim), amax(x, dim, keepdim))


def msort(x: Any) -> Tensor:
    """In order along the first axis."""
    return sort_with_indices(x, 0).values


def _running(op: Any, x: Any, dim: int, what: str) -> ValuesAndIndices:
    """Values so far, and where they are: of equals the last, of NaN each."""
    x = as_tensor(x)
    if x.ndim == 0:
        axes_tuple(dim, 1, what)
        return ValuesAndIndices(own_copy(x), _core.tensor(0))
    at = one_axis(dim, x.ndim, what)
    counted = _ops.cast(x, _core.uint8) if x.dtype == _core.bool else x
    there = _ops.equal(counted, op(counted, at))
    if x.dtype.is_floating_point:
        there = _ops.logical_or(there, _ops.isnan(x))
    shape = [x.shape[at] if a == at else 1 for a in range(x.ndim)]
    places = _ops.reshape(_ops.range(0, x.shape[at], 1), shape)
    marked = _ops.where(there, _ops.cast(places, _core.int64), 0)
    indices = _ops.cum_max(marked, at)
    return ValuesAndIndices(_ops.take_along(x, indices, axis=at), indices)


def cummax(x: Any, dim: int) -> ValuesAndIndices:
    """The largest element so far along an axis, and where it is."""
    return _running(_ops.cum_max, x, dim, "cummax")


def cummin(x: Any, dim: int) -> ValuesAndIndices:
    """The smallest element so far along an axis, and where it is."""
    return _running(_ops.cum_min, x, dim, "cummin")


def logcumsumexp(x: Any, dim: int) -> Tensor:
    """log of the running sums of exp(x) along an axis, without overflow."""
    x = as_tensor(x)
    if x.ndim == 0:
        axes_tuple(dim, 1, "logcumsumexp")
        return own_copy(x)
    return _ops.log_cum_sum_exp(x, dim)


def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
    """The k-th smallest element along an axis, counted from 1, and where it is."""
    x = as_tensor(x)
    flat = _ops.reshape(x, (1,)) if x.ndim == 0 else x
    at = one_axis(dim, flat.ndim, "kthvalue")
    if not 1 <= k <= flat.shape[at]:
        raise ValueError(f"kthvalue(): k is {k}; wanted 1 to {flat.shape[at]}")
    made = sort_with_indices(flat, at)
    place = _core.tensor([k - 1])
    parts = [_ops.gather(part, place, axis=at) for part in made]
    if not flag(keepdim, "keepdim") or x.ndim == 0:
        parts = [_ops.squeeze(part, (at,)) for part in parts]
    return ValuesAndIndices(*parts)


_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    x: Any, q: Any, dim: int | None, keepdim: bool, how: str, skip: bool, what: str
) -> Tensor:
    x = as_tensor(x)
    flag(keepdim, "keepdim")
    if how not in _BETWEEN:
        raise ValueError(f"{what}(): interpolation is {how!r}; wanted one of "
                         + ", ".join(_BETWEEN))  # fmt: skip
    if x.dtype not in (_core.float32, _core.float64):
        raise TypeError(f"{what}(): x is {x.dtype.name}; wanted float32 or float64")
    q = q if isinstance(q, Tensor) else _core.tensor(q, x.dtype)
    if q.dtype != x.dtype or q.ndim > 1:
        raise ValueError(f"{what}(): q is {q.dtype.name} of {q.ndim} axes; wanted "
                         f"{x.dtype.name}, a number or a vector")  # fmt: skip
    if not q.symbolic and not bool(_ops.all_of(_ops.logical_and(
            _ops.greater_equal(q, 0), _ops.less_equal(q, 1)))):  # fmt: skip
        raise ValueError(f"{what}(): q is {q.tolist()}; wanted numbers from 0 to 1")
    axes = x.ndim
    flat = ravel(x) if dim is None or axes == 0 else x
    at = one_axis(0 if dim is None else dim, flat.ndim, what)
    line = _ops.sort(moveaxis(flat, at, -1), -1, False)
    made = _at_ranks(line, q, how, skip)  # [..., q]
    if keepdim:
        shape = [1] * axes if dim is None else [
            1 if a == at else n for a, n in enumerate(x.shape)]  # fmt: skip
        made = _ops.reshape(moveaxis(made, -1, 0), (made.shape[-1], *shape))
    else:
        made = moveaxis(made, -1, 0)
    return _ops.squeeze(made, (0,)) if q.ndim == 0 else made


def _at_ranks(line: Tensor, q: Tensor, how: str, skip: bool) -> Tensor:
    """Between the elements next to each rank; NaN are at the end of a line."""
    nans = _ops.cast(_ops.isnan(line), _core.int64)
    missing = _ops.sum(nans, (-1,), True)
    n = line.shape[-1]
    counted = missing if skip else _ops.zeros_like(missing)
    last = _ops.cast(_ops.sub(n - 1, counted), q.dtype)
    rank = _ops.mul(_ops.reshape(q, (-1,)), _ops.maximum(last, 0))
    if not skip:  # one of them is the quantile
        rank = _ops.where(_ops.greater(missing, 0), last, rank)
    if how in ("lower", "higher", "nearest"):
        how_rounds = {"lower": _ops.floor, "higher": _ops.ceil, "nearest": _ops.round}
        return _picked(line, how_rounds[how](rank))
    below, above = _ops.floor(rank), _ops.ceil(rank)
    part = _ops.sub(rank, below) if how == "linear" else _ops.mul(
        _ops.cast(_ops.greater(above, below), q.dtype), 0.5)  # fmt: skip
    return _ops.lerp(_picked(line, below), _picked(line, above), part)


def _picked(line: Tensor, rank: Tensor) -> Tensor:
    return _ops.take_along(line, _ops.cast(rank, _core.int64), axis=-1)


def quantile(
    x: Any, q: Any, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Tensor:  # fmt: skip
    """The elements that parts q of all, or of those along an axis, are below."""
    return _quantile(x, q, dim, keepdim, interpolation, False, "quantile")


def nanquantile(
    x: Any, q: Any, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Tensor:  # fmt: skip
    """quantile of what is not NaN."""
    return _quantile(x, q, dim, keepdim, interpolation, True, "nanquantile")


def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:  # fmt: skip
    """Whether each element is among others; invert=True: is not."""
    flags(assume_unique=assume_unique, invert=invert)
    x, others = as_tensor(elements), ravel(test_elements)
    kind = _core.promote_types(x.dtype, others.dtype)
    count = others.shape[0]
    if kind.is_complex or kind == _core.bool or count in (0, None):
        same = _ops.equal(_ops.expand_dims(x, -1), others)
        found = _ops.any_of(same, (-1,), False)
    else:
        x, line = _ops.cast(x, kind), _ops.sort(_ops.cast(others, kind), 0, False)
        place = _ops.minimum(_ops.search_sorted(line, x, right=False), count - 1)
        found = _ops.equal(_ops.gather(line, place), x)
    return _ops.logical_not(found) if invert else found


def bucketize(
    x: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which of the sorted boundaries each element is."""
    flag(out_int32, "out_int32")
    made = searchsorted(boundaries, as_tensor(x), right=right)
    return _ops.cast(made, _core.int32) if out_int32 else made


def histc(x: Any, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of `bins` parts from min to max.

    Of min = max = 0 from the smallest to the largest; what is outside is not counted.
    """
    x, bins = ravel(x), whole(bins, "bins")
    if bins < 1:
        raise ValueError(f"histc(): bins is {bins}; wanted 1 or more")
    if max < min:
        raise ValueError(f"histc(): min is {min} and max {max}; wanted max above min")
    low, high = _core.tensor(float(min), x.dtype), _core.tensor(float(max), x.dtype)
    if min == max == 0 and x.numel():
        low, high = _ops.min(x, None, False), _ops.max(x, None, False)
    flat = _ops.equal(low, high)
    low, high = (_ops.where(flat, _ops.sub(low, 1), low),
                 _ops.where(flat, _ops.add(high, 1), high))  # fmt: skip
    part = _ops.floor(_ops.div(_ops.mul(_ops.sub(x, low), bins), _ops.sub(high, low)))
    part = _ops.where(_ops.equal(x, high), bins - 1, part)
    inside = _ops.logical_and(_ops.greater_equal(x, low), _ops.less_equal(x, high))
    # One more for what is outside, cut off at the end.
    places = _ops.where(inside, _ops.cast(part, _core.int64), bins)
    counts = _ops.bin_count(places, minlength=bins + 1)
    return _ops.cast(counts[:bins], x.dtype)
