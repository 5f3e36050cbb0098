"""Values made of the elements where a mask is true, by the names of torch.masked.

Elements where the mask is false count for nothing: of none at all a sum is 0, a
product 1, a largest element minus infinity, a mean NaN. mask=None: all count.
"""

from __future__ import annotations

from typing import Any

from . import _core, _ops
from ._array import layers, reduce, spread
from ._array.axes import axes_tuple, flag
from ._array.math import logaddexp as _logaddexp
from ._array.shape import as_tensor
from ._array.types import iinfo
from ._core import Tensor

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_INF = float("inf")


def _kept(x: Any, mask: Any, value: Any, dtype: Any = None) -> Tensor:
    """x, of another type on request, with a value where the mask is false."""
    x = as_tensor(x) if dtype is None else _ops.cast(as_tensor(x), dtype)
    if mask is None:
        return x
    mask = as_tensor(mask)
    if mask.dtype != _core.bool:
        raise TypeError(f"mask is {mask.dtype.name}; wanted bools")
    # Sizes that are open are compared when they are known.
    known = not (x.symbolic or mask.symbolic)
    if mask.ndim > x.ndim or known and any(
        m not in (1, n) for n, m in zip(x.shape[::-1], mask.shape[::-1])
    ):
        raise ValueError(
            f"mask is {list(mask.shape)}, x {list(x.shape)}; wanted a mask that "
            "broadcasts to x"
        )
    return _ops.where(mask, x, _core.value_as(value, x.dtype, "mask"))


def _least(x: Any, low: bool) -> Any:
    """What is below, or above, all others of the type."""
    x = as_tensor(x)
    if x.dtype.is_floating_point:
        return -_INF if low else _INF
    if x.dtype == _core.bool:
        return not low
    return iinfo(x.dtype).min if low else iinfo(x.dtype).max


def _floats(x: Any, dtype: Any = None, what: str = "") -> Tensor:
    x = reduce.as_floats(x, dtype, what)
    real = x.dtype.is_floating_point or x.dtype.is_complex
    return x if real else _ops.cast(x, _core.float32)


def sum(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
        mask: Any = None) -> Tensor:  # fmt: skip
    """The sum of the elements that count."""
    return reduce.sum(_kept(x, mask, 0, dtype), dim, keepdim, dtype=dtype)


def prod(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Tensor:  # fmt: skip
    """The product of the elements that count, over one axis, several or all."""
    made = _kept(x, mask, 1, dtype)
    every = range(made.ndim) if dim is None or dim == () else axes_tuple(
        dim, max(made.ndim, 1), "prod")  # fmt: skip
    for at in sorted(every, reverse=True):
        made = reduce.prod(made, at, keepdim)
    return made if made.dtype.is_floating_point else reduce.widened(made, dtype)


def _its_own(x: Any) -> Any:
    """The type of running sums and products; truths add up as whole numbers."""
    dtype = as_tensor(x).dtype
    return None if dtype == _core.bool else dtype


def cumsum(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Running sums of the elements that count."""
    dtype = _its_own(x) if dtype is None else dtype
    return reduce.cumsum(_kept(x, mask, 0, dtype), dim, dtype=dtype)


def cumprod(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Running products of the elements that count."""
    dtype = _its_own(x) if dtype is None else dtype
    return reduce.cumprod(_kept(x, mask, 1, dtype), dim, dtype=dtype)


def amax(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Tensor:  # fmt: skip
    """The largest element that counts."""
    x = as_tensor(x) if dtype is None else _ops.cast(as_tensor(x), dtype)
    return reduce.amax(_kept(x, mask, _least(x, True)), _axes(dim), keepdim)


def amin(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Tensor:  # fmt: skip
    """The smallest element that counts."""
    x = as_tensor(x) if dtype is None else _ops.cast(as_tensor(x), dtype)
    return reduce.amin(_kept(x, mask, _least(x, False)), _axes(dim), keepdim)


def _axes(dim: Any) -> Any:
    return () if dim is None else dim


def argmax(x: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Tensor:  # fmt: skip
    """Where the largest element is that counts."""
    x = as_tensor(x) if dtype is None else _ops.cast(as_tensor(x), dtype)
    return reduce.argmax(_kept(x, mask, _least(x, True)), dim, keepdim)


def argmin(x: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Tensor:  # fmt: skip
    """Where the smallest element is that counts."""
    x = as_tensor(x) if dtype is None else _ops.cast(as_tensor(x), dtype)
    return reduce.argmin(_kept(x, mask, _least(x, False)), dim, keepdim)


def _count(x: Tensor, mask: Any, dim: Any, keepdim: bool) -> Tensor:
    """How many elements count."""
    ones = _ops.ones_like(_ops.stop_gradient(x))
    return reduce.sum(_kept(ones, mask, 0), dim, keepdim)


def mean(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Tensor:  # fmt: skip
    """The mean of the elements that count."""
    x = _floats(x, dtype, "mean")
    total = sum(x, dim, keepdim=keepdim, mask=mask)
    return _ops.div(total, _count(x, mask, dim, keepdim))


def median(x: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Tensor:  # fmt: skip
    """The element in the middle of those that count, of two such the lower."""
    x = _kept(_floats(x), mask, float("nan"), dtype)
    made: Tensor = spread.nanmedian(x, dim, keepdim).values
    return made


def norm(x: Any, ord: float = 2.0, dim: Any = None, *, keepdim: bool = False,
         dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """The norm of the elements that count."""
    aside = _INF if ord == -_INF else 0
    x = _kept(reduce.as_floats(x, dtype, "norm"), mask, aside)
    if dim is not None and x.ndim == 0:
        axes_tuple(dim, 1, "norm")
    over = None if dim is None or dim == () or x.ndim == 0 else dim
    return _ops.norm(x, over, keepdim, p=float(2.0 if ord is None else ord))


def var(
    x: Any, dim: Any = None, unbiased: bool | None = None, *,
    correction: float | None = None, keepdim: bool = False, dtype: Any = None,
    mask: Any = None,
) -> Tensor:  # fmt: skip
    """The variance of the elements that count, over one less of them by default."""
    if unbiased is not None and correction is not None:
        raise TypeError("unbiased and correction mean the same; wanted one of them")
    less = 1.0 if correction is None else float(correction)
    less = less if unbiased is None else float(flag(unbiased, "unbiased"))
    x = _floats(x, dtype, "var")
    middle = mean(x, dim, keepdim=True, mask=mask)
    total = sum(_ops.square(_ops.sub(x, middle)), dim, keepdim=keepdim, mask=mask)
    count = _ops.maximum(_ops.sub(_count(x, mask, dim, keepdim), less), 0.0)
    return _ops.div(total, count)


def std(
    x: Any, dim: Any = None, unbiased: bool | None = None, *,
    correction: float | None = None, keepdim: bool = False, dtype: Any = None,
    mask: Any = None,
) -> Tensor:  # fmt: skip
    """The standard deviation of the elements that count."""
    return _ops.sqrt(var(x, dim, unbiased, correction=correction, keepdim=keepdim,
                         dtype=dtype, mask=mask))  # fmt: skip


def softmax(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """softmax of the elements that count; 0 for the others, NaN where none counts."""
    return layers.softmax(_kept(_floats(x, dtype, "softmax"), mask, -_INF), dim)


def log_softmax(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """The logarithm of softmax."""
    x = _kept(_floats(x, dtype, "log_softmax"), mask, -_INF)
    return layers.log_softmax(x, dim)


def softmin(x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """softmax of the negatives."""
    x = _kept(_floats(x, dtype, "softmin"), mask, _INF)
    return layers.softmax(_ops.neg(x), dim)


def normalize(x: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None,
              mask: Any = None) -> Tensor:  # fmt: skip
    """The elements divided by the norm of those that count, the others 0."""
    size = norm(x, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _ops.div(_kept(x, mask, 0, dtype), _ops.maximum(size, eps))


def logsumexp(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
              mask: Any = None) -> Tensor:  # fmt: skip
    """log(sum(exp(x))) of the elements that count."""
    x = _kept(_floats(x, dtype, "logsumexp"), mask, -_INF)
    return reduce.logsumexp(x, dim, keepdim)


def logaddexp(
    x: Any, other: Any, *, dtype: Any = None, input_mask: Any = None,
    other_mask: Any = None,
) -> Tensor:  # fmt: skip
    """log(exp(x) + exp(other)), where each counts."""
    x = reduce.as_floats(x, dtype, "logaddexp")
    other = reduce.as_floats(other, dtype, "logaddexp")
    return _logaddexp(_kept(x, input_mask, -_INF), _kept(other, other_mask, -_INF))
