"""Values made of many elements, by numpy's names and with its defaults."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import observations, order, reduce, spread
from .._array.math import is_nan
from .._array.pick import searchsorted
from .._array.shape import as_tensor, ravel, stack
from .._core import Tensor
from ._making import linspace

__all__ = [
    "cov",
    "histogram",
    "max",
    "median",
    "min",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanquantile",
    "nanstd",
    "nanvar",
    "percentile",
    "quantile",
    "std",
    "var",
]


def _floats(a: Any) -> Tensor:
    a = as_tensor(a)
    real = a.dtype.is_floating_point or a.dtype.is_complex
    return a if real else _ops.cast(a, _core.default_float())


def max(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The largest element, of all or along axes."""
    return reduce.amax(as_tensor(a), axis, keepdims)


def min(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The smallest element, of all or along axes."""
    return reduce.amin(as_tensor(a), axis, keepdims)


def std(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation: the root of the mean square, or of n - ddof."""
    return spread.std(_floats(a), axis, keepdim=keepdims, correction=ddof)


def var(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The variance: the mean square, or the sum divided by n - ddof."""
    return spread.var(_floats(a), axis, keepdim=keepdims, correction=ddof)


def quantile(
    a: Any, q: Any, axis: int | None = None, *, method: str = "linear",
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What a share q of the elements is below."""
    a = _floats(a)
    share = q if isinstance(q, float) else _ops.cast(as_tensor(q), a.dtype)
    return order.quantile(a, share, axis, keepdims, interpolation=method)


def percentile(
    a: Any, q: Any, axis: int | None = None, *, method: str = "linear",
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What q percent of the elements are below."""
    share = _ops.div(_ops.cast(as_tensor(q), _floats(a).dtype), 100)
    return quantile(a, share, axis, method=method, keepdims=keepdims)


def median(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """The element in the middle, of two such their mean."""
    return quantile(a, 0.5, axis, keepdims=keepdims)


def nanquantile(a: Any, q: Any, axis: int | None = None) -> Tensor:
    """What a share q of the elements that are not NaN is below."""
    a = _floats(a)
    share = q if isinstance(q, float) else _ops.cast(as_tensor(q), a.dtype)
    return order.nanquantile(a, share, axis)


def nanpercentile(a: Any, q: Any, axis: int | None = None) -> Tensor:
    """What q percent of the elements that are not NaN are below."""
    share = _ops.div(_ops.cast(as_tensor(q), _floats(a).dtype), 100)
    return nanquantile(a, share, axis)


def nanmedian(a: Any, axis: int | None = None) -> Tensor:
    """The element in the middle of those that are not NaN, of two such their mean."""
    return nanquantile(a, 0.5, axis)


def _instead(a: Any, value: float) -> Tensor:
    """a with another number in place of NaN."""
    a = _floats(a)
    return _ops.where(is_nan(a), value, a)


def nanmax(a: Any, axis: Any = None) -> Tensor:
    """The largest element that is not NaN."""
    return max(_instead(a, -float("inf")), axis)


def nanmin(a: Any, axis: Any = None) -> Tensor:
    """The smallest element that is not NaN."""
    return min(_instead(a, float("inf")), axis)


def nanargmax(a: Any, axis: Any = None) -> Tensor:
    """Where the largest element is that is not NaN."""
    return reduce.argmax(_instead(a, -float("inf")), axis)


def nanargmin(a: Any, axis: Any = None) -> Tensor:
    """Where the smallest element is that is not NaN."""
    return reduce.argmin(_instead(a, float("inf")), axis)


def nanvar(a: Any, axis: Any = None, *, ddof: float = 0) -> Tensor:
    """The variance of what is not NaN."""
    a = _floats(a)
    there = _ops.logical_not(is_nan(a))
    count = reduce.sum(_ops.cast(there, a.dtype), axis, True)
    mean = _ops.div(reduce.sum(_instead(a, 0.0), axis, True), count)
    off = _ops.where(there, _ops.square(_ops.sub(a, mean)), 0.0)
    whole = reduce.sum(_ops.cast(there, a.dtype), axis)
    return _ops.div(reduce.sum(off, axis), _ops.sub(whole, float(ddof)))


def nanstd(a: Any, axis: Any = None, *, ddof: float = 0) -> Tensor:
    """The standard deviation of what is not NaN."""
    return _ops.sqrt(nanvar(a, axis, ddof=ddof))


def cov(m: Any, y: Any = None, *, ddof: int = 1) -> Tensor:
    """The covariances of variables, one a row; y is another one."""
    rows = _floats(m)
    if y is not None:
        rows = stack([ravel(rows), ravel(_floats(y))])
    return observations.cov(rows, correction=ddof)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, *, weights: Any = None
) -> tuple[Tensor, Tensor]:
    """How many elements are between borders, the last included, and the borders."""
    a = ravel(_floats(a))
    if isinstance(bins, int):
        ends = range or (float(max(a)), float(min(a)))[::-1]
        if ends[0] == ends[1]:
            ends = (ends[0] - 0.5, ends[1] + 0.5)
        edges = linspace(ends[0], ends[1], bins + 1)
    else:
        edges = as_tensor(bins)
    last = edges[-1]
    inside = _ops.logical_and(_ops.greater_equal(a, edges[0]), _ops.less_equal(a, last))
    kept = a[inside]
    place = searchsorted(edges, _ops.cast(kept, edges.dtype), right=True)
    count = int(edges.shape[0]) - 1
    place = _ops.minimum(_ops.sub(place, 1), count - 1)
    if weights is None:
        return _ops.bin_count(place, minlength=count), edges
    given = ravel(_floats(weights))[inside]
    return _ops.bin_count(place, given, minlength=count), edges
