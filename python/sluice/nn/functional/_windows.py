"""Windows of images as columns, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._array.create import arange, zeros
from ..._array.device import beside
from ..._array.shape import as_tensor, expand_dims, flatten, stack
from ..._core import Tensor
from ._layers import pad

__all__ = ["fold", "unfold"]

Size = int | Sequence[int]


def _two(size: Any, name: str, what: str, least: int) -> tuple[Any, Any]:
    sizes = tuple(size) if isinstance(size, Sequence) else (size, size)
    if len(sizes) != 2 or any(n < least for n in sizes):
        raise ValueError(
            f"{what}(): {name} is {size}; wanted one number or two, of {least} or more"
        )
    return sizes


def _options(
    kernel: Size, dilation: Size, padding: Size, stride: Size, what: str
) -> list[tuple[Any, ...]]:
    """(kernel, dilation, padding, stride) of height, and of width."""
    return list(
        zip(
            _two(kernel, "kernel_size", what, 1),
            _two(dilation, "dilation", what, 1),
            _two(padding, "padding", what, 0),
            _two(stride, "stride", what, 1),
        )
    )


def _count(size: Any, option: tuple[Any, ...], what: str) -> Any:
    """How many windows there are along an axis."""
    kernel, dilation, border, stride = option
    room = size + 2 * border - dilation * (kernel - 1) - 1
    if room < 0:
        raise ValueError(
            f"{what}(): windows of {kernel} (dilation {dilation}) are larger than "
            f"{int(size)} with a border of {border}"
        )
    return room // stride + 1


def _taken(x: Tensor, axis: int, count: Any, option: tuple[Any, ...]) -> Tensor:
    """Windows along an axis: their elements along a new one before it."""
    kernel, dilation, _, stride = option
    before = (slice(None),) * axis
    reach = stride * (count - 1) + 1
    parts = [
        x[(*before, slice(k * dilation, k * dilation + reach, stride))]
        for k in range(kernel)
    ]
    return stack(parts, axis)


def unfold(
    input: Any,
    kernel_size: Size,
    dilation: Size = 1,
    padding: Size = 0,
    stride: Size = 1,
) -> Tensor:
    """Windows of images [N, C, H, W] as columns [N, C kh kw, windows].

    A single image [C, H, W] gives [C kh kw, windows].
    """
    x = as_tensor(input)
    if x.ndim not in (3, 4):
        raise ValueError(f"unfold(): input has {x.ndim} axes; wanted 3 or 4")
    if x.ndim == 3:
        one = expand_dims(x, 0)
        return unfold(one, kernel_size, dilation, padding, stride)[0]
    rows, columns = _options(kernel_size, dilation, padding, stride, "unfold")
    high = _count(x.shape[2], rows, "unfold")
    wide = _count(x.shape[3], columns, "unfold")
    if rows[2] or columns[2]:
        x = pad(x, [columns[2], columns[2], rows[2], rows[2]])
    made = _taken(_taken(x, 2, high, rows), 4, wide, columns)
    batch, channels = made.shape[:2]
    made = made.permute(0, 1, 2, 4, 3, 5)
    places = channels * rows[0] * columns[0]
    return made.reshape(batch, places, high * wide)


def _put(x: Tensor, size: Any, count: Any, option: tuple[Any, ...]) -> Tensor:
    """x [rest, kernel, count] added up along one axis of `size`, without border."""
    kernel, dilation, border, stride = option
    steps = expand_dims(arange(kernel) * dilation, 1)
    places = flatten(steps + arange(count) * stride)
    empty = beside(x, zeros(x.shape[0], size + 2 * border, dtype=x.dtype))
    made = empty.index_add(1, beside(x, places), flatten(x, 1))
    inner: Tensor = made[:, border : border + size]
    return inner


def fold(
    input: Any,
    output_size: Size,
    kernel_size: Size,
    dilation: Size = 1,
    padding: Size = 0,
    stride: Size = 1,
) -> Tensor:
    """Columns [N, C kh kw, windows] added up to images [N, C, H, W]: what
    unfold's gradient does."""
    x = as_tensor(input)
    if x.ndim not in (2, 3):
        raise ValueError(f"fold(): input has {x.ndim} axes; wanted 2 or 3")
    if x.ndim == 2:
        one = expand_dims(x, 0)
        return fold(one, output_size, kernel_size, dilation, padding, stride)[0]
    height, width = _two(output_size, "output_size", "fold", 1)
    rows, columns = _options(kernel_size, dilation, padding, stride, "fold")
    high, wide = _count(height, rows, "fold"), _count(width, columns, "fold")
    batch, places, windows = x.shape
    if places % (rows[0] * columns[0]) != 0 or windows != high * wide:
        raise ValueError(
            f"fold(): input is {[int(n) for n in x.shape]}; wanted a multiple of "
            f"{rows[0] * columns[0]} places and {int(high * wide)} windows"
        )
    channels = places // (rows[0] * columns[0])
    x = x.reshape(batch * channels, rows[0], columns[0], high, wide)
    x = x.permute(0, 1, 3, 2, 4).reshape(-1, columns[0], wide)
    x = _put(x, width, wide, columns)
    x = x.reshape(batch * channels, rows[0] * high, width).permute(0, 2, 1)
    x = _put(x.reshape(-1, rows[0], high), height, high, rows)
    x = x.reshape(batch * channels, width, height).permute(0, 2, 1)
    return x.reshape(batch, channels, height, width)
