"""Arrays cut, joined and padded, by numpy's names."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._array import shape as _shape
from .._array.axes import NOTHING, one_axis, whole
from .._array.device import beside
from .._array.pick import take
from .._array.pieces import tensor_split
from .._array.shape import as_tensor, concat, ravel
from .._core import Tensor
from ._arguments import listed

__all__ = [
    "append",
    "apply_along_axis",
    "array2string",
    "array_split",
    "block",
    "delete",
    "hsplit",
    "insert",
    "pad",
    "resize",
    "rollaxis",
    "split",
    "transpose",
    "trim_zeros",
    "vectorize",
    "vsplit",
]


def array_split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Cut into so many parts of about one size, or at these places."""
    return list(tensor_split(as_tensor(a), indices_or_sections, axis))


def split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Cut into so many parts of one size, or at these places."""
    a, parts = as_tensor(a), indices_or_sections
    if isinstance(parts, int) and parts > 0 and a.shape[axis] % parts:
        raise ValueError(
            f"split(): size {a.shape[axis]} in {parts} parts; wanted parts of one "
            "size, or array_split()"
        )
    return array_split(a, parts, axis)


def vsplit(a: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the first axis."""
    if as_tensor(a).ndim < 2:
        raise ValueError(f"vsplit(): a has {as_tensor(a).ndim} axes; wanted 2 or more")
    return split(a, indices_or_sections, 0)


def hsplit(a: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the second axis, vectors along their own."""
    return split(a, indices_or_sections, 0 if as_tensor(a).ndim == 1 else 1)


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in this order, by default in reverse."""
    return _ops.transpose(as_tensor(a)) if axes is None else _shape.permute(a, axes)


def rollaxis(a: Any, axis: int, start: int = 0) -> Tensor:
    """An axis moved to before another one."""
    a = as_tensor(a)
    at = one_axis(axis, a.ndim, "rollaxis")
    start = start + a.ndim if start < 0 else start
    return _shape.moveaxis(a, at, start - 1 if at < start else start)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Values behind an array; without an axis both as vectors."""
    a, more = as_tensor(arr), as_tensor(values)
    return concat([ravel(a), ravel(more)]) if axis is None else concat([a, more], axis)


def _places_of(obj: Any, n: int, what: str) -> Any:
    """A place, or a list of them; a mask of n stands for where it is true."""
    if isinstance(obj, slice):
        return list(range(n)[obj])
    given = listed(obj)
    each = given if isinstance(given, list) else [given]
    if each and all(isinstance(i, bool) for i in each):
        if not isinstance(given, list) or len(given) != n:
            raise ValueError(f"{what}(): a mask of {len(each)} for {n} places; wanted "
                             "as many")  # fmt: skip
        return [i for i, yes in enumerate(given) if yes]
    for i in each:
        whole(i, f"{what}(): a place")
    return given


def _kept(n: int, gone: Any) -> list[int]:
    places = _places_of(gone, n, "delete")
    out = {range(n)[i] for i in (places if isinstance(places, list) else [places])}
    return [i for i in range(n) if i not in out]


def delete(arr: Any, obj: Any, axis: int | None = None) -> Tensor:
    """Without the elements, or slices along an axis, at these places."""
    a = as_tensor(arr)
    a, at = (ravel(a), 0) if axis is None else (a, axis)
    kept = _kept(int(a.shape[at]), obj)
    return take(a, beside(a, _core.tensor(kept, _core.int64)), at)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Tensor:
    """With values put in before a place, or one each before several places."""
    a = as_tensor(arr)
    a, at = (ravel(a), 0) if axis is None else (a, one_axis(axis, a.ndim, "insert"))
    n = int(a.shape[at])
    given = _places_of(obj, n, "insert")
    places = []
    for place in given if isinstance(given, list) else [given]:
        if not -n <= place <= n:
            raise IndexError(f"insert(): place {place} of {n}; wanted {-n} to {n}")
        places.append(place + n if place < 0 else place)
    more = _ops.cast(as_tensor(values), a.dtype)
    while more.ndim < a.ndim:
        more = _ops.expand_dims(more, 0)
    if not isinstance(given, list):
        # As a[place] = values would take them: their first axis goes along this one.
        more = _shape.moveaxis(more, 0, at)
    many = int(more.shape[at]) if len(places) == 1 else len(places)
    sizes = [many if i == at else m for i, m in enumerate(a.shape)]
    more = _ops.broadcast_to(more, sizes)
    if len(places) == 1:
        places = places * many
    order = _merged(n, places)
    return take(concat([a, more], at), beside(a, _core.tensor(order, _core.int64)), at)


def _merged(n: int, places: list[int]) -> list[int]:
    """n elements with element n + i before the one at places[i]."""
    behind: dict[int, list[int]] = {}
    for i, place in enumerate(places):
        behind.setdefault(place, []).append(n + i)
    order = []
    for i in range(n + 1):
        order += behind.get(i, [])
        order += [i] if i < n else []
    return order


_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def _pairs(given: Any, ndim: int, what: str) -> list[list[Any]]:
    """One number, (before, after), or these for each axis, as a pair for each."""
    pairs = listed(given)
    if not isinstance(pairs, list):
        return [[pairs, pairs]] * ndim
    if not isinstance(pairs[0], list):
        pairs = [pairs]
    pairs = [pair * 2 if len(pair) == 1 else pair for pair in pairs]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"pad(): {what} is {given}; wanted one number, a pair, or a "
                         f"pair for each of {ndim} axes")  # fmt: skip
    return pairs


def pad(
    array: Any, pad_width: Any, mode: str = "constant", *,
    constant_values: Any = NOTHING,
) -> Tensor:  # fmt: skip
    """A border around an array: one width, (before, after), or these for each axis.

    mode: constant, edge, reflect, symmetric or wrap. constant_values: 0, or given as
    widths are.
    """
    a = as_tensor(array)
    if mode not in _MODES:
        raise ValueError(f"pad(): mode is {mode!r}; wanted one of {', '.join(_MODES)}")
    widths = _pairs(pad_width, a.ndim, "pad_width")
    for n in (n for pair in widths for n in pair):
        if whole(n, "pad(): a width") < 0:
            raise ValueError(f"pad(): a width is {n}; wanted 0 or more")
    if mode == "constant":
        return _framed(a, widths, 0 if constant_values is NOTHING else constant_values)
    if constant_values is not NOTHING:
        raise TypeError(f"pad(): constant_values with mode {mode}; wanted constant")
    for at, (before, behind) in enumerate(widths):
        if before + behind and not a.shape[at]:
            raise ValueError(f"pad(): axis {at} has no elements; wanted mode constant")
        if before + behind:
            places = _places(int(a.shape[at]), before, behind, mode)
            a = take(a, beside(a, _core.tensor(places, _core.int64)), at)
    return a


def _framed(a: Tensor, widths: list[list[int]], values: Any) -> Tensor:
    if not isinstance(values, (list, tuple, Tensor)):
        value = _as_element(values, a)
        return _ops.pad(a, [n for pair in widths for n in pair], value=value)
    for at, pair in enumerate(_pairs(values, a.ndim, "constant_values")):
        for n, value, side in zip(widths[at], pair, (0, 1)):
            flat = [0] * (2 * a.ndim)
            flat[2 * at + side] = n
            a = _ops.pad(a, flat, value=_as_element(value, a))
    return a


def _as_element(value: Any, a: Tensor) -> Any:
    """A number as one of the array's: integers without fractions, as numpy has it."""
    if a.dtype == _core.bool:
        return bool(value)
    real = a.dtype.is_floating_point or a.dtype.is_complex
    return value if real else int(value)


def _places(n: int, before: int, behind: int, mode: str) -> list[int]:
    """Which element stands at each place of an axis with a border."""
    around = range(-before, n + behind)
    if mode == "edge":
        return [min(max(i, 0), n - 1) for i in around]
    if mode == "wrap":
        return [i % n for i in around]
    if mode == "symmetric":
        return [min(i % (2 * n), 2 * n - 1 - i % (2 * n)) for i in around]
    turn = max(2 * (n - 1), 1)
    return [min(i % turn, turn - i % turn) for i in around]


def resize(a: Any, new_shape: Any) -> Tensor:
    """Another shape, filled with the elements over and over."""
    sizes = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    flat, count = ravel(as_tensor(a)), math.prod(sizes)
    if any(n < 0 for n in sizes):
        raise ValueError(f"resize(): new_shape is {sizes}; wanted sizes of 0 or more")
    if not flat.shape[0]:  # numpy pads with zeros
        return _core.full(sizes, 0, flat.dtype)
    places = _ops.mod(_ops.range(0, count, 1), int(flat.shape[0]))
    return _ops.reshape(take(flat, beside(flat, places), 0), sizes)


def trim_zeros(filt: Any, trim: str = "fb") -> Tensor:
    """A vector without zeros at its front (f) and back (b)."""
    a = as_tensor(filt)
    if a.ndim != 1:
        raise ValueError(f"trim_zeros(): {a.ndim} axes; wanted a vector")
    if trim.lower() not in ("f", "b", "fb", "bf"):
        raise ValueError(f"trim_zeros(): trim is {trim!r}; wanted f, b or fb")
    there = [i for i, v in enumerate(a.tolist()) if v]
    if not there:
        return a[:0]
    first = there[0] if "f" in trim.lower() else 0
    last = there[-1] + 1 if "b" in trim.lower() else int(a.shape[0])
    return a[first:last]


def block(arrays: Any) -> Tensor:
    """Nested lists of arrays put side by side, the innermost along the last axis."""

    def depth(part: Any) -> int:
        if not isinstance(part, list):
            return 0
        below = {depth(p) for p in part}
        if len(below) != 1:
            raise ValueError("block(): lists of different depths, or empty; wanted "
                             "all arrays as deep as each other")  # fmt: skip
        return 1 + below.pop()

    def axes(part: Any) -> int:
        if isinstance(part, list):
            return max(axes(p) for p in part)
        return as_tensor(part).ndim

    def joined(part: Any, axis: int) -> Tensor:
        if not isinstance(part, list):
            made = as_tensor(part)
            while made.ndim < ndim:
                made = _ops.expand_dims(made, 0)
            return made
        return concat([joined(p, axis + 1) for p in part], axis)

    levels = depth(arrays)
    ndim = max(levels, axes(arrays))
    return joined(arrays, -levels) if levels else _shape.own_copy(as_tensor(arrays))


def apply_along_axis(
    func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Tensor:
    """A function of every vector along an axis; its results stand in its place."""
    a = as_tensor(arr)
    at = one_axis(axis, a.ndim, "apply_along_axis")
    rows = _shape.moveaxis(a, at, -1)
    if 0 in rows.shape[:-1]:
        raise ValueError(f"apply_along_axis(): arr is {list(a.shape)}; wanted vectors "
                         f"along axis {axis}")  # fmt: skip
    flat = _ops.reshape(rows, (-1, rows.shape[-1]))
    made = _shape.stack([as_tensor(func1d(row, *args, **kwargs)) for row in flat])
    more = made.ndim - 1
    made = _ops.reshape(made, (*rows.shape[:-1], *made.shape[1:]))
    come = tuple(range(rows.ndim - 1, rows.ndim - 1 + more))
    go = tuple(range(at, at + more))
    return _shape.moveaxis(made, come, go) if more else made


def vectorize(pyfunc: Any) -> Any:
    """The function for every element, one after the other."""

    def made(*args: Any) -> Any:
        given = _shape.broadcast_arrays(*(as_tensor(a) for a in args))
        results = [pyfunc(*(v.item() for v in each))
                   for each in zip(*(ravel(g) for g in given))]  # fmt: skip
        if results and isinstance(results[0], tuple):
            return tuple(_ops.reshape(_core.tensor(list(r)), given[0].shape)
                         for r in zip(*results))  # fmt: skip
        return _ops.reshape(_core.tensor(results), given[0].shape)

    return made


def array2string(a: Any) -> str:
    """How numpy writes the elements."""
    return str(as_tensor(a).numpy())
