"""Elements in order, once each, and as sets, by numpy's names."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import pick
from .._array.axes import not_several
from .._array.order import isin
from .._array.shape import as_tensor, concat, ravel
from .._core import Tensor
from ._arguments import unused

__all__ = [
    "argpartition",
    "argsort",
    "intersect1d",
    "lexsort",
    "partition",
    "setdiff1d",
    "setxor1d",
    "sort",
    "union1d",
    "unique",
]


def _kind(kind: Any, order: Any, what: str) -> None:
    """numpy's ways to sort, of which ours is the stable one."""
    unused(order, None, "order", what)
    ways = ("quicksort", "mergesort", "heapsort", "stable", "introselect")
    if kind is not None and kind not in ways:
        raise ValueError(f"{what}(): kind is {kind!r}; wanted one of {', '.join(ways)}")


def sort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: None = None, *,
    stable: bool | None = None,
) -> Tensor:  # fmt: skip
    """In growing order along an axis; without one, all as a vector."""
    _kind(kind, order, "sort")
    a = as_tensor(a)
    return _ops.sort(ravel(a), 0) if axis is None else _ops.sort(a, axis)


def argsort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: None = None, *,
    stable: bool | None = None,
) -> Tensor:  # fmt: skip
    """The indices along an axis that put a in order; equals keep theirs always."""
    _kind(kind, order, "argsort")
    return pick.argsort(a, axis) if axis is not None else pick.argsort(ravel(a), 0)


def _ranks(a: Any, kth: Any, axis: int | None, what: str) -> Tensor:
    """a, a vector where there is no axis, after a look at the ranks asked for."""
    a = ravel(as_tensor(a)) if axis is None else as_tensor(a)
    n = a.shape[0 if axis is None else axis] if a.ndim else 1
    for k in kth if isinstance(kth, (tuple, list)) else [kth]:
        if not -n <= k < n:
            raise ValueError(f"{what}(): kth is {k}; wanted {-n} to {n - 1}")
    return a


def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect",
    order: None = None,
) -> Tensor:  # fmt: skip
    """With the element that comes kth in order at its place: sorted as a whole."""
    _kind(kind, order, "partition")
    return sort(_ranks(a, kth, axis, "partition"), 0 if axis is None else axis)


def argpartition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect",
    order: None = None,
) -> Tensor:  # fmt: skip
    """The indices that partition by."""
    _kind(kind, order, "argpartition")
    return argsort(_ranks(a, kth, axis, "argpartition"), 0 if axis is None else axis)


def lexsort(keys: Any, axis: int = -1) -> Tensor:
    """The order by the last key, among its equals by the one before, and so on."""
    keys = [as_tensor(k) for k in keys]
    not_several(axis, "lexsort")
    if not keys:
        raise ValueError("lexsort(): no keys; wanted one or more")
    if any(k.shape != keys[0].shape for k in keys):
        raise ValueError(f"lexsort(): keys are {[list(k.shape) for k in keys]}; wanted "
                         "one shape")  # fmt: skip
    if keys[0].ndim != 1:
        return _lexsort_along(keys, axis)
    order = _ops.cast(_ops.range(0, int(keys[0].shape[0]), 1), _core.int64)
    for key in keys:
        order = pick.take(order, _ops.arg_sort(pick.take(key, order, 0), 0), 0)
    return order


def _lexsort_along(keys: list[Tensor], axis: int) -> Tensor:
    if keys[0].ndim == 0:
        return _core.full((), 0, _core.int64)
    order = _ops.arg_sort(keys[0], axis)
    for key in keys[1:]:
        next_key = _ops.take_along(key, order, axis=axis)
        order = _ops.take_along(order, _ops.arg_sort(next_key, axis), axis=axis)
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
        order = _ops.arg_sort(flat, 0)  # stable
        begins = _ops.sub(_ops.cumsum(counts, 0), counts)
        found.append(pick.take(pick.take(places, order, 0), begins, 0))
    found += [inverse] * return_inverse + [counts] * return_counts
    return found[0] if len(found) == 1 else tuple(found)


def _one_type(ar1: Any, ar2: Any) -> tuple[Tensor, Tensor]:
    a, b = ravel(as_tensor(ar1)), ravel(as_tensor(ar2))
    kind = _core.promote_types(a.dtype, b.dtype)
    return _ops.cast(a, kind), _ops.cast(b, kind)


def intersect1d(ar1: Any, ar2: Any) -> Tensor:
    """What both have, once and in order."""
    a, b = _one_type(ar1, ar2)
    a = unique(a)
    return a[isin(a, b)]


def union1d(ar1: Any, ar2: Any) -> Tensor:
    """What either has, once and in order."""
    return unique(concat(list(_one_type(ar1, ar2))))


def setdiff1d(ar1: Any, ar2: Any) -> Tensor:
    """What the first has and the second has not, once and in order."""
    a = unique(as_tensor(ar1))
    return a[_ops.logical_not(isin(a, as_tensor(ar2)))]


def setxor1d(ar1: Any, ar2: Any) -> Tensor:
    """What one alone has, once and in order."""
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))
