"""How elements spread, what is in their middle, how long they are as vectors.

Arguments by place and as dim= are PyTorch's, axis= numpy's (reduce.py).
"""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, flag, not_several
from .math import is_nan
from .reduce import Axes, ValuesAndIndices, as_floats, axes_of, fast, over, sum
from .shape import as_tensor, own_copy

__all__ = [
    "median",
    "nanmean",
    "nanmedian",
    "nansum",
    "norm",
    "std",
    "std_mean",
    "var",
    "var_mean",
]


def _asked(
    x: Any, dim: Any, unbiased: Any, keepdim: bool, axis: Any, keepdims: Any
) -> tuple[Tensor, Axes, Any]:
    # torch.std(x, unbiased) by place: a bool is no axis.
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        flag(unbiased, "unbiased")
    x = as_tensor(x)
    return x, axes_of(x, dim, keepdim, axis, keepdims), unbiased


def _spread(
    op: Any, x: Any, axes: Axes, correction: Any, ddof: Any, unbiased: Any
) -> Tensor:
    given = correction if ddof is None else ddof
    how = (1 if unbiased else 0) if unbiased is not None else given
    how = 1 if how is None else how
    if axes.nothing:
        raise ValueError("axis names no axes; wanted some, or None for all")
    x = as_tensor(x)
    if how > 1 and None not in (x.shape or (None,)):
        # Over nothing that is left it is infinite, as in PyTorch and numpy.
        plain = _ops.var(x, axes.over, axes.keep, correction=0)
        if plain.numel() and x.numel() <= how * plain.numel():
            made = _ops.div(plain, 0.0)
            return made if op is _ops.var else _ops.sqrt(made)
    if how == int(how):
        return op(x, axes.over, axes.keep, correction=int(how))
    # Divided by the count less a fraction.
    x = as_tensor(x)
    plain = _ops.var(x, axes.over, axes.keep, correction=0)
    if plain.symbolic and None in (x.shape or (None,)):
        raise ValueError(f"correction is {how}; wanted a whole number, "
                         "or a tensor of known shape")  # fmt: skip
    n = x.numel() / plain.numel() if plain.numel() else 0
    made = _ops.mul(plain, n / (n - how) if n > how else float("inf"))
    return made if op is _ops.var else _ops.sqrt(made)


@fast(_ops.std, places=2)
def std(
    x: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The standard deviation. By default that of a sample, correction=1."""
    x, axes, unbiased = _asked(x, dim, unbiased, keepdim, axis, keepdims)
    return _spread(_ops.std, x, axes, correction, ddof, unbiased)


@fast(_ops.var, places=2)
def var(
    x: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The variance. By default that of a sample, correction=1."""
    x, axes, unbiased = _asked(x, dim, unbiased, keepdim, axis, keepdims)
    return _spread(_ops.var, x, axes, correction, ddof, unbiased)


def var_mean(
    x: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Any:
    """Variance and mean."""
    x, axes, unbiased = _asked(x, dim, unbiased, keepdim, axis, keepdims)
    return (_spread(_ops.var, x, axes, correction, None, unbiased),
            over(_ops.mean, x, axes))  # fmt: skip


def std_mean(
    x: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Any:
    """Standard deviation and mean."""
    x, axes, unbiased = _asked(x, dim, unbiased, keepdim, axis, keepdims)
    return (_spread(_ops.std, x, axes, correction, None, unbiased),
            over(_ops.mean, x, axes))  # fmt: skip


def _without_nan(x: Tensor) -> Tensor:
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        return x
    return _ops.where(is_nan(x), 0, x)


def nansum(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The sum of what is not NaN."""
    x = _without_nan(as_tensor(x))
    return sum(x, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)


def nanmean(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The mean of what is not NaN."""
    x = as_floats(x, dtype, "nanmean")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = _ops.cast(x, _core.default_float())  # as mean() has it
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    there = _ops.cast(_ops.logical_not(is_nan(x)), x.dtype)
    return _ops.div(
        over(_ops.sum, _without_nan(x), axes), over(_ops.sum, there, axes)
    )


def _middle(
    x: Any, dim: Any, keep: bool, axis: Any, skip_nan: bool, what: str
) -> Any:
    x = as_tensor(x)
    pair = axis is NOTHING and dim is not None
    not_several(dim, what)
    axes = axes_of(x, dim, keep, axis)
    if axes.nothing:
        return own_copy(x)
    along = axes.over
    if along is None:
        x, along = _ops.reshape(x, (-1,)), 0
    order = _ops.arg_sort(x, along)
    size = order.shape[along]
    nans = _ops.isnan(x) if x.dtype.is_floating_point else None
    if skip_nan and nans is not None:
        there = _ops.sum(_ops.cast(_ops.logical_not(nans), _core.int64), along, True)
        middle = _ops.maximum(_ops.floor_div(_ops.sub(there, 1), 2), 0)
        indices = _ops.take_along(order, middle, axis=along)
    else:
        indices = _ops.gather(order, [(size - 1) // 2], axis=along)
        if nans is not None:
            # One of them makes the median NaN.
            some = _ops.any_of(nans, along, True)
            first = _ops.argmax(_ops.cast(nans, _core.int32), along, True)
            indices = _ops.where(some, _ops.cast(first, indices.dtype), indices)
    values = _ops.take_along(x, indices, axis=along)
    if not axes.keep or axes.over is None:
        values = _ops.squeeze(values, (along,))
        indices = _ops.squeeze(indices, (along,))
    return ValuesAndIndices(values, indices) if pair else values


def median(
    x: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Any:
    """The element in the middle: of two such the lower, NaN if one is there.

    dim gives (values, indices) along one axis, axis= the values.
    """
    keep = flag(keepdim, "keepdim")
    if keepdims is not NOTHING:
        keep = flag(keepdims, "keepdims") or keep
    return _middle(x, dim, keep, axis, False, "median")


def nanmedian(
    x: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = NOTHING
) -> Any:
    """The element in the middle of those that are not NaN; dim and axis= as median."""
    return _middle(x, dim, flag(keepdim, "keepdim"), axis, True, "nanmedian")


def norm(
    x: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The p-norm over all elements or some axes; "fro" is p = 2, "nuc" of matrices."""
    x = as_floats(x, dtype, "norm")
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    if axes.nothing:
        raise ValueError("norm(): axis names no axes; wanted some, or None for all")
    if p == "nuc":
        from ..linalg import matrix_norm

        over_two = (-2, -1) if axes.over is None else axes.over
        return matrix_norm(x, "nuc", over_two, axes.keep)
    if isinstance(p, str) and p != "fro":
        raise ValueError(f"norm(): p is {p!r}; wanted a number, fro or nuc")
    p = 2.0 if p is None or p == "fro" else float(p)
    return _ops.norm(x, axes.over, axes.keep, p=p)
