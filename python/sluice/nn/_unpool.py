"""Max pooling undone over one, two or three axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import Tensor
from ._module import Module
from .functional._pool_indices import max_unpool

__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]

Size = int | Sequence[int]


class _MaxUnpool(Module):
    _axes = 0

    def __init__(
        self, kernel_size: Size, stride: Size | None = None, padding: Size = 0
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Tensor:
        return max_unpool(
            self._axes, input, indices, self.kernel_size, self.stride, self.padding,
            output_size,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class MaxUnpool1d(_MaxUnpool):
    """Elements where MaxPool1d found them, zeros elsewhere."""

    _axes = 1


class MaxUnpool2d(_MaxUnpool):
    """Elements where MaxPool2d found them, zeros elsewhere."""

    _axes = 2


class MaxUnpool3d(_MaxUnpool):
    """Elements where MaxPool3d found them, zeros elsewhere."""

    _axes = 3
