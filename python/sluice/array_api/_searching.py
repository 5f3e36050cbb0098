"""Elements by place and by value: picking, searching, sorting, the different ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._array import pick as _top
from .._array.axes import one_axis
from .._array.shape import ravel
from .._core import Tensor
from ._operands import array, as_type, filled, is_number, of_kind, pair

__all__ = [
    "argsort",
    "nonzero",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]

_i64 = _core.int64


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Slices along an axis at these indices; axis may be left out of a vector."""
    x, indices = array(x, "take"), array(indices, "take", "indices")
    if axis is None and x.ndim != 1:
        raise ValueError(f"take(): x has {x.ndim} axes; wanted axis, or a vector")
    at = one_axis(0 if axis is None else axis, x.ndim, "take")
    return _top.take(x, as_type(indices, _i64), at)


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Elements along an axis, others at the same place: what argsort gives, used.

    Both are stretched to fit each other along the other axes.
    """
    x, indices = array(x, "take_along_axis"), array(indices, "take_along_axis")
    at = one_axis(axis, x.ndim, "take_along_axis")
    places = as_type(indices, _i64)
    behind = _ops.less(places, 0)
    places = _ops.where(behind, _ops.add(places, x.shape[at]), places)
    return _top.take_along_dim(x, places, at)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """x1 where the condition is true, else x2."""
    condition = of_kind(array(condition, "where", "condition"), "where", 0, 0)
    if is_number(x1) and is_number(x2):
        x1 = _core.tensor(x1)
        its = _core.tensor(x2).dtype
        x1 = as_type(x1, _core.promote_types(x1.dtype, its))
    a, b = pair(x1, x2, "where")
    return _ops.where(condition, a, b)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Where elements are not 0: a vector of indices for each axis."""
    x = array(x, "nonzero")
    if x.ndim == 0:
        raise ValueError("nonzero(): x has no axes; wanted one at least")
    found: tuple[Tensor, ...] = _top.nonzero(x, as_tuple=True)
    return found


def searchsorted(
    x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where the elements of x2 belong in a sorted vector, or one sorter sorts."""
    a, b = pair(array(x1, "searchsorted", "x1"), array(x2, "searchsorted", "x2"),
                "searchsorted")  # fmt: skip
    if a.ndim != 1:
        raise ValueError(f"searchsorted(): x1 has {a.ndim} axes; wanted a vector")
    if sorter is not None:
        a = take(a, array(sorter, "searchsorted", "sorter"))
    return _top.searchsorted(a, b, side=side)


def _ordered(x: Tensor, axis: int, what: str) -> tuple[Tensor, int]:
    x = of_kind(array(x, what), what, 0, 2)
    at = one_axis(axis, max(x.ndim, 1), what)
    return x, at


def sort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """In order along an axis: values alone, where PyTorch's sort gives a pair."""
    x, at = _ordered(x, axis, "sort")
    return _ops.sort(x, at, descending) if x.ndim else x.clone()


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The indices along an axis that put x in order; equals keep theirs, always."""
    x, at = _ordered(x, axis, "argsort")
    return _ops.arg_sort(x, at, descending) if x.ndim else filled(x, (), 0, _i64)


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


def _rank(x: Tensor) -> Tensor:
    """Numbers that order the elements of a real vector as its values do: equal for
    equals, different for every NaN, which equals nothing."""
    order = _ops.arg_sort(x, 0)
    there = _ops.gather(x, order)
    before, behind = there[:-1], there[1:]
    new = _ops.cast(_ops.not_equal(before, behind), _i64)
    first = filled(x, (min(x.shape[0], 1),), 0, _i64)
    steps = _ops.cumsum(_ops.concat([first, new], axis=0), 0)
    return _ops.gather(steps, _ops.invert_permutation(order))


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different elements in order, where each is first, which one each element
    is, how often each is there. Every NaN is one of its own."""
    x = array(x, "unique_all")
    flat = ravel(x)
    if flat.dtype.is_complex:
        re, im = _rank(_ops.real(flat)), _rank(_ops.imag(flat))
        number = _rank(_ops.add(_ops.mul(re, flat.shape[0] + 1), im))
    else:
        number = _rank(flat)
    _, inverse, counts = _ops.unique(number, sorted=True)
    order = _ops.arg_sort(number, 0)
    first = _ops.gather(order, _ops.sub(_ops.cumsum(counts, 0), counts))
    return UniqueAll(
        _ops.gather(flat, first), first, _ops.reshape(inverse, x.shape), counts
    )


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different elements, and how often each is there."""
    made = unique_all(x)
    return UniqueCounts(made.values, made.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different elements, and which of them each element is."""
    made = unique_all(x)
    return UniqueInverse(made.values, made.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The different elements, in order."""
    return unique_all(x).values

