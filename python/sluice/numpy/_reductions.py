"""Values made of all elements or of those along axes, numpy's arguments by place.

axis=() goes over no axis, as in numpy; at the top of the package dim=() goes over all.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import reduce, spread
from .._array.axes import axes_tuple
from .._array.math import diagonal as _diagonal
from .._array.shape import as_tensor
from .._core import Tensor
from ._arguments import floats, no_out

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
    "max",
    "mean",
    "min",
    "nanmean",
    "nansum",
    "prod",
    "ptp",
    "sum",
    "trace",
]


def sum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The sum, of all or along axes; small integers are added as int64."""
    no_out(out, "sum")
    return reduce.sum(as_tensor(a), dtype=dtype, axis=axis, keepdims=keepdims)


def prod(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The product, of all or along axes."""
    no_out(out, "prod")
    return reduce.prod(as_tensor(a), dtype=dtype, axis=axis, keepdims=keepdims)


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The mean, of all or along axes; of integers it is a float."""
    no_out(out, "mean")
    return reduce.mean(floats(a), dtype=dtype, axis=axis, keepdims=keepdims)


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of what is not NaN."""
    no_out(out, "nansum")
    return spread.nansum(as_tensor(a), dtype=dtype, axis=axis, keepdims=keepdims)


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of what is not NaN."""
    no_out(out, "nanmean")
    if dtype is not None and not _core.find_dtype(dtype).is_floating_point:
        raise TypeError(f"nanmean(): dtype is {dtype}; wanted a type of floats")
    return spread.nanmean(floats(a), dtype=dtype, axis=axis, keepdims=keepdims)


def max(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The largest element, of all or along axes."""
    no_out(out, "max")
    return reduce.amax(as_tensor(a), axis=axis, keepdims=keepdims)


def min(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The smallest element, of all or along axes."""
    no_out(out, "min")
    return reduce.amin(as_tensor(a), axis=axis, keepdims=keepdims)


amax, amin = max, min


def ptp(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """The largest element less the smallest."""
    no_out(out, "ptp")
    a = as_tensor(a)
    return _ops.sub(max(a, axis, None, keepdims), min(a, axis, None, keepdims))


def argmax(
    a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False
) -> Tensor:
    """Where the largest element is: among all, or along an axis."""
    no_out(out, "argmax")
    return reduce.argmax(as_tensor(a), axis=axis, keepdims=keepdims)


def argmin(
    a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False
) -> Tensor:
    """Where the smallest element is: among all, or along an axis."""
    no_out(out, "argmin")
    return reduce.argmin(as_tensor(a), axis=axis, keepdims=keepdims)


def any(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """Whether some element is true, that is not 0."""
    no_out(out, "any")
    return reduce.any(as_tensor(a), axis=axis, keepdims=keepdims)


def all(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, that is not 0."""
    no_out(out, "all")
    return reduce.all(as_tensor(a), axis=axis, keepdims=keepdims)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """How many elements are not 0."""
    return reduce.count_nonzero(as_tensor(a), axis=axis, keepdims=keepdims)


def cumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: None = None
) -> Tensor:
    """Running sums along an axis, or over all elements in order."""
    no_out(out, "cumsum")
    return reduce.cumsum(_line(a), axis=axis, dtype=dtype)


def cumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: None = None
) -> Tensor:
    """Running products along an axis, or over all elements in order."""
    no_out(out, "cumprod")
    return reduce.cumprod(_line(a), axis=axis, dtype=dtype)


def _line(a: Any) -> Tensor:
    """A number counts as a vector of one."""
    a = as_tensor(a)
    return _ops.reshape(a, (1,)) if a.ndim == 0 else a


def _weights_for(a: Tensor, weights: Any, axis: Any) -> Tensor:
    """Weights of the axes that are averaged over, stretched along the others."""
    weights = as_tensor(weights)
    if weights.ndim == a.ndim and weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError(
            f"average(): weights are {list(weights.shape)}, a is {list(a.shape)}; "
            "wanted one shape, or an axis"
        )
    over = axes_tuple(axis, a.ndim, "average")
    if list(weights.shape) != [a.shape[at] for at in over]:
        raise ValueError(
            f"average(): weights are {list(weights.shape)}; wanted "
            f"{[a.shape[at] for at in over]}, the sizes of axis {axis}"
        )
    # In the order that a has the axes in.
    order = sorted(range(len(over)), key=lambda i: over[i])
    weights = _ops.transpose(weights, order) if len(order) > 1 else weights
    sizes = [n if at in over else 1 for at, n in enumerate(a.shape)]
    return _ops.reshape(weights, sizes)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The mean, or that with weights; returned=True: also the sum of the weights.

    weights: one for every element, or for every place along the axes.
    """
    a = as_tensor(a)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        share = a.numel() / made.numel() if made.numel() else 0
        total = _ops.add(_ops.zeros_like(made), share)
    else:
        weights = floats(_weights_for(a, weights, axis))
        ones = _ops.cast(_ops.ones_like(a), weights.dtype)
        total = sum(_ops.mul(ones, weights), axis, keepdims=keepdims)
        if not total.symbolic and bool(_ops.any_of(_ops.equal(total, 0))):
            raise ZeroDivisionError("average(): weights add up to 0")
        made = _ops.div(sum(_ops.mul(a, weights), axis, keepdims=keepdims), total)
    return (made, total) if returned else made


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None,
    out: None = None,
) -> Tensor:  # fmt: skip
    """The sums of the diagonals of the matrices in two axes, by default the first."""
    no_out(out, "trace")
    return reduce.sum(_diagonal(as_tensor(a), offset, axis1, axis2), -1, dtype=dtype)
