"""Elements in order, once each, and as sets, by numpy's names."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import pick
from .._array.order import isin
from .._array.shape import as_tensor, concat, ravel
from .._core import Tensor

__all__ = [
    "argpartition",
    "intersect1d",
    "lexsort",
    "partition",
    "setdiff1d",
    "setxor1d",
    "sort",
    "union1d",
    "unique",
]


def sort(a: Any, axis: int | None = -1) -> Tensor:
    """In growing order along an axis; without one, all as a vector."""
    a = as_tensor(a)
    return _ops.sort(ravel(a), 0) if axis is None else _ops.sort(a, axis)


def partition(a: Any, kth: int, axis: int = -1) -> Tensor:
    """With the element that comes kth in order at its place: sorted as a whole."""
    return sort(a, axis)


def argpartition(a: Any, kth: int, axis: int = -1) -> Tensor:
    """The indices that partition by."""
    return _ops.arg_sort(as_tensor(a), axis)


def lexsort(keys: Any) -> Tensor:
    """The order by the last key, among its equals by the one before, and so on."""
    keys = [as_tensor(k) for k in keys]
    order = _ops.cast(_ops.range(0, int(keys[0].shape[0]), 1), _core.int64)
    for key in keys:
        order = pick.take(order, _ops.arg_sort(pick.take(key, order, 0), 0), 0)
    return order


def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: int | None = None,
) -> Any:  # fmt: skip
    """Every element, or slice along an axis, once and in order.

    return_index: also where each is first; return_inverse: which of them every one
    is; return_counts: how many there are of each.
    """
    a = as_tensor(ar)
    made = list(pick.unique(a, return_inverse=True, return_counts=True, dim=axis))
    values, inverse, counts = made
    found = [values]
    if return_index:
        flat = ravel(inverse)
        places = _ops.cast(_ops.range(0, int(flat.shape[0]), 1), _core.int64)
        order = _ops.arg_sort(flat, 0)  # keeps the order of equals
        begins = _ops.sub(_ops.cumsum(counts, 0), counts)
        found.append(pick.take(pick.take(places, order, 0), begins, 0))
    found += [inverse] * return_inverse + [counts] * return_counts
    return found[0] if len(found) == 1 else tuple(found)


def intersect1d(ar1: Any, ar2: Any) -> Tensor:
    """What both have, once and in order."""
    a, b = unique(as_tensor(ar1)), as_tensor(ar2)
    return a[isin(a, b)]


def union1d(ar1: Any, ar2: Any) -> Tensor:
    """What either has, once and in order."""
    return unique(concat([ravel(as_tensor(ar1)), ravel(as_tensor(ar2))]))


def setdiff1d(ar1: Any, ar2: Any) -> Tensor:
    """What the first has and the second has not, once and in order."""
    a = unique(as_tensor(ar1))
    return a[_ops.logical_not(isin(a, as_tensor(ar2)))]


def setxor1d(ar1: Any, ar2: Any) -> Tensor:
    """What one alone has, once and in order."""
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))
