"""Elements picked by index, mask or order, and put back."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, axes_tuple, flag, flags, one_axis, one_of
from .device import beside
from .reduce import ValuesAndIndices, truth
from .shape import (
    as_tensor,
    broadcast_arrays,
    broadcast_shapes,
    moveaxis,
    own_copy,
    ravel,
)

__all__ = [
    "argsort",
    "argwhere",
    "gather",
    "index_select",
    "masked_fill",
    "masked_select",
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
    if not flag(as_tuple, "as_tuple"):
        return rows
    ndim = as_tensor(x).ndim
    if ndim == 0:
        # One that counts as a vector of one.
        return (_ops.non_zero(_ops.reshape(x, (1,)))[:, 0],)
    return tuple(rows[:, i] for i in range(ndim))


def argwhere(x: Any) -> Tensor:
    """Where elements are not 0: one row of indices each."""
    return nonzero(x)


def masked_fill(x: Any, mask: Any, value: Any) -> Tensor:
    """value where the mask is true, else x."""
    x, mask = as_tensor(x), truth(mask)
    # The op stretches both; to compare shapes here would decide by sizes.
    value = _core.value_as(value, x.dtype, "masked_fill(): value")
    return _ops.masked_fill(x, mask, value)


def masked_select(x: Any, mask: Any) -> Tensor:
    """The elements where the mask is true, in order; both are stretched to fit."""
    x, mask = as_tensor(x), truth(mask)
    if x.shape != mask.shape:
        x, mask = broadcast_arrays(x, mask)
    return _ops.masked_select(x, mask)


def take(x: Any, indices: Any, axis: Any = None, *, dim: Any = NOTHING) -> Tensor:
    """Slices along an axis, or elements of all, at these indices."""
    axis = one_of(axis, dim)
    if axis is None:
        x, axis = ravel(x), 0
    x = as_tensor(x)
    if not -x.ndim <= axis < max(x.ndim, 1):
        axes_tuple(axis, x.ndim, "take")
    before = (slice(None),) * (axis if axis >= 0 else axis + x.ndim)
    indices = as_tensor(indices)
    made = x[(*before, indices)]
    return own_copy(made) if indices.ndim == 0 else made


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


def take_along_dim(
    x: Any, indices: Any, dim: Any = None, *, axis: Any = NOTHING
) -> Tensor:
    """Elements along an axis, or of all when dim is None, at these indices.

    Both are stretched to fit each other along the other axes.
    """
    dim = one_of(axis, dim if axis is NOTHING else NOTHING)
    x, indices = as_tensor(x), as_tensor(indices)
    if dim is None:
        return take_along_axis(ravel(x), ravel(indices), 0)
    at = one_axis(dim, x.ndim, "take_along_dim")
    if x.ndim != indices.ndim:
        raise ValueError(f"take_along_dim(): x has {x.ndim} axes, indices have "
                         f"{indices.ndim}; wanted as many")  # fmt: skip
    ours, theirs = list(x.shape), list(indices.shape)
    if None not in ours + theirs:
        whole = list(broadcast_shapes(
            ours[:at] + [1] + ours[at + 1 :], theirs[:at] + [1] + theirs[at + 1 :]))
        x = _ops.broadcast_to(x, whole[:at] + [ours[at]] + whole[at + 1 :])
        indices = _ops.broadcast_to(
            indices, whole[:at] + [theirs[at]] + whole[at + 1 :])  # fmt: skip
    return _ops.take_along(x, indices, axis=at)


def _cut_to(x: Tensor, dim: int, index: Tensor) -> tuple[Tensor, Any]:
    """The part of x that an index of smaller sizes speaks of, and its place."""
    if None in (x.shape or ()) or None in (index.shape or ()):
        return x, None
    if x.ndim != index.ndim or x.ndim == 0:
        return x, None
    at = one_axis(dim, x.ndim, "gather")
    wanted = [n if i == at else m for i, (n, m) in enumerate(zip(x.shape, index.shape))]
    if list(x.shape) == wanted:
        return x, None
    if any(m > n for n, m in zip(x.shape, wanted)):
        raise ValueError(
            f"index is {list(index.shape)}, x {list(x.shape)}; wanted no size of "
            f"index larger, but along axis {at}")
    place = tuple(slice(n) for n in wanted)
    return x[place], place


def places_in(x: Tensor, index: Any) -> Tensor:
    """Indices into x; a list the source writes down goes where x is."""
    return index if isinstance(index, Tensor) else beside(x, as_tensor(index))


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
        x, dim = as_tensor(x), one_of(axis, dim)
        index = places_in(x, index)
        if x.ndim == 0 or index.ndim == 0:
            return _gather_single(x, dim, index)
        return _ops.take_along(_cut_to(x, dim, index)[0], index, axis=dim)
    if indices is NOTHING:
        indices = dim
    if indices is NOTHING:
        raise TypeError("gather(): lacks its argument index")
    return _ops.gather(x, indices, axis=one_of(axis, NOTHING, 0))


def _single(x: Tensor, dim: int, index: Tensor, what: str) -> None:
    """Errors where x and index, one of them without axes, are no vectors."""
    one_axis(dim, max(x.ndim, 1), what)
    if max(x.ndim, index.ndim) > 1 and 0 not in (index.shape or ()):
        raise ValueError(
            f"{what}(): index is {list(index.shape)}, x {list(x.shape)}; wanted as "
            "many axes"
        )


def _gather_single(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements without axes count as vectors of one."""
    _single(x, dim, index, "gather")
    made = _ops.take_along(ravel(x), ravel(index), axis=0)
    return _ops.reshape(made, index.shape)


def _spread(values: Any, index: Any, like: Tensor) -> Any:
    """A number put at all places; a tensor cut to the index's shape."""
    if isinstance(values, Tensor) and values.ndim > 0:
        given, wanted = values.shape or (None,), as_tensor(index).shape or (None,)
        if None not in (*given, *wanted) and given != wanted:
            return values[tuple(slice(n) for n in wanted)]
        return values
    value = _core.value_as(values, like.dtype, "scatter(): src")
    sizes = _ops.shape(index) if as_tensor(index).symbolic else as_tensor(index).shape
    return _ops.broadcast_to(beside(like, value), sizes)


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
    index = places_in(x, index)
    if isinstance(given, Tensor) and given.ndim > 0 and given.dtype != x.dtype:
        raise TypeError(
            f"scatter(): src is {given.dtype}, x {x.dtype}; wanted one type"
        )
    values, mode = _spread(given, index, x), _MODES[reduce]
    if x.ndim == 0 or index.ndim == 0:
        _single(x, dim, index, "scatter")
        made = _ops.put_along(ravel(x), ravel(index), ravel(values), axis=0, mode=mode)
        return _ops.reshape(made, x.shape)
    part, place = _cut_to(x, dim, index)
    made = _ops.put_along(part, index, values, axis=dim, mode=mode)
    return made if place is None else _core.with_item(x, place, made)


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Tensor:
    """x with src added along an axis, where index says."""
    return scatter(x, dim, index, src, reduce="add")


def sort(
    x: Any,
    dim: Any = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    axis: Any = NOTHING,
) -> Any:
    """(values, indices) in order along dim, as PyTorch has it; equals keep theirs.

    axis= gives the values alone, as numpy does.
    """
    flags(descending=descending, stable=True if stable is None else stable)
    if axis is NOTHING:
        return sort_with_indices(x, dim, descending)
    if axis is None:
        x, axis = ravel(x), 0
    return _ops.sort(x, axis, descending)


def sort_with_indices(x: Any, dim: int = -1, descending: bool = False) -> Any:
    """In order along an axis, and where the elements were."""
    x = as_tensor(x)
    if x.ndim == 0:
        axes_tuple(dim, 1, "sort")
        return ValuesAndIndices(x.clone(), beside(x, _core.tensor(0)))
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
    flags(descending=descending, stable=True if stable is None else stable)
    axis = one_of(axis, dim, -1)
    x = as_tensor(x)
    if x.ndim == 0:
        return beside(x, _core.tensor(0))
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
    flags(largest=largest, sorted=sorted)
    axis = one_of(axis, dim if axis is NOTHING else NOTHING, -1)
    if axis in (0, -1) and as_tensor(x).ndim == 0:
        values, places = topk(as_tensor(x).reshape(1), k, 0, largest, sorted)
        if k == 1:
            values, places = values.reshape(()), places.reshape(())
        return ValuesAndIndices(values, places)
    made = _ops.top_k(x, k, axis=axis, largest=largest, sorted=sorted)
    return ValuesAndIndices(*made)


def searchsorted(
    sorted_sequence: Any, values: Any, *, right: bool = False, side: str | None = None
) -> Tensor:
    """Where values belong in a sorted vector: before its equals, or behind them."""
    if flag(right, "right") and side == "left":
        raise ValueError("searchsorted(): side is left and right is True")
    if side not in ("left", "right", None):
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
    dim: int | None = None,
) -> Any:
    """The different elements; on request which one each element is, and how often.

    With dim the different slices along that axis.
    """
    flags(sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    if dim is None:
        values, inverse, counts = _ops.unique(x, sorted=sorted)
    else:
        values, inverse, counts = _unique_slices(as_tensor(x), dim)
    made = [values]
    if return_inverse:
        made.append(inverse)
    if return_counts:
        made.append(counts)
    return made[0] if len(made) == 1 else tuple(made)


def _unique_slices(x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    at = one_axis(dim, x.ndim, "unique")
    n = x.shape[at]
    rows = _ops.reshape(moveaxis(x, at, 0), (n, -1) if x.numel() else (n, 0))
    # Slices in order of their first element, those equal in it by the next, ...
    same = beside(x, _core.full((n,), 0, _core.int64))
    _, number, counts = _ops.unique(same, sorted=True)
    for j in range(rows.shape[1]):
        values, rank, _ = _ops.unique(rows[:, j], sorted=True)
        key = number * values.shape[0] + rank
        _, number, counts = _ops.unique(key, sorted=True)
    order = _ops.arg_sort(number, 0)
    first = _ops.gather(order, _ops.sub(_ops.cumsum(counts, 0), counts))
    return _ops.gather(x, first, axis=at), number, counts


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
