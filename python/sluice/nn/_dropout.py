"""Dropout."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from . import functional as F
from ._module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p}; wanted 0 <= p <= 1")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training a share p of the elements set to 0, the rest divided by 1 - p."""

    def forward(self, input: Any) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Dropout of whole channels of lines [N, C, L]."""

    def forward(self, input: Any) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Dropout of whole channels of images [N, C, H, W]."""

    def forward(self, input: Any) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Dropout of whole channels of volumes [N, C, D, H, W]."""

    def forward(self, input: Any) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean 0 and variance 1 of what SELU gives."""

    def forward(self, input: Any) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """AlphaDropout of whole channels [N, C, ...]."""

    def forward(self, input: Any) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
