"""Activations along an axis, as modules."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from . import functional as F
from ._module import Module

__all__ = [
    "GLU",
    "LogSoftmax",
    "Softmax",
    "Softmax2d",
    "Softmin",
]


class _AlongAxis(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongAxis):
    """Numbers along an axis (the last, if none is given) as probabilities."""

    def forward(self, input: Any) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(_AlongAxis):
    """softmax(-input) along an axis."""

    def forward(self, input: Any) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(_AlongAxis):
    """The logarithm of softmax along an axis (the last, if none is given)."""

    def forward(self, input: Any) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """softmax over the channels of images."""

    def forward(self, input: Any) -> Tensor:
        return F.softmax(input, -3)


class GLU(Module):
    """The first half along an axis times the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
