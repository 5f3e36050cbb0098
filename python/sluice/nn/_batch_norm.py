"""Batch normalisation."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter
from .functional._norms import want_deviation
from ._running_stats import register_running_stats, reset_running_stats

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
]


class _BatchNorm(Module):
    _ranks: tuple[int, ...] = ()
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_features <= 0:
            raise ValueError(f"num_features is {num_features}; wanted it positive")
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape = (num_features,)
        for name, there in (("weight", affine), ("bias", affine and bias)):
            param = new_parameter(shape, device, dtype) if there else None
            self.register_parameter(name, param)
        register_running_stats(self, num_features, device, dtype)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Means 0, variances 1, no batches."""
        reset_running_stats(self)

    def reset_parameters(self) -> None:
        """Begin again: weights 1, biases 0, no batches."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Tensor:
        rank = getattr(input, "ndim", self._ranks[0])
        if rank >= 0 and rank not in self._ranks:
            wanted = " or ".join(map(str, self._ranks))
            raise ValueError(
                f"{type(self).__name__}: input has {rank} axes; wanted {wanted}"
            )
        training = self.training
        if training:
            want_deviation(type(self).__name__, input, 0)
        return _core.nn_batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.num_batches_tracked,
            self.weight,
            self.bias,
            training or self.running_mean is None,
            self.momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Every channel of [N, C] or [N, C, L] with mean 0 and deviation 1.

    In training with the statistics of the batch, which also move the running
    ones; in eval() with the running ones.
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Every channel of images [N, C, H, W] with mean 0 and deviation 1.

    In training with the statistics of the batch, which also move the running
    ones; in eval() with the running ones.
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Every channel of volumes [N, C, D, H, W] with mean 0 and deviation 1."""

    _ranks = (5,)
