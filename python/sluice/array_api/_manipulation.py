"""The same elements in another order or shape, joined, cut, repeated."""

from __future__ import annotations

from functools import reduce
from typing import Any

from .. import _core, _ops
from .._array import shape as _top
from .._array.axes import axes_tuple, one_axis, whole
from .._core import Tensor
from ._operands import array, as_type, common

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]


def _alike(arrays: Any, what: str) -> list[Tensor]:
    """Arrays in the type they have together."""
    given = [array(x, what, f"arrays[{i}]") for i, x in enumerate(arrays)]
    if not given:
        raise ValueError(f"{what}(): arrays is empty; wanted at least one array")
    its = reduce(lambda a, b: common(a, b, what), (x.dtype for x in given))
    return [as_type(x, its) for x in given]


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """All of them stretched to the shape they have together."""
    return _top.broadcast_arrays(*(array(x, "broadcast_arrays") for x in arrays))


def broadcast_to(x: Tensor, /, shape: Any) -> Tensor:
    """Stretched to a shape: axes of size 1 and missing ones repeat."""
    return _ops.broadcast_to(array(x, "broadcast_to"), shape)


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """One after the other along an axis; of all elements when axis is None."""
    return _top.concat(_alike(arrays, "concat"), axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Side by side along a new axis."""
    return _ops.stack(_alike(arrays, "stack"), axis=axis)


def expand_dims(x: Tensor, /, axis: int) -> Tensor:
    """With one more axis of size 1."""
    x = array(x, "expand_dims")
    at = one_axis(axis, x.ndim + 1, "expand_dims")
    return _ops.expand_dims(x, at)


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    """In reverse order along some axes, or all."""
    x = array(x, "flip")
    axes = tuple(range(x.ndim)) if axis is None else axes_tuple(axis, x.ndim, "flip")
    return _top.own_copy(_ops.reverse(x, axes) if axes else x)


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """Some axes moved to other places; the rest keeps its order."""
    return _top.moveaxis(array(x, "moveaxis"), source, destination)


def permute_dims(x: Tensor, /, axes: Any) -> Tensor:
    """With the axes in another order."""
    return _top.permute_dims(array(x, "permute_dims"), axes)


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Every element or slice that many times, one after the other."""
    x = array(x, "repeat")
    if isinstance(repeats, Tensor):
        repeats = as_type(repeats, _core.int64)
        if repeats.ndim == 1 and repeats.shape[0] == 1:
            repeats = _ops.reshape(repeats, ())  # as a number: for all of them
    else:
        repeats = whole(repeats, "repeat(): repeats")
    if axis is None:
        return _ops.repeat(_top.ravel(x), repeats, axis=0)
    at = one_axis(axis, x.ndim, "repeat")
    return _ops.repeat(x, repeats, axis=at)


def reshape(x: Tensor, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """The same elements in order under another shape; one size may be -1."""
    x = array(x, "reshape")
    if copy is False and not x.is_contiguous():
        raise ValueError("reshape(): copy is False, and x is not contiguous")
    made = _ops.reshape(x, shape)
    return _top.own_copy(made) if copy else made


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Moved along some axes; what leaves at one end comes in at the other."""
    x = array(x, "roll")
    if axis is None:
        if isinstance(shift, (tuple, list)):
            raise TypeError(f"roll(): shift is {shift!r}; wanted an int, or an axis")
        return _top.roll(x, shift)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift] * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll(): {len(shifts)} shifts for {len(axes)} axes")
    moves: dict[int, int] = {}  # an axis named twice moves by the sum
    for a, by in zip(axes, shifts):
        at = one_axis(a, x.ndim, "roll")
        moves[at] = moves.get(at, 0) + by
    if not moves:
        return _top.own_copy(x)
    return _ops.roll(x, list(moves.values()), list(moves))


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    """Without some axes of size 1; another size is refused."""
    x = array(x, "squeeze")
    axes = axes_tuple(axis, x.ndim, "squeeze")
    for a in axes:
        if x.shape[a] not in (1, None):
            raise ValueError(
                f"squeeze(): axis {a} has size {x.shape[a]}; wanted size 1"
            )
    return _ops.squeeze(x, axes) if axes else x


def tile(x: Tensor, repetitions: Any, /) -> Tensor:
    """Repeated as a whole along its axes, and along new ones in front."""
    return _top.tile(array(x, "tile"), tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, one by one."""
    return _top.unbind(array(x, "unstack"), axis)
