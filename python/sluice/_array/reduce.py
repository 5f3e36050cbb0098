"""Sums, extremes and other values made of all elements, or of those along axes.

By place and as dim= and keepdim= arguments are PyTorch's: max(x, 1) is a pair of
values and indices, sum(x, dim=()) goes over all axes, all(x, dim=()) over none.
axis= and keepdims= are numpy's: max(x, axis=1) is values, sum(x, axis=()) goes over
none. Functions of one axis refuse () by either name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, axes_tuple, flag, not_several
from .device import beside
from .shape import as_tensor, own_copy

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
    "min",
    "prod",
    "ptp",
    "sum",
]


class ValuesAndIndices(NamedTuple):
    """Elements, and where they are along the axis."""

    values: Tensor
    indices: Tensor


_F = TypeVar("_F", bound=Callable[..., Any])


def fast(op: Any, *names: str, places: int = 3) -> Callable[[_F], _F]:
    """The op itself serves for tensors of floats with plain arguments."""
    allowed = names or ("axis", "dim", "keepdims", "keepdim")

    def with_fast(slow: _F) -> _F:
        return cast(_F, _core.fast_path(op, slow, allowed, places))

    return with_fast


_SMALL = frozenset("bool int8 int16 int32 uint8 uint16 uint32".split())


class Axes(NamedTuple):
    """What to reduce over."""

    over: Any  # as ops take it: None for all
    keep: bool
    nothing: bool  # numpy's axis=(): every element by itself


def axes_of(
    x: Any, dim: Any, keepdim: Any, axis: Any = NOTHING, keepdims: Any = NOTHING
) -> Axes:
    if axis is not NOTHING and dim is not None and axis is not None:
        raise TypeError("axis and dim mean the same; wanted only one of them")
    keep = flag(keepdim, "keepdim")
    if keepdims is not NOTHING:
        keep = flag(keepdims, "keepdims") or keep
    given = dim if axis is NOTHING or axis is None else axis
    if isinstance(given, (tuple, list)) and not given:
        return Axes(None, keep, axis is not NOTHING)
    if given is not None and isinstance(x, Tensor) and x.ndim == 0:
        # PyTorch lets an element without axes have one of its own.
        axes_tuple(given, 1, "reduction")
        return Axes(None, keep, False)
    return Axes(given, keep, False)


def along_one(
    x: Any, dim: Any, keepdim: Any, axis: Any, keepdims: Any, what: str
) -> Axes:
    """The same for what goes along one axis, or over all elements in order."""
    for given in (dim, axis):
        not_several(given, what)
    return axes_of(x, dim, keepdim, axis, keepdims)


def over(op: Any, x: Any, axes: Axes) -> Tensor:
    if axes.nothing:
        return own_copy(as_tensor(x))
    return op(x, axes.over, axes.keep)


def widened(x: Any, dtype: Any) -> Any:
    """Small integers are added up in 64 bits, as numpy and PyTorch do."""
    if dtype is not None:
        return _ops.cast(x, dtype)
    x = as_tensor(x)
    return _ops.cast(x, _core.int64) if x.dtype.name in _SMALL else x


def as_floats(x: Any, dtype: Any, what: str) -> Tensor:
    """x in the type that was asked for, which has fractions: cut off before, they
    would be missing in a result that is no whole number."""
    if dtype is None:
        return as_tensor(x)
    x = _ops.cast(x, dtype)
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise TypeError(f"{what}(): dtype is {x.dtype}; wanted a type of floats")
    return x


def _as_asked(made: Tensor, dtype: Any) -> Tensor:
    """Bools that were computed as integers are bools again."""
    if dtype is None or made.dtype == _core.find_dtype(dtype):
        return made
    return _ops.cast(made, dtype)


@fast(_ops.sum)
def sum(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The sum over all elements or some axes; small integers are added as int64."""
    x = widened(x, dtype)
    made = over(_ops.sum, x, axes_of(x, dim, keepdim, axis, keepdims))
    return _as_asked(made, dtype)


@fast(_ops.prod)
def prod(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The product over all elements or some axes."""
    _some_axes(dim, "prod")
    x = widened(x, dtype)
    made = over(_ops.prod, x, axes_of(x, dim, keepdim, axis, keepdims))
    return _as_asked(made, dtype)


@fast(_ops.mean)
def mean(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The mean over all elements or some axes; of integers it is a float."""
    x = as_floats(x, dtype, "mean")
    return over(_ops.mean, x, axes_of(x, dim, keepdim, axis, keepdims))


def average(x: Any, axis: Any = None, weights: Any = None) -> Tensor:
    """The mean, or that with weights."""
    if weights is None:
        return mean(x, axis=axis)
    ones = _ops.ones_like(as_tensor(x))
    return _ops.div(
        sum(_ops.mul(x, weights), axis=axis), sum(_ops.mul(ones, weights), axis=axis)
    )


def _as_bool(x: Tensor, made: Tensor) -> Tensor:
    if x.dtype == _core.bool and made.dtype != x.dtype:
        return _ops.cast(made, x.dtype)
    return made


def with_indices(arg: Any, x: Any, dim: int, keep: bool) -> Any:
    """As PyTorch has it: the values along one axis, and where they are."""
    x = as_tensor(x)
    if x.ndim == 0:
        axes_tuple(dim, 1, "max")
        return ValuesAndIndices(x + 0 if x.dtype != _core.bool else x | x,
                                beside(x, _core.tensor(0)))  # fmt: skip
    indices = arg(x, dim, True)
    values = _as_bool(x, _ops.take_along(x, indices, axis=dim))
    if not keep:
        values = _ops.squeeze(values, (dim,))
        indices = _ops.squeeze(indices, (dim,))
    return ValuesAndIndices(values, indices)


def _some_axes(dim: Any, what: str) -> None:
    """TypeError for dim=() of functions that PyTorch lets go along one axis."""
    if isinstance(dim, (tuple, list)) and not dim:
        raise TypeError(f"{what}(): dim is {dim!r}; wanted an axis")


def _extreme(
    op: Any, arg: Any, other: Any, x: Any, dim: Any, keep: bool, axis: Any,
    keepdims: Any,
) -> Any:  # fmt: skip
    if isinstance(dim, Tensor):
        return other(x, dim)
    x = as_tensor(x)
    if dim is not None and not isinstance(dim, int):
        _some_axes(dim, op.__name__)
    axes = axes_of(x, dim, keep, axis, keepdims)
    if axis is NOTHING and dim is not None and not isinstance(dim, (tuple, list)):
        return with_indices(arg, x, dim, axes.keep)
    return _as_bool(x, over(op, x, axes))


@fast(_ops.max, "axis", "keepdims", places=1)
def max(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Any:
    """The largest element of all, or (values, indices) along dim, as PyTorch has it.

    axis= gives the values along axes, as numpy does; max(a, b) is maximum(a, b).
    """
    return _extreme(_ops.max, _ops.argmax, _ops.maximum, x, dim, keepdim, axis,
                    keepdims)  # fmt: skip


@fast(_ops.min, "axis", "keepdims", places=1)
def min(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Any:
    """The smallest element of all; dim, axis= and other tensors as for max."""
    return _extreme(_ops.min, _ops.argmin, _ops.minimum, x, dim, keepdim, axis,
                    keepdims)  # fmt: skip


@fast(_ops.max)
def amax(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The largest elements over some axes."""
    x = as_tensor(x)
    return _as_bool(x, over(_ops.max, x, axes_of(x, dim, keepdim, axis, keepdims)))


@fast(_ops.min)
def amin(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The smallest elements over some axes."""
    x = as_tensor(x)
    return _as_bool(x, over(_ops.min, x, axes_of(x, dim, keepdim, axis, keepdims)))


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest element less the smallest."""
    largest = amax(x, axis=axis, keepdims=keepdims)
    return _ops.sub(largest, amin(x, axis=axis, keepdims=keepdims))


def _place(op: Any, x: Any, axes: Axes) -> Tensor:
    x = as_tensor(x)
    if axes.over is not None:
        return op(x, axes.over, axes.keep)
    made = op(_ops.reshape(x, (-1,)), 0, False)
    return _ops.reshape(made, (1,) * x.ndim) if axes.keep else made


def argmax(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """Where the largest element is: among all, or along an axis."""
    x = as_tensor(x)
    axes = along_one(x, dim, keepdim, axis, keepdims, "argmax")
    return _place(_ops.argmax, x, axes)


def argmin(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """Where the smallest element is: among all, or along an axis."""
    x = as_tensor(x)
    axes = along_one(x, dim, keepdim, axis, keepdims, "argmin")
    return _place(_ops.argmin, x, axes)


def truth(x: Any) -> Any:
    """Elements as bools: whether they are not 0."""
    x = as_tensor(x)
    return x if x.dtype == _core.bool else _ops.not_equal(x, 0)


def _or_none(x: Any, dim: Any, keepdim: Any, axis: Any, keepdims: Any) -> Axes:
    """For any() and all(), which PyTorch lets go over no axis with dim=()."""
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    empty = isinstance(dim, (tuple, list)) and not dim
    return axes._replace(nothing=True) if empty else axes


def any(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """Whether some element is true, that is not 0."""
    x = as_tensor(x)
    return over(_ops.any_of, truth(x), _or_none(x, dim, keepdim, axis, keepdims))


def all(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """Whether all elements are true, that is not 0."""
    x = as_tensor(x)
    return over(_ops.all_of, truth(x), _or_none(x, dim, keepdim, axis, keepdims))


def count_nonzero(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """How many elements are not 0."""
    x = as_tensor(x)
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    if axes.nothing:
        return _ops.cast(truth(x), _core.int64)
    return over(_ops.count_non_zero, x, axes)


def logsumexp(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """log(sum(exp(x))), without overflow on the way."""
    x = as_tensor(x)
    return over(_ops.log_sum_exp, x, axes_of(x, dim, keepdim, axis, keepdims))


def _running(op: Any, x: Any, dim: Any, dtype: Any, axis: Any) -> Tensor:
    x = widened(x, dtype)
    along = along_one(x, dim, False, axis, NOTHING, op.__name__).over
    if x.ndim == 0:
        return _as_asked(op(_ops.reshape(x, (1,)), 0)[0], dtype)
    if along is None:
        x, along = _ops.reshape(x, (-1,)), 0
    return _as_asked(op(x, along), dtype)


def cumsum(
    x: Any, dim: Any = None, *, dtype: Any = None, axis: Any = NOTHING
) -> Tensor:
    """Running sums along an axis, or over all elements in order."""
    return _running(_ops.cumsum, x, dim, dtype, axis)


def cumprod(
    x: Any, dim: Any = None, *, dtype: Any = None, axis: Any = NOTHING
) -> Tensor:
    """Running products along an axis, or over all elements in order."""
    return _running(_ops.cumprod, x, dim, dtype, axis)


def cumulative_sum(
    x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running sums, with a 0 before them on request: the array API's cumsum."""
    made = cumsum(x, axis, dtype=dtype)
    if not include_initial:
        return made
    at = 0 if axis is None else axis
    zero = _ops.zeros_like(_ops.gather(made, [0], axis=at))
    return _ops.concat([zero, made], axis=at)
