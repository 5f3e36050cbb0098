"""A tensor with some of its elements replaced, or combined with others."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple, flag, one_axis
from .device import beside, device_like
from .pick import nonzero, places_in, scatter
from .shape import as_tensor, broadcast_shapes, moveaxis

__all__ = [
    "diagonal_scatter",
    "index_fill",
    "index_put",
    "index_reduce",
    "masked_scatter",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
]


def _with(x: Tensor, key: Any, value: Any) -> Tensor:
    made: Tensor = _core.with_item(x, key, value)
    return made


def _checked(what: str, src: Any, place: Tensor) -> Tensor:
    """src, which is to have the shape of the place it goes to."""
    src = as_tensor(src)
    if src.shape != place.shape:
        raise ValueError(f"{what}(): src is {list(src.shape)}; wanted "
                         f"{list(place.shape)}")  # fmt: skip
    return src


def select_scatter(x: Any, src: Any, dim: int, index: int) -> Tensor:
    """x with one slice along an axis replaced."""
    x = as_tensor(x)
    at = one_axis(dim, x.ndim, "select_scatter")
    key = (*(slice(None),) * at, index)
    return _with(x, key, _checked("select_scatter", src, x[key]))


def slice_scatter(
    x: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Tensor:  # fmt: skip
    """x with the slices from start to end along an axis replaced."""
    x = as_tensor(x)
    at = one_axis(dim, x.ndim, "slice_scatter")
    key = (*(slice(None),) * at, slice(start, end, step))
    return _with(x, key, _checked("slice_scatter", src, x[key]))


def diagonal_scatter(
    x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """x with a diagonal of the matrices in two axes replaced."""
    x = as_tensor(x)
    a, b = axes_tuple((dim1, dim2), x.ndim, "diagonal_scatter")
    turned = moveaxis(x, (a, b), (-2, -1))
    here = _checked("diagonal_scatter", src, _ops.diag_part(turned, offset))
    kept = here.shape[-1]
    first = _ops.range(max(-offset, 0), max(-offset, 0) + kept, 1)
    second = _ops.range(max(offset, 0), max(offset, 0) + kept, 1)
    device = device_like(x, None)
    if device is not None:
        first, second = first.to(device=device), second.to(device=device)
    made = _with(turned, (..., first, second), here)
    return moveaxis(made, (-2, -1), (a, b))


def index_fill(x: Any, dim: int, index: Any, value: Any) -> Tensor:
    """x with slices along an axis at these indices set to a value."""
    x = as_tensor(x)
    line = _ops.reshape(x, (1,)) if x.ndim == 0 else x
    index = places_in(x, index)
    picked = _ops.gather(line, index, axis=dim)
    sizes = _ops.shape(picked) if picked.symbolic else picked.shape
    value = _core.value_as(value, x.dtype, "index_fill(): value")
    filled = _ops.broadcast_to(beside(x, value), sizes)
    if index.ndim == 0:  # one slice
        index, filled = _ops.reshape(index, (1,)), _ops.expand_dims(filled, dim)
    made = _ops.index_copy(line, index, filled, axis=dim)
    return _ops.reshape(made, ()) if x.ndim == 0 else made


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """x[indices] = values; with accumulate they are added, each as often as named."""
    x, values = as_tensor(x), as_tensor(values)
    if not flag(accumulate, "accumulate"):
        key = tuple(slice(None) if i is None else i for i in indices)
        return _with(x, key, values)
    places: list[Tensor] = []
    for i in indices:
        if i is None:
            raise NotImplementedError(
                "index_put(): None among the indices with accumulate=True; wanted "
                "indices of the first axes"
            )
        i = as_tensor(i)
        places += nonzero(i, as_tuple=True) if i.dtype == _core.bool else [i]
    return _added(x, places, values)


def _added(x: Tensor, places: list[Tensor], values: Tensor) -> Tensor:
    """Values added at places of the first axes, counted as one axis."""
    sizes, rest = x.shape[: len(places)], x.shape[len(places) :]
    shape = broadcast_shapes(*(p.shape for p in places))
    count = 1
    for n in sizes:
        count *= n
    flat = _core.full((), 0, _core.int64)
    for place, n in zip(places, sizes):
        place = _ops.where(_ops.less(place, 0), _ops.add(place, n), place)
        flat = _ops.add(_ops.mul(flat, n), _ops.cast(place, _core.int64))
    flat = _ops.reshape(_ops.broadcast_to(flat, shape), (-1,))
    values = _ops.broadcast_to(_ops.cast(values, x.dtype), (*shape, *rest))
    table = _ops.reshape(x, (count, *rest))
    rows = _ops.reshape(values, (flat.shape[0], *rest))
    return _ops.reshape(_ops.index_add(table, flat, rows, axis=0), x.shape)


_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1}
_REDUCE = {"sum": "sum", "mean": "sum", "prod": "prod", "amax": "amax", "amin": "amin"}


def scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Tensor:
    """x combined with src along an axis, where index says; without its own elements
    at those places on request."""
    x, index, src = as_tensor(x), as_tensor(index), as_tensor(src)
    if reduce not in _REDUCE:
        raise ValueError(f"scatter_reduce(): reduce is {reduce!r}; wanted one of "
                         + ", ".join(_REDUCE))  # fmt: skip
    start = x
    if not flag(include_self, "include_self"):
        start = scatter(x, dim, index, value=_least(x, reduce))
    made = scatter(start, dim, index, src, reduce=_REDUCE[reduce])
    if reduce != "mean":
        return made
    ones = _ops.ones_like(src)
    counts = scatter(_ops.zeros_like(x), dim, index, ones, reduce="sum")
    if include_self:
        counts = _ops.add(counts, 1)
    else:
        counts = _ops.maximum(counts, 1)
    whole = not x.dtype.is_floating_point
    return _ops.floor_div(made, counts) if whole else _ops.div(made, counts)


def index_reduce(
    x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Tensor:
    """x combined with slices of source along an axis at these indices."""
    x, index, source = as_tensor(x), places_in(x, index), as_tensor(source)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ValueError(f"index_reduce(): reduce is {reduce!r}; wanted prod, mean, "
                         "amax or amin")  # fmt: skip
    if x.ndim == 0:
        one_axis(dim, 1, "index_reduce")
        x, source = _ops.reshape(x, (1,)), _ops.reshape(source, (-1,))
        return index_reduce(
            x, 0, _ops.reshape(index, (-1,)), source, reduce, include_self=include_self
        )[0]
    at = one_axis(dim, x.ndim, "index_reduce")
    sides = [-1 if a == at else 1 for a in range(x.ndim)]
    places = _ops.broadcast_to(_ops.reshape(index, sides), source.shape)
    return scatter_reduce(x, at, places, source, reduce, include_self=include_self)


def _least(x: Tensor, reduce: str) -> Any:
    """What changes nothing when combined."""
    if reduce in _NEUTRAL:
        return _NEUTRAL[reduce]
    low = reduce == "amax"
    if x.dtype.is_floating_point:
        return -float("inf") if low else float("inf")
    if x.dtype == _core.bool:
        return not low
    from .types import iinfo

    return iinfo(x.dtype).min if low else iinfo(x.dtype).max


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Overwrites the elements whose indices are all equal; wrap=True goes on in tall
    matrices after a row."""
    if self.ndim < 2:
        raise ValueError(f"fill_diagonal_(): {self.ndim} axes; wanted 2 or more")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise ValueError(f"fill_diagonal_(): sizes {list(self.shape)}; wanted one size")
    rows, columns = self.shape[0], self.shape[1]
    if flag(wrap, "wrap") and self.ndim == 2 and rows > columns:
        where = [i for i in range(rows) if i % (columns + 1) < columns]
        across = [i % (columns + 1) for i in where]
    else:
        where = list(range(min(self.shape)))
        across = where
    if where:
        first, others = _core.tensor(where), _core.tensor(across)
        self[(first, *(others,) * (self.ndim - 1))] = fill_value
    return self


def index_put_(
    self: Tensor, indices: Any, values: Any, accumulate: bool = False
) -> Tensor:
    """x[indices] = values, written over the elements of this tensor."""
    return self.copy_(index_put(self, indices, values, accumulate))


def masked_scatter(x: Any, mask: Any, source: Any) -> Tensor:
    """x with the elements where the mask is true set to those of source, in order."""
    made: Tensor = as_tensor(x).masked_scatter(mask, source)
    return made
