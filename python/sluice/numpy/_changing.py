"""Arrays cut, joined and padded, by numpy's names."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._array import shape as _shape
from .._array.axes import axes_tuple
from .._array.device import beside
from .._array.pick import take
from .._array.pieces import tensor_split
from .._array.shape import as_tensor, concat, ravel
from .._core import Tensor

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
    if isinstance(parts, int) and a.shape[axis] % parts:
        raise ValueError(
            f"split(): size {a.shape[axis]} in {parts} parts; wanted parts of one "
            "size, or array_split()"
        )
    return array_split(a, parts, axis)


def vsplit(a: Any, indices_or_sections: Any) -> list[Tensor]:
    """Cut along the first axis."""
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
    (at,) = axes_tuple(axis, a.ndim, "rollaxis")
    start = start + a.ndim if start < 0 else start
    return _shape.moveaxis(a, at, start - 1 if at < start else start)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Values behind an array; without an axis both as vectors."""
    a, more = as_tensor(arr), as_tensor(values)
    return concat([ravel(a), ravel(more)]) if axis is None else concat([a, more], axis)


def _kept(n: int, gone: Any) -> list[int]:
    if isinstance(gone, slice):
        out = set(range(n)[gone])
    elif isinstance(gone, int):
        out = {range(n)[gone]}
    else:
        listed = as_tensor(gone).tolist()
        if as_tensor(gone).dtype == _core.bool:
            listed = [i for i, yes in enumerate(listed) if yes]
        out = {range(n)[i] for i in (listed if isinstance(listed, list) else [listed])}
    return [i for i in range(n) if i not in out]


def delete(arr: Any, obj: Any, axis: int | None = None) -> Tensor:
    """Without the elements, or slices along an axis, at these places."""
    a = as_tensor(arr)
    a, at = (ravel(a), 0) if axis is None else (a, axis)
    kept = _kept(int(a.shape[at]), obj)
    return take(a, beside(a, _core.tensor(kept, _core.int64)), at)


def insert(arr: Any, obj: int, values: Any, axis: int | None = None) -> Tensor:
    """With values put in before a place."""
    a = as_tensor(arr)
    a, at = (ravel(a), 0) if axis is None else (a, axis)
    n = int(a.shape[at])
    place = obj + n if obj < 0 else obj
    if not 0 <= place <= n:
        raise IndexError(f"insert(): place {obj} of {n}; wanted 0 to {n}")
    before, behind = tensor_split(a, [place], at)
    more = _ops.cast(as_tensor(values), a.dtype)
    if a.ndim == 1:
        more = _ops.reshape(more, (-1,))
    else:
        if more.ndim < a.ndim:
            more = _ops.expand_dims(more, at) if more.ndim == a.ndim - 1 else more
        sizes = [1 if i == at % a.ndim else m for i, m in enumerate(a.shape)]
        more = _ops.broadcast_to(more, sizes)
    return concat([before, more, behind], at)


_MODES = {"edge": "replicate", "wrap": "circular", "reflect": "reflect"}


def pad(
    array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0
) -> Tensor:
    """A border around an array: one width, (before, after), or these for each axis.

    mode: constant, edge, reflect or wrap.
    """
    a = as_tensor(array)
    widths = as_tensor(pad_width).tolist()
    if isinstance(widths, int):
        widths = [widths, widths]
    if not isinstance(widths[0], list):
        widths = [widths if len(widths) == 2 else widths * 2] * a.ndim
    elif len(widths) == 1:
        widths = widths * a.ndim
    if mode == "constant":
        flat = [n for pair in widths for n in pair]
        return _ops.pad(a, flat, value=constant_values)
    if mode not in _MODES:
        raise ValueError(f"pad(): mode is {mode!r}; wanted constant, edge, reflect or "
                         "wrap")  # fmt: skip
    for at, (before, behind) in enumerate(widths):
        places = _places(int(a.shape[at]), before, behind, mode)
        a = take(a, beside(a, _core.tensor(places, _core.int64)), at)
    return a


def _places(n: int, before: int, behind: int, mode: str) -> list[int]:
    """Which element stands at each place of an axis with a border."""
    around = range(-before, n + behind)
    if mode == "edge":
        return [min(max(i, 0), n - 1) for i in around]
    if mode == "wrap":
        return [i % n for i in around]
    turn = max(2 * (n - 1), 1)
    return [min(i % turn, turn - i % turn) for i in around]


def resize(a: Any, new_shape: Any) -> Tensor:
    """Another shape, filled with the elements over and over."""
    sizes = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    flat, count = ravel(as_tensor(a)), math.prod(sizes)
    places = _ops.mod(_ops.range(0, count, 1), int(flat.shape[0]))
    return _ops.reshape(take(flat, beside(flat, places), 0), sizes)


def trim_zeros(filt: Any, trim: str = "fb") -> Tensor:
    """A vector without zeros at its front (f) and back (b)."""
    a = as_tensor(filt)
    there = [i for i, v in enumerate(a.tolist()) if v]
    if not there:
        return a[:0]
    first = there[0] if "f" in trim.lower() else 0
    last = there[-1] + 1 if "b" in trim.lower() else int(a.shape[0])
    return a[first:last]


def block(arrays: Any) -> Tensor:
    """Nested lists of arrays put side by side, the innermost along the last axis."""

    def depth(part: Any) -> int:
        return 1 + depth(part[0]) if isinstance(part, list) else 0

    def joined(part: Any, axis: int) -> Tensor:
        if not isinstance(part, list):
            made = as_tensor(part)
            while made.ndim < levels:
                made = _ops.expand_dims(made, 0)
            return made
        return concat([joined(p, axis + 1) for p in part], axis)

    levels = depth(arrays)
    return joined(arrays, -levels) if levels else as_tensor(arrays)


def apply_along_axis(func1d: Any, axis: int, arr: Any) -> Tensor:
    """A function of every vector along an axis."""
    rows = _shape.moveaxis(as_tensor(arr), axis, -1)
    flat = _ops.reshape(rows, (-1, rows.shape[-1]))
    made = _shape.stack([as_tensor(func1d(row)) for row in flat])
    made = _ops.reshape(made, (*rows.shape[:-1], *made.shape[1:]))
    return _shape.moveaxis(made, -1, axis) if made.ndim == rows.ndim else made


def vectorize(pyfunc: Any) -> Any:
    """The function for every element, one after the other."""

    def made(*args: Any) -> Tensor:
        given = _shape.broadcast_arrays(*(as_tensor(a) for a in args))
        results = [pyfunc(*(v.item() for v in each))
                   for each in zip(*(ravel(g) for g in given))]  # fmt: skip
        return _ops.reshape(_core.tensor(results), given[0].shape)

    return made


def array2string(a: Any) -> str:
    """How numpy writes the elements."""
    return str(as_tensor(a).numpy())
