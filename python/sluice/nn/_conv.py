"""Convolutions over one, two or three axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

Size = int | Sequence[int]


def each_axis(size: Size, axes: int, what: str) -> tuple[int, ...]:
    """3 as (3, 3)."""
    if isinstance(size, Sequence):
        sizes = tuple(size)
        if len(sizes) != axes:
            raise ValueError(f"{what} is {size}; wanted one number or {axes}")
        return sizes
    return (size,) * axes


class _ConvNd(Module):
    _axes = 0
    _transposed = False
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._check(in_channels, out_channels, groups, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.padding_mode = groups, padding_mode
        self._set_sizes(kernel_size, stride, padding, dilation, 0)
        self._add_filters(bias, device, dtype)

    def _check(
        self, in_channels: int, out_channels: int, groups: int, padding_mode: str
    ) -> None:
        name = type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}: groups is {groups}; wanted it to divide {in_channels} and "
                f"{out_channels} channels"
            )
        if in_channels <= 0 or out_channels <= 0:
            raise ValueError(
                f"{name}: in_channels is {in_channels}, out_channels is "
                f"{out_channels}; wanted both positive"
            )
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                f"{name}: padding_mode is {padding_mode!r}; wanted zeros, reflect, "
                "replicate or circular"
            )

    def _set_sizes(
        self,
        kernel_size: Size,
        stride: Size,
        padding: Size | str,
        dilation: Size,
        output_padding: Size,
    ) -> None:
        axes, name = self._axes, type(self).__name__
        self.kernel_size = each_axis(kernel_size, axes, f"{name}: kernel_size")
        self.stride = each_axis(stride, axes, f"{name}: stride")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"{name}: padding is {padding!r}; wanted numbers, same or valid"
                )
            self.padding: str | tuple[int, ...] = padding
        else:
            self.padding = each_axis(padding, axes, f"{name}: padding")
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError(f"{name}: stride is {stride}; wanted 1 with padding same")
        self.dilation = each_axis(dilation, axes, f"{name}: dilation")
        self.output_padding = each_axis(output_padding, axes, f"{name}: output_padding")
        if min(self.kernel_size) <= 0:
            raise ValueError(
                f"{name}: kernel_size is {kernel_size}; wanted it positive"
            )

    def _add_filters(self, bias: bool, device: Any, dtype: Any) -> None:
        first, second = self.out_channels, self.in_channels // self.groups
        if self._transposed:
            first, second = self.in_channels, self.out_channels // self.groups
        shape = (first, second, *self.kernel_size)
        self.weight = new_parameter(shape, device, dtype)
        has_bias = new_parameter((self.out_channels,), device, dtype) if bias else None
        self.register_parameter("bias", has_bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: evenly, at most 1 / sqrt(inputs of an output)."""
        fan_in = math.prod(self.weight.shape[1:])
        bound = 1 / math.sqrt(fan_in)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        axes = self._axes
        text = (
            f"{self.in_channels}, {self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding not in ((0,) * axes, "valid"):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * axes:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * axes:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def forward(self, input: Any) -> Tensor:
        return _core.nn_conv(
            self._axes,
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
            self.padding_mode,
        )


class Conv1d(_ConvNd):
    """Convolve lines [N, in_channels, L]; weight [out, in / groups, K]."""

    _axes = 1


class Conv2d(_ConvNd):
    """Convolve images [N, in_channels, H, W]; weight [out, in / groups, KH, KW]."""

    _axes = 2


class Conv3d(_ConvNd):
    """Convolve volumes [N, in_channels, D, H, W]; weight [out, in / groups, ...]."""

    _axes = 3


class _ConvTransposeNd(_ConvNd):
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(
                f"{type(self).__name__}: padding_mode is {padding_mode!r}; wanted zeros"
            )
        Module.__init__(self)
        self._check(in_channels, out_channels, groups, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.padding_mode = groups, padding_mode
        self._set_sizes(kernel_size, stride, padding, dilation, output_padding)
        self._add_filters(bias, device, dtype)

    def forward(self, input: Any, output_size: Sequence[int] | None = None) -> Tensor:
        more = self.output_padding
        if output_size is not None:
            more = self._padding_for(input, output_size)
        return _core.nn_conv_transpose(
            self._axes,
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )

    def _padding_for(self, input: Any, output_size: Sequence[int]) -> tuple[int, ...]:
        """The output_padding that gives results of that size."""
        sizes = tuple(output_size)[-self._axes :]
        more = []
        for i, size in enumerate(sizes):
            least = (
                (input.shape[i - self._axes] - 1) * self.stride[i]
                - 2 * int(self.padding[i])
                + self.dilation[i] * (self.kernel_size[i] - 1)
                + 1
            )
            if not least <= size < least + max(self.stride[i], self.dilation[i]):
                raise ValueError(
                    f"{type(self).__name__}: output_size is {tuple(output_size)}; "
                    f"wanted {least} to {least + self.stride[i] - 1} on axis "
                    f"{i - self._axes}"
                )
            more.append(size - least)
        return tuple(more)


class ConvTranspose1d(_ConvTransposeNd):
    """What Conv1d's gradient does to lines; weight [in, out / groups, K]."""

    _axes = 1


class ConvTranspose2d(_ConvTransposeNd):
    """What Conv2d's gradient does to images; weight [in, out / groups, KH, KW]."""

    _axes = 2


class ConvTranspose3d(_ConvTransposeNd):
    """What Conv3d's gradient does to volumes; weight [in, out / groups, ...]."""

    _axes = 3
