"""Pooling over one, two or three axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import Tensor
from ._module import Module
from .functional._images import (
    adaptive_max_pool,
    adaptive_pool,
    avg_pool,
    lp_pool,
    max_pool,
)

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]

Size = int | Sequence[int]
AdaptiveSize = int | Sequence[int | None]


class _MaxPool(Module):
    _axes = 0

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Any) -> Any:
        return max_pool(
            self._axes,
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The greatest element of each window of lines [N, C, L]."""

    _axes = 1


class MaxPool2d(_MaxPool):
    """The greatest element of each window of images [N, C, H, W]."""

    _axes = 2


class MaxPool3d(_MaxPool):
    """The greatest element of each window of volumes [N, C, D, H, W]."""

    _axes = 3


class _AvgPool(Module):
    _axes = 0
    divisor_override: int | None = None

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Tensor:
        return avg_pool(
            self._axes,
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class AvgPool1d(_AvgPool):
    """The mean of each window of lines [N, C, L]."""

    _axes = 1


class _AvgPoolMore(_AvgPool):
    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override


class AvgPool2d(_AvgPoolMore):
    """The mean of each window of images [N, C, H, W]."""

    _axes = 2


class AvgPool3d(_AvgPoolMore):
    """The mean of each window of volumes [N, C, D, H, W]."""

    _axes = 3


class _AdaptiveAvgPool(Module):
    _axes = 0

    def __init__(self, output_size: AdaptiveSize) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Tensor:
        return adaptive_pool(self._axes, False, input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means of windows that cover lines [N, C, L] evenly, so many as are wanted."""

    _axes = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means of windows that cover images [N, C, H, W] evenly; None keeps a size."""

    _axes = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Means of windows that cover volumes evenly; None keeps a size."""

    _axes = 3


class _AdaptiveMaxPool(Module):
    _axes = 0

    def __init__(self, output_size: AdaptiveSize, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Any) -> Any:
        return adaptive_max_pool(
            self._axes, input, self.output_size, self.return_indices
        )

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Maxima of windows that cover lines [N, C, L] evenly, so many as are wanted."""

    _axes = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maxima of windows that cover images [N, C, H, W] evenly; None keeps a size."""

    _axes = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maxima of windows that cover volumes evenly; None keeps a size."""

    _axes = 3


class _LPPool(Module):
    _axes = 0

    def __init__(
        self,
        norm_type: float,
        kernel_size: Size,
        stride: Size | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input: Any) -> Tensor:
        return lp_pool(
            self._axes,
            input,
            self.norm_type,
            self.kernel_size,
            self.stride,
            self.ceil_mode,
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The p-norm of each window of lines [N, C, L]."""

    _axes = 1


class LPPool2d(_LPPool):
    """The p-norm of each window of images [N, C, H, W]."""

    _axes = 2


class LPPool3d(_LPPool):
    """The p-norm of each window of volumes [N, C, D, H, W]."""

    _axes = 3
