"""Elements by place and by condition, by numpy's names."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import diagonals
from .._array.device import beside
from .._array.pick import argwhere, nonzero as _nonzero, searchsorted, take, where
from .._array.shape import as_tensor, broadcast_arrays, flip, ravel, stack
from .._core import Tensor
from ._arguments import no_out

__all__ = [
    "choose",
    "compress",
    "diag_indices",
    "digitize",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "nonzero",
    "put",
    "ravel_multi_index",
    "select",
    "tril_indices",
    "triu_indices",
]


def nonzero(a: Any) -> tuple[Tensor, ...]:
    """The index along each axis of the elements that are not 0."""
    return tuple(_nonzero(as_tensor(a), as_tuple=True))


def flatnonzero(a: Any) -> Tensor:
    """The places, counted over all axes, of the elements that are not 0."""
    return ravel(argwhere(ravel(as_tensor(a))))


def compress(
    condition: Any, a: Any, axis: int | None = None, out: None = None
) -> Tensor:
    """The elements, or slices along an axis, where a vector is true."""
    no_out(out, "compress")
    a, condition = as_tensor(a), as_tensor(condition)
    if condition.ndim != 1:
        raise ValueError(f"compress(): condition has {condition.ndim} axes; wanted 1")
    places = flatnonzero(condition)
    return take(ravel(a), places, 0) if axis is None else take(a, places, axis)


def extract(condition: Any, arr: Any) -> Tensor:
    """The elements where the condition is true."""
    return compress(ravel(as_tensor(condition)), arr)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """For every element the choice of the first condition that is true."""
    conditions, choices = list(condlist), list(choicelist)
    if len(conditions) != len(choices) or not conditions:
        raise ValueError(f"select(): {len(conditions)} conditions and {len(choices)} "
                         "choices; wanted as many, one or more")  # fmt: skip
    conditions = [as_tensor(c) for c in conditions]
    for at, condition in enumerate(conditions):
        if condition.dtype != _core.bool:
            raise TypeError(f"select(): condition {at} is {condition.dtype.name}; "
                            "wanted bools")  # fmt: skip
    made = default
    for condition, choice in zip(conditions[::-1], choices[::-1]):
        made = where(condition, choice, made)
    return as_tensor(made)


def choose(a: Any, choices: Any, out: None = None, mode: str = "raise") -> Tensor:
    """For every element the one of the array of that number.

    mode: what becomes of other numbers: raise, wrap or clip.
    """
    no_out(out, "choose")
    a, *each = broadcast_arrays(*(as_tensor(c) for c in (a, *choices)))
    a = in_range(a, len(each), mode, "choose")
    kind = each[0].dtype
    for one in each[1:]:
        kind = _core.promote_types(kind, one.dtype)
    table = stack([_ops.cast(one, kind) for one in each])
    return _ops.take_along(table, _ops.expand_dims(a, 0), axis=0)[0]


def in_range(places: Tensor, n: int, mode: str, what: str) -> Tensor:
    """Places from 0 to n - 1, by numpy's ways to make them so."""
    if places.dtype.is_floating_point or places.dtype.is_complex:
        raise TypeError(f"{what}(): places are {places.dtype.name}; wanted integers")
    places = _ops.cast(places, _core.int64)
    if mode == "wrap":
        return _ops.mod(places, n)
    if mode == "clip":
        return _ops.minimum(_ops.maximum(places, 0), n - 1)
    if mode != "raise":
        raise ValueError(f"{what}(): mode is {mode!r}; wanted raise, wrap or clip")
    if not places.symbolic and places.numel():
        low, high = int(_ops.min(places)), int(_ops.max(places))
        if low < 0 or high >= n:
            raise ValueError(f"{what}(): place {low if low < 0 else high}; wanted 0 to "
                             f"{n - 1}")  # fmt: skip
    return places


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Which of the ranges between borders, growing or falling, each element is in."""
    x, bins = as_tensor(x), as_tensor(bins)
    if bins.ndim != 1:
        raise ValueError(f"digitize(): bins has {bins.ndim} axes; wanted 1")
    kind = _core.promote_types(x.dtype, bins.dtype)
    x, bins = _ops.cast(x, kind), _ops.cast(bins, kind)
    falls = _ops.any_of(_ops.less(bins[1:], bins[:-1]))
    if falls.symbolic or not bool(falls):
        return searchsorted(bins, x, right=not right)
    if bool(_ops.any_of(_ops.greater(bins[1:], bins[:-1]))):
        raise ValueError("digitize(): bins grow and fall; wanted one of them")
    behind = searchsorted(flip(bins, 0), x, right=not right)
    return _ops.sub(int(bins.shape[0]), behind)


def put(a: Tensor, ind: Any, v: Any, mode: str = "raise") -> None:
    """Overwrites elements, counted over all axes; values are repeated as needed."""
    places, values = ravel(as_tensor(ind)), ravel(as_tensor(v))
    count, given = int(places.shape[0]), int(values.shape[0])
    if not count:
        return
    if not given:
        raise ValueError(f"put(): no values for {count} places; wanted one or more")
    if mode != "raise":
        places = in_range(places, a.numel(), mode, "put")
    again = _ops.mod(_ops.range(0, count, 1), given)
    values = take(values, beside(values, again), 0)
    a.put_(places, _ops.cast(values, a.dtype))


def fill_diagonal(a: Tensor, val: Any, wrap: bool = False) -> None:
    """Overwrites the elements whose indices are all equal."""
    a.fill_diagonal_(val, wrap)


def ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C"
) -> Tensor:
    """The place, counted over all axes of a shape, of an index along each.

    mode: what becomes of indices outside, for all axes or each: raise, wrap, clip.
    """
    sizes = (dims,) if isinstance(dims, int) else tuple(dims)
    given = list(multi_index)
    if len(given) != len(sizes):
        raise ValueError(f"ravel_multi_index(): {len(given)} indices for {len(sizes)} "
                         "axes; wanted as many")  # fmt: skip
    if 0 in sizes:
        raise ValueError(f"ravel_multi_index(): dims are {sizes}; wanted no size of 0")
    if order not in ("C", "F"):
        raise ValueError(f"ravel_multi_index(): order is {order!r}; wanted C or F")
    modes = [mode] * len(sizes) if isinstance(mode, str) else list(mode)
    made = as_tensor(0)
    parts = list(zip(given, sizes, modes))
    for index, n, how in parts if order == "C" else parts[::-1]:
        index = in_range(as_tensor(index), n, how, "ravel_multi_index")
        made = _ops.add(_ops.mul(made, n), index)
    return made


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """The places at and above a diagonal: rows, and columns."""
    rows, columns = diagonals.triu_indices(n, n if m is None else m, k)
    return rows, columns


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """The places at and below a diagonal: rows, and columns."""
    rows, columns = diagonals.tril_indices(n, n if m is None else m, k)
    return rows, columns


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The places of a diagonal."""
    return (_ops.cast(_ops.range(0, n, 1), _core.int64),) * ndim
