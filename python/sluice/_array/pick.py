"""Elements picked by index, mask or order, and put back."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, one_of
from .reduce import ValuesAndIndices, truth
from .shape import as_tensor, ravel

__all__ = [
    "argsort",
    "argwhere",
    "gather",
    "index_select",
    "masked_fill",
    "nonzero",
    "scatter",
    "scatter_add",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
    "take_along_dim",
    "topk",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]


def _counted(indices: Any, size: Any) -> Tensor:
    """Indices from 0 on; negative ones count from the end."""
    indices = as_tensor(indices)
    if size is None:
        return indices
    return _ops.where(_ops.less(indices, 0), _ops.add(indices, size), indices)


def where(cond: Any, a: Any = NOTHING, b: Any = NOTHING) -> Any:
    """a where cond is true, else b; where(cond) is nonzero(cond, as_tuple=True)."""
    if a is NOTHING and b is NOTHING:
        return nonzero(cond, as_tuple=True)
    if a is NOTHING or b is NOTHING:
        raise TypeError("where(): wanted cond alone, or cond, a and b")
    return _ops.where(truth(cond), a, b)


def nonzero(x: Any, *, as_tuple: bool = False) -> Any:
    """Where elements are not 0: one row of indices each, or a vector per axis."""
    rows = _ops.non_zero(as_tensor(x))
    if not as_tuple:
        return rows
    ndim = as_tensor(x).ndim
    if ndim == 0:
        return (_ops.reshape(rows, (-1,)),)
    return tuple(rows[:, i] for i in range(ndim))


def argwhere(x: Any) -> Tensor:
    """Where elements are not 0: one row of indices each."""
    return nonzero(x)


def masked_fill(x: Any, mask: Any, value: Any) -> Tensor:
    """value where the mask is true, else x."""
    x = as_tensor(x)
    return _ops.masked_fill(x, truth(mask), _ops.cast(value, x.dtype))


def take(x: Any, indices: Any, axis: Any = None, *, dim: Any = NOTHING) -> Tensor:
    """Slices along an axis, or elements of all, at these indices."""
    axis = one_of(axis, dim)
    if axis is None:
        x, axis = ravel(x), 0
    x = as_tensor(x)
    before = (slice(None),) * (axis if axis >= 0 else axis + x.ndim)
    return x[(*before, as_tensor(indices))]


def index_select(x: Any, dim: int, index: Any) -> Tensor:
    """Slices along an axis at a vector of indices."""
    return take(x, index, dim)


def take_along_axis(
    x: Any, indices: Any, axis: Any = -1, *, dim: Any = NOTHING
) -> Tensor:
    """Elements along an axis, others at the same place: what argsort gives, used."""
    axis = one_of(axis, dim, -1)
    x = as_tensor(x)
    if axis is None:
        x, indices, axis = ravel(x), ravel(indices), 0
    size = x.shape[axis] if x.ndim > 0 else None
    return _ops.take_along(x, _counted(indices, size), axis=axis)


take_along_dim = take_along_axis


def gather(x: Any, dim: Any = NOTHING, index: Any = NOTHING, *,
           indices: Any = NOTHING, axis: Any = NOTHING) -> Tensor:  # fmt: skip
    """gather(x, dim, index) as PyTorch has it: take_along_axis.

    gather(x, indices, axis=0) picks whole slices, as TensorFlow has it.
    """
    if indices is NOTHING and (isinstance(dim, int) or index is not NOTHING):
        if index is NOTHING:
            raise TypeError("gather(): lacks its argument index")
        if isinstance(index, int) and not isinstance(dim, int):
            return _ops.gather(x, dim, axis=index)  # (params, indices, axis)
        return _ops.take_along(x, index, axis=one_of(axis, dim))
    if indices is NOTHING:
        indices = dim
    if indices is NOTHING:
        raise TypeError("gather(): lacks its argument index")
    return _ops.gather(x, indices, axis=one_of(axis, NOTHING, 0))


def _spread(values: Any, index: Any, like: Tensor) -> Any:
    """A number put at all places; a tensor cut to the index's shape."""
    if isinstance(values, Tensor) and values.ndim > 0:
        if not values.symbolic and values.shape != as_tensor(index).shape:
            return values[tuple(slice(n) for n in as_tensor(index).shape)]
        return values
    value = _ops.cast(values, like.dtype)
    return _ops.broadcast_to(value, _ops.shape(index) if as_tensor(index).symbolic
                             else as_tensor(index).shape)  # fmt: skip


_MODES = {None: "update", "sum": "add", "add": "add", "prod": "mul",
          "multiply": "mul", "amax": "max", "amin": "min"}  # fmt: skip


def scatter(
    x: Any, dim: int, index: Any, src: Any = NOTHING, *, value: Any = NOTHING,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """x with src put in along an axis, where index says; or added, multiplied."""
    x = as_tensor(x)
    given = src if value is NOTHING else value
    if given is NOTHING:
        raise TypeError("scatter(): lacks its argument src")
    if reduce not in _MODES:
        raise ValueError(f"scatter(): reduce is {reduce!r}; wanted one of "
                         + ", ".join(k for k in _MODES if k))  # fmt: skip
    return _ops.put_along(
        x, index, _spread(given, index, x), axis=dim, mode=_MODES[reduce]
    )


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Tensor:
    """x with src added along an axis, where index says."""
    return scatter(x, dim, index, src, reduce="add")


def sort(
    x: Any,
    axis: Any = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    dim: Any = NOTHING,
) -> Any:
    """In order along an axis; equal elements keep theirs.

    dim= gives (values, indices), as PyTorch does.
    """
    if dim is not NOTHING:
        return sort_with_indices(x, dim, descending)
    if axis is None:
        x, axis = ravel(x), 0
    return _ops.sort(x, axis, descending)


def sort_with_indices(x: Any, dim: int = -1, descending: bool = False) -> Any:
    """In order along an axis, and where the elements were."""
    order = _ops.arg_sort(x, dim, descending)
    return ValuesAndIndices(_ops.take_along(x, order, axis=dim), order)


def argsort(
    x: Any,
    axis: Any = -1,
    descending: bool = False,
    *,
    stable: bool = True,
    dim: Any = NOTHING,
) -> Tensor:
    """The indices along an axis that put x in order."""
    axis = one_of(axis, dim, -1)
    if axis is None:
        x, axis = ravel(x), 0
    return _ops.arg_sort(x, axis, descending)


def topk(
    x: Any,
    k: int,
    dim: Any = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    axis: Any = NOTHING,
) -> ValuesAndIndices:
    """The k largest (or smallest) elements along an axis, and where they are."""
    axis = one_of(axis, dim if axis is NOTHING else NOTHING, -1)
    made = _ops.top_k(x, k, axis=axis, largest=largest, sorted=sorted)
    return ValuesAndIndices(*made)


def searchsorted(
    sorted_sequence: Any, values: Any, *, right: bool = False, side: str = "left"
) -> Tensor:
    """Where values belong in a sorted vector: before its equals, or behind them."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side is {side!r}; wanted left or right")
    return _ops.search_sorted(sorted_sequence, values, right=right or side == "right")


class UniqueAll(NamedTuple):
    """What unique_all gives."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What unique_counts gives."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What unique_inverse gives."""

    values: Tensor
    inverse_indices: Tensor


def unique(
    x: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """The different elements; on request which one each element is, and how often."""
    values, inverse, counts = _ops.unique(x, sorted=sorted)
    made = [values]
    if return_inverse:
        made.append(inverse)
    if return_counts:
        made.append(counts)
    return made[0] if len(made) == 1 else tuple(made)


def unique_values(x: Any) -> Tensor:
    """The different elements, sorted."""
    return unique(x)


def unique_counts(x: Any) -> UniqueCounts:
    """The different elements, and how often each is there."""
    return UniqueCounts(*unique(x, return_counts=True))


def unique_inverse(x: Any) -> UniqueInverse:
    """The different elements, and which of them each element is."""
    return UniqueInverse(*unique(x, return_inverse=True))


def unique_all(x: Any) -> UniqueAll:
    """The different elements, where each is first, and the rest of unique."""
    values, inverse, counts = _ops.unique(x, sorted=True)
    order = _ops.arg_sort(ravel(inverse), 0)
    first = _ops.sub(_ops.cumsum(counts, 0), counts)
    return UniqueAll(values, _ops.gather(order, first), inverse, counts)
