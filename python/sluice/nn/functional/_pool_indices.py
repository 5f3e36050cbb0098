"""Where max pooling finds its elements, and pooling undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import _core
from ..._array.axes import whole
from ..._array.create import arange, zeros
from ..._array.device import beside
from ..._array.pick import scatter
from ..._array.shape import as_tensor, expand_dims, flatten
from ..._core import Tensor
from .._value_checks import want_all

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]

Size = int | Sequence[int]

_PICK = {
    1: _core.op_function("MaxPool1DPick"),
    2: _core.op_function("MaxPool2DPick"),
    3: _core.op_function("MaxPool3DPick"),
}
Op = Callable[..., Tensor]
_adaptive_pick: Op = _core.op_function("AdaptiveMaxPool2DPick")
_broadcast: Op = _core.op_function("BroadcastTo")


def _each(size: Any, axes: int) -> list[int]:
    sizes = list(size) if isinstance(size, Sequence) else [size]
    return sizes * axes if len(sizes) == 1 else sizes


def _one_each(size: Any, axes: int, name: str, what: str) -> list[int]:
    """One number for all axes, or a list of one for each: no more, no fewer."""
    sizes = list(size) if isinstance(size, Sequence) else [size] * axes
    if len(sizes) != axes:
        raise ValueError(
            f"{what}(): {name} is {size}; wanted one number, or {axes} of them"
        )
    return [whole(n, f"{what}(): {name}") for n in sizes]


def _places(x: Tensor, axes: int) -> Tensor:
    """Numbers of the elements of the last axes, for every sample and channel."""
    total: Any = 1
    for size in x.shape[-axes:]:
        total = total * size
    numbers = arange(total).reshape(tuple(x.shape[-axes:])).to(_core.float64)
    return _broadcast(beside(x, numbers), tuple(x.shape))


def max_indices(
    axes: int, input: Any, kernel_size: Any, stride: Any, padding: Any,
    dilation: Any, ceil_mode: bool,
) -> Tensor:  # fmt: skip
    """Which element of its sample and channel is the greatest of each window."""
    x = as_tensor(input).detach()
    if x.ndim == axes + 1:
        one = expand_dims(x, 0)
        return max_indices(
            axes, one, kernel_size, stride, padding, dilation, ceil_mode
        )[0]
    x = x.to(_core.float64)
    kernel = _each(kernel_size, axes)
    found = _PICK[axes](
        x,
        _places(x, axes),
        kernel_size=kernel,
        strides=kernel if stride is None or stride == [] else _each(stride, axes),
        padding=_each(padding, axes),
        dilation=_each(dilation, axes),
        ceil_mode=bool(ceil_mode),
    )
    return found.to(_core.int64)


def adaptive_max_indices(axes: int, input: Any, size: Any) -> Tensor:
    """Which element of its sample and channel is the greatest of each window."""
    x = as_tensor(input).detach()
    if x.ndim == axes + 1:
        return adaptive_max_indices(axes, expand_dims(x, 0), size)[0]
    x = x.to(_core.float64)
    sizes = _each(size, axes)
    sizes = [int(x.shape[2 + i]) if n is None else n for i, n in enumerate(sizes)]
    at = _places(x, axes)
    if axes == 1:
        x, at, sizes = expand_dims(x, 2), expand_dims(at, 2), [1, *sizes]
    if axes < 3:
        found = _adaptive_pick(x, at, output_size=sizes)
        found = found.squeeze(2) if axes == 1 else found
        return found.to(_core.int64)
    # Of volumes: of their images, then of those along the depth.
    x, at, joined = flatten(x, 1, 2), flatten(at, 1, 2), tuple(x.shape[:3])
    best = _adaptive_pick(x, x, output_size=sizes[1:])
    at = _adaptive_pick(x, at, output_size=sizes[1:])
    wide = sizes[1] * sizes[2]
    best, at = best.reshape(*joined, wide), at.reshape(*joined, wide)
    found = _adaptive_pick(best, at, output_size=[sizes[0], wide])
    return found.reshape(*joined[:2], *sizes).to(_core.int64)


def _wanted_sizes(
    x: Tensor, axes: int, kernel: list[int], stride: list[int], padding: list[int],
    output_size: Any, what: str,
) -> list[Any]:  # fmt: skip
    usual = [
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[-axes:], stride, padding, kernel)
    ]
    if output_size is None:
        return usual
    sizes = list(output_size)
    sizes = sizes[2:] if len(sizes) == axes + 2 else sizes
    if len(sizes) != axes:
        raise ValueError(
            f"{what}(): output_size is {list(output_size)}; wanted {axes} sizes or "
            f"{axes + 2}"
        )
    for n, m, s in zip(sizes, usual, stride):
        if not m - s < n < m + s:
            raise ValueError(
                f"{what}(): output_size is {sizes}; wanted less than {stride} from "
                f"{[int(u) for u in usual]}"
            )
    return sizes


def max_unpool(
    axes: int, input: Any, indices: Any, kernel_size: Size, stride: Any, padding: Size,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Elements where max pooling found them, zeros elsewhere."""
    what = f"max_unpool{axes}d"
    x, at = as_tensor(input), as_tensor(indices)
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{what}(): input has {x.ndim} axes; wanted {axes + 1} or {axes + 2}"
        )
    if x.shape != at.shape:
        raise ValueError(
            f"{what}(): input is {list(x.shape)}, indices {list(at.shape)}; wanted one "
            "shape"
        )
    if at.dtype != _core.int64:
        raise TypeError(f"{what}(): indices are {at.dtype.name}; wanted int64")
    kernel = _one_each(kernel_size, axes, "kernel_size", what)
    plain = stride is None or stride == []
    steps = kernel if plain else _one_each(stride, axes, "stride", what)
    border = _one_each(padding, axes, "padding", what)
    sizes = _wanted_sizes(x, axes, kernel, steps, border, output_size, what)
    total: Any = 1
    for size in sizes:
        total = total * size
    want_all(
        (at >= 0) & (at < total), f"{what}(): an index is beyond the result's elements"
    )
    front = tuple(x.shape[:-axes])
    flat, places = flatten(x, -axes), flatten(at, -axes)
    empty = beside(x, zeros(*front, total, dtype=x.dtype))
    return scatter(empty, -1, places, flat).reshape(*front, *sizes)


def max_unpool1d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None,
    padding: Size = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Elements where max_pool1d found them, zeros elsewhere."""
    return max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None,
    padding: Size = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Elements where max_pool2d found them, zeros elsewhere."""
    return max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Any, indices: Any, kernel_size: Size, stride: Any = None,
    padding: Size = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Elements where max_pool3d found them, zeros elsewhere."""
    return max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
