"""Blocks of a tensor at places that are numbers of a tensor, of sizes that are known:
JAX's dynamic slices. A block that would reach over an end is moved back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import one_axis, whole
from .create import arange
from .device import beside
from .shape import as_tensor

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
]


def _start(x: Tensor, at: Any, axis: int, size: Any, what: str) -> Tensor:
    """Where a block begins: negative places count from the end, and it fits."""
    room = x.shape[axis]
    at = _ops.cast(beside(x, as_tensor(at)), _core.int64)
    if at.ndim:
        raise ValueError(
            f"{what}(): a start is {list(at.shape)}; wanted a number for each axis"
        )
    if not x.symbolic and not 0 <= size <= room:
        raise ValueError(
            f"{what}(): a block of {size} along axis {axis} of {room}; wanted 0 to "
            f"{room}"
        )
    at = _ops.where(at < 0, at + room, at)
    return _ops.minimum(_ops.maximum(at, 0), room - size)


def _starts(x: Tensor, starts: Any, sizes: Sequence[Any], what: str) -> list[Tensor]:
    if isinstance(starts, Tensor):
        starts = [starts[i] for i in range(int(starts.shape[0]))]
    if len(starts) != x.ndim or len(sizes) != x.ndim:
        raise ValueError(
            f"{what}(): {len(starts)} starts and {len(sizes)} sizes for {x.ndim} axes"
        )
    return [_start(x, at, i, n, what) for i, (at, n) in enumerate(zip(starts, sizes))]


def dynamic_slice(x: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Tensor:
    """The block of these sizes that begins at these places."""
    x = as_tensor(x)
    sizes = [whole(n, "dynamic_slice(): slice_sizes") for n in slice_sizes]
    for i, at in enumerate(_starts(x, start_indices, sizes, "dynamic_slice")):
        x = _ops.gather(x, at + beside(x, arange(sizes[i])), axis=i)
    return x


def dynamic_update_slice(x: Any, update: Any, start_indices: Any) -> Tensor:
    """x with a block at these places replaced."""
    x, update = as_tensor(x), as_tensor(update)
    if x.dtype != update.dtype:
        raise TypeError(
            f"dynamic_update_slice(): x is {x.dtype.name}, update {update.dtype.name}; "
            "wanted one type"
        )
    sizes = list(update.shape)
    places: Any = 0
    found = _starts(x, start_indices, sizes, "dynamic_update_slice")
    for i, at in enumerate(found):
        along = at + beside(x, arange(sizes[i]))
        places = places * x.shape[i] + along.reshape(-1, *[1] * (x.ndim - 1 - i))
    if not x.ndim:
        return update + _ops.zeros_like(update)
    flat = _ops.index_copy(x.reshape(-1), _ops.reshape(places, (-1,)),
                           update.reshape(-1), axis=0)  # fmt: skip
    return flat.reshape(x.shape)


def dynamic_slice_in_dim(
    x: Any, start_index: Any, slice_size: int, axis: int = 0
) -> Tensor:
    """dynamic_slice along one axis."""
    x = as_tensor(x)
    axis = one_axis(axis, x.ndim, "dynamic_slice_in_dim")
    at = _start(x, start_index, axis, slice_size, "dynamic_slice_in_dim")
    return _ops.gather(x, at + beside(x, arange(slice_size)), axis=axis)


def dynamic_update_slice_in_dim(
    x: Any, update: Any, start_index: Any, axis: int
) -> Tensor:
    """dynamic_update_slice along one axis."""
    x, update = as_tensor(x), as_tensor(update)
    axis = one_axis(axis, x.ndim, "dynamic_update_slice_in_dim")
    starts: list[Any] = [0] * x.ndim
    starts[axis] = start_index
    return dynamic_update_slice(x, update, starts)


def dynamic_index_in_dim(
    x: Any, index: Any, axis: int = 0, keepdims: bool = True
) -> Tensor:
    """The slice at a place of an axis, which stays with size 1."""
    x = as_tensor(x)
    made = dynamic_slice_in_dim(x, index, 1, axis)
    return made if keepdims else _ops.squeeze(made, (axis % x.ndim,))


def dynamic_update_index_in_dim(
    x: Any, update: Any, index: Any, axis: int
) -> Tensor:
    """x with the slice at a place of an axis replaced."""
    x, update = as_tensor(x), as_tensor(update)
    if update.ndim != x.ndim:
        update = _ops.expand_dims(update, one_axis(axis, x.ndim, "dynamic_update"))
    return dynamic_update_slice_in_dim(x, update, index, axis)
