"""Layers that move elements about, and distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from . import functional as F
from ._conv import each_axis
from ._module import Module

__all__ = [
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "CosineSimilarity",
    "Flatten",
    "PairwiseDistance",
    "PixelShuffle",
    "PixelUnshuffle",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Unflatten",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

Size = int | Sequence[int]


class Flatten(Module):
    """Axes from start_dim to end_dim as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Tensor:
        return _core.nn_flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One axis as several; one of the sizes may be -1."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Any) -> Tensor:
        return _core.nn_unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Upsample(Module):
    """Lines, images or volumes of another size; modes are interpolate's."""

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        if (size is None) == (scale_factor is None):
            raise ValueError("Upsample: wanted either a size or a scale_factor")
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Any) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            text = f"scale_factor={self.scale_factor}"
        else:
            text = f"size={self.size}"
        return f"{text}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images of another size, of the nearest elements."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    """Images of another size, between four elements; the corners stay in place."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class ChannelShuffle(Module):
    """Channels [N, C, ...], in groups, one of each group in turn."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class PixelShuffle(Module):
    """Channels [N, C r r, H, W] as pixels [N, C, H r, W r]."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels [N, C, H r, W r] as channels [N, C r r, H, W]."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class _Pad(Module):
    _axes = 0
    _kind = "constant"

    def __init__(self, padding: Size) -> None:
        super().__init__()
        self.padding = each_axis(padding, 2 * self._axes, type(self).__name__)

    def forward(self, input: Any) -> Tensor:
        return F.pad(input, self.padding, self._kind)

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad1d(_Pad):
    """Zeros around lines: (left, right), or one number."""

    _axes = 1


class ZeroPad2d(_Pad):
    """Zeros around images: (left, right, top, bottom), or one number."""

    _axes = 2


class ZeroPad3d(_Pad):
    """Zeros around volumes: (left, right, top, bottom, front, back)."""

    _axes = 3


class ReflectionPad1d(_Pad):
    """Lines with what a mirror at their ends shows around them."""

    _axes, _kind = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Images with what a mirror at their edges shows around them."""

    _axes, _kind = 2, "reflect"


class ReplicationPad1d(_Pad):
    """Lines with their ends repeated around them."""

    _axes, _kind = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Images with their edges repeated around them."""

    _axes, _kind = 2, "replicate"


class CircularPad1d(_Pad):
    """Lines with themselves again around them."""

    _axes, _kind = 1, "circular"


class CircularPad2d(_Pad):
    """Images with themselves again around them."""

    _axes, _kind = 2, "circular"


class ReplicationPad3d(_Pad):
    """Volumes with their faces repeated around them."""

    _axes, _kind = 3, "replicate"


class ReflectionPad3d(_Pad):
    """Volumes with what a mirror at their faces shows around them."""

    _axes, _kind = 3, "reflect"


class CircularPad3d(_Pad):
    """Volumes with themselves again around them."""

    _axes, _kind = 3, "circular"


class _ConstantPad(_Pad):
    def __init__(self, padding: Size, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """One number around lines."""

    _axes = 1


class ConstantPad2d(_ConstantPad):
    """One number around images."""

    _axes = 2


class ConstantPad3d(_ConstantPad):
    """One number around volumes."""

    _axes = 3


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 along the last axis."""

    def __init__(
        self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
    ) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
