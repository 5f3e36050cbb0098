"""Elements by place and by condition, by numpy's names."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import diagonals
from .._array.device import beside
from .._array.pick import argwhere, nonzero as _nonzero, searchsorted, take, where
from .._array.shape import as_tensor, broadcast_arrays, ravel, stack
from .._core import Tensor

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


def compress(condition: Any, a: Any, axis: int | None = None) -> Tensor:
    """The elements, or slices along an axis, where a vector is true."""
    a = as_tensor(a)
    places = flatnonzero(condition)
    return take(ravel(a), places, 0) if axis is None else take(a, places, axis)


def extract(condition: Any, arr: Any) -> Tensor:
    """The elements where the condition is true."""
    return compress(ravel(as_tensor(condition)), arr)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """For every element the choice of the first condition that is true."""
    made = as_tensor(default)
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        made = where(as_tensor(condition), as_tensor(choice), made)
    return made


def choose(a: Any, choices: Any) -> Tensor:
    """For every element the one of the array of that number."""
    a, *each = broadcast_arrays(*(as_tensor(c) for c in (a, *choices)))
    table = stack(each)
    return _ops.take_along(table, _ops.expand_dims(a, 0), axis=0)[0]


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Which of the ranges between growing borders each element is in."""
    return searchsorted(as_tensor(bins), as_tensor(x), right=not right)


def put(a: Tensor, ind: Any, v: Any) -> None:
    """Overwrites elements, counted over all axes; values are repeated as needed."""
    places, values = ravel(as_tensor(ind)), ravel(as_tensor(v))
    count, given = int(places.shape[0]), int(values.shape[0])
    again = _ops.mod(_ops.range(0, count, 1), given)
    values = take(values, beside(values, again), 0)
    a.put_(places, _ops.cast(values, a.dtype))


def fill_diagonal(a: Tensor, val: Any, wrap: bool = False) -> None:
    """Overwrites the elements whose indices are all equal."""
    a.fill_diagonal_(val, wrap)


def ravel_multi_index(multi_index: Any, dims: Any) -> Tensor:
    """The place, counted over all axes of a shape, of an index along each."""
    made = as_tensor(0)
    for index, n in zip(multi_index, dims):
        made = _ops.add(_ops.mul(made, n), as_tensor(index))
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
