"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter
from ._running_stats import register_running_stats, reset_running_stats

__all__ = [
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]


def _shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, Sequence):
        return tuple(normalized_shape)
    return (normalized_shape,)


class LayerNorm(Module):
    """Slices over the last axes with mean 0 and deviation 1, times weight plus bias."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        weight = new_parameter(shape, device, dtype) if elementwise_affine else None
        self.register_parameter("weight", weight)
        offset = elementwise_affine and bias
        self.register_parameter(
            "bias", new_parameter(shape, device, dtype) if offset else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: weights 1, biases 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Tensor:
        return F.layer_norm(
            input, self.normalized_shape, self.weight, self.bias, self.eps
        )

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class RMSNorm(Module):
    """Slices over the last axes divided by the root of their mean square."""

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        weight = new_parameter(shape, device, dtype) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: weights 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Any) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Groups of channels of every sample [N, C, ...] with mean 0 and deviation 1."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_groups <= 0 or num_channels % num_groups:
            raise ValueError(
                f"num_groups is {num_groups}; wanted it to divide num_channels "
                f"{num_channels}"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        for name, there in (("weight", affine), ("bias", affine and bias)):
            param = new_parameter((num_channels,), device, dtype) if there else None
            self.register_parameter(name, param)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: weights 1, biases 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}"
        )


class _InstanceNorm(Module):
    _ranks: tuple[int, ...] = ()
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, there in (("weight", affine), ("bias", affine and bias)):
            param = new_parameter((num_features,), device, dtype) if there else None
            self.register_parameter(name, param)
        register_running_stats(self, num_features, device, dtype)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Means 0, variances 1, no batches."""
        reset_running_stats(self)

    def reset_parameters(self) -> None:
        """Begin again: weights 1, biases 0, running means 0 and variances 1."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Tensor:
        wanted = self._ranks[0]
        rank = getattr(input, "ndim", wanted)
        if rank >= 0 and rank not in (wanted, wanted - 1):
            raise ValueError(
                f"{type(self).__name__}: input has {rank} axes; wanted {wanted}, or "
                f"{wanted - 1} for one sample"
            )
        if rank == wanted - 1:
            return self._normalised(input.unsqueeze(0)).squeeze(0)
        return self._normalised(input)

    def _normalised(self, input: Any) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class InstanceNorm1d(_InstanceNorm):
    """Every channel of every sample [N, C, L] with mean 0 and deviation 1."""

    _ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Every channel of every sample [N, C, H, W] with mean 0 and deviation 1."""

    _ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Every channel of every sample [N, C, D, H, W] with mean 0 and deviation 1."""

    _ranks = (5,)


class LocalResponseNorm(Module):
    """Elements divided by a power of the squares of their neighbours in channels."""

    def __init__(
        self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
    ) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Any) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
