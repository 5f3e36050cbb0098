"""Max pooling with windows at places that are drawn, as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import Tensor
from ._module import Module
from .functional._fractional_pool import fractional_max_pool

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Module):
    _axes = 0

    def __init__(
        self, kernel_size: int | Sequence[int], output_size: Any = None,
        output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError("wanted either output_size or output_ratio")
        self.kernel_size, self.return_indices = kernel_size, return_indices
        self.output_size, self.output_ratio = output_size, output_ratio
        self._random_samples = _random_samples

    def forward(self, input: Any) -> Tensor | tuple[Tensor, Tensor]:
        made = fractional_max_pool(
            self._axes, input, self.kernel_size, self.output_size, self.output_ratio,
            self._random_samples,
        )  # fmt: skip
        return made if self.return_indices else made[0]


class FractionalMaxPool2d(_FractionalMaxPool):
    """The greatest elements of windows of images, as many as output_size says, or
    output_ratio as a share, at places that are drawn."""

    _axes = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The same of volumes."""

    _axes = 3
