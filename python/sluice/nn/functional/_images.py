"""Convolutions and pooling, of batches [N, C, ...] or one sample [C, ...]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _core
from ..._array.axes import flags, whole
from ..._core import Tensor
from ._pool_indices import adaptive_max_indices, max_indices

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]

Size = int | Sequence[int]


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve lines [N, C, L] with filters [out, C / groups, K]."""
    return _core.nn_conv(
        1, input, weight, bias, stride, padding, dilation, groups, "zeros"
    )


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve images [N, C, H, W] with filters [out, C / groups, KH, KW]."""
    return _core.nn_conv(
        2, input, weight, bias, stride, padding, dilation, groups, "zeros"
    )


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve volumes [N, C, D, H, W] with filters [out, C / groups, ...]."""
    return _core.nn_conv(
        3, input, weight, bias, stride, padding, dilation, groups, "zeros"
    )


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """What conv1d's gradient does to lines; filters [C, out / groups, K]."""
    return _core.nn_conv_transpose(
        1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """What conv2d's gradient does to images; filters [C, out / groups, KH, KW]."""
    return _core.nn_conv_transpose(
        2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """What conv3d's gradient does to volumes; filters [C, out / groups, ...]."""
    return _core.nn_conv_transpose(
        3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def max_pool(
    axes: int, input: Any, kernel_size: Size, stride: Size | None, padding: Size,
    dilation: Size, ceil_mode: bool, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The greatest elements, and where they are in their sample and channel."""
    options = (kernel_size, stride, padding, dilation, ceil_mode)
    made = _core.nn_max_pool(axes, input, *options)
    return (made, max_indices(axes, input, *options)) if return_indices else made


def max_pool1d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest element of each window of lines [N, C, L]."""
    return max_pool(
        1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def max_pool2d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest element of each window of images [N, C, H, W]."""
    return max_pool(
        2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def max_pool3d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest element of each window of volumes [N, C, D, H, W]."""
    return max_pool(
        3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def _filled_up(
    axes: int, input: Any, kernel_size: Size, stride: Size | None, padding: Size
) -> Tensor:
    """The input with as many zeros behind it as windows reach over its end."""
    steps = kernel_size if stride is None or stride == () else stride
    sizes = (kernel_size, steps, padding)
    given = [[n] if isinstance(n, int) else list(n) for n in sizes]
    each = [n * axes if len(n) == 1 else n for n in given]
    widths: list[int] = []
    for size, k, s, p in zip(input.shape[-axes:], *each):
        size = int(size)
        count = -((k - size - 2 * p) // s) + 1
        count -= (count - 1) * s >= size + p  # one that begins in the border
        widths = [0, max((count - 1) * s + k - size - 2 * p, 0), *widths]
    return _core.nn_pad(input, widths, "constant", 0.0)


def avg_pool(
    axes: int,
    input: Any,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None = None,
) -> Tensor:
    """Means of windows, or their sums divided by another number."""
    flags(ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    if divisor_override is None:
        return _core.nn_avg_pool(
            axes, input, kernel_size, stride, padding, ceil_mode, count_include_pad
        )
    if whole(divisor_override, "divisor_override") == 0:
        raise ValueError("divisor_override is 0; wanted another number")
    sizes = [kernel_size] if isinstance(kernel_size, int) else list(kernel_size)
    elements = math.prod(sizes * axes if len(sizes) == 1 else sizes)
    if ceil_mode:
        # The last window may reach over the end: zeros there make it like others.
        input = _filled_up(axes, input, kernel_size, stride, padding)
    mean = _core.nn_avg_pool(axes, input, kernel_size, stride, padding, False, True)
    return mean * (elements / divisor_override)


def avg_pool1d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of lines [N, C, L]."""
    return _core.nn_avg_pool(
        1, input, kernel_size, stride, padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of images [N, C, H, W]."""
    return avg_pool(
        2,
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def avg_pool3d(
    input: Any,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of volumes [N, C, D, H, W]."""
    return avg_pool(
        3,
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def lp_pool(
    axes: int,
    input: Any,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None,
    ceil_mode: bool,
) -> Tensor:
    """The root of the sum of powers of each window."""
    flags(ceil_mode=ceil_mode)
    return _core.nn_lp_pool(
        axes, input, float(norm_type), kernel_size, stride, ceil_mode
    )


def lp_pool1d(
    input: Any,
    norm_type: float,
    kernel_size: int,
    stride: int | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of lines [N, C, L]."""
    return lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of images [N, C, H, W]."""
    return lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Any,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of volumes [N, C, D, H, W]."""
    return lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


AdaptiveSize = int | Sequence[int | None]


def adaptive_pool(axes: int, max: bool, input: Any, size: AdaptiveSize) -> Tensor:
    """Pooling to `size`, in which None keeps the size that input's axis has."""
    if isinstance(size, Sequence) and len(size) != axes:
        raise ValueError(f"output_size is {size}; wanted {axes} sizes, or one number")
    if isinstance(size, Sequence) and None in size:
        size = [
            int(input.shape[i - axes]) if n is None else n for i, n in enumerate(size)
        ]
    return _core.nn_adaptive_pool(axes, max, input, size)


def adaptive_max_pool(
    axes: int, input: Any, size: AdaptiveSize, return_indices: bool
) -> Any:
    """The greatest elements, and where they are in their sample and channel."""
    made = adaptive_pool(axes, True, input, size)
    return (made, adaptive_max_indices(axes, input, size)) if return_indices else made


def adaptive_avg_pool1d(input: Any, output_size: AdaptiveSize) -> Tensor:
    """Means of windows that cover lines [N, C, L] evenly, so many as are wanted."""
    return adaptive_pool(1, False, input, output_size)


def adaptive_avg_pool2d(input: Any, output_size: AdaptiveSize) -> Tensor:
    """Means of windows that cover images evenly; None keeps a size."""
    return adaptive_pool(2, False, input, output_size)


def adaptive_avg_pool3d(input: Any, output_size: AdaptiveSize) -> Tensor:
    """Means of windows that cover volumes evenly; None keeps a size."""
    return adaptive_pool(3, False, input, output_size)


def adaptive_max_pool1d(
    input: Any, output_size: AdaptiveSize, return_indices: bool = False
) -> Any:
    """Maxima of windows that cover lines evenly, so many as are wanted."""
    return adaptive_max_pool(1, input, output_size, return_indices)


def adaptive_max_pool2d(
    input: Any, output_size: AdaptiveSize, return_indices: bool = False
) -> Any:
    """Maxima of windows that cover images evenly; None keeps a size."""
    return adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(
    input: Any, output_size: AdaptiveSize, return_indices: bool = False
) -> Any:
    """Maxima of windows that cover volumes evenly; None keeps a size."""
    return adaptive_max_pool(3, input, output_size, return_indices)
