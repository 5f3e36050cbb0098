"""Schedulers along a curve of C++ (``optim.Curve``)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .._optimizer import Optimizer
from ._base import LRScheduler

__all__ = ["CurveLR", "FormulaLR"]


class CurveLR(LRScheduler):
    """The rate along a curve of C++, such as
    ``optim.warm_up(500, next=optim.cosine(10000))``."""

    def __init__(
        self, optimizer: Optimizer, curve: Any, last_epoch: int = -1
    ) -> None:
        self.curve = curve
        super().__init__(optimizer, last_epoch)

    def value(self, base: float, epoch: float, group: int) -> float:
        return float(self.curve(base, epoch))


class FormulaLR(CurveLR):
    """The rate along a curve of C++ that is made of attributes. They may be set on
    the way, as PyTorch's, and are what a copy or a pickle has of it."""

    _options: tuple[str, ...] = ()  # attributes, in the order of the curve's arguments
    _formula: Callable[..., Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int) -> None:
        self._made: tuple[Any, Any] | None = None
        LRScheduler.__init__(self, optimizer, last_epoch)

    @property
    def curve(self) -> Any:
        """The rate as a function of the first one and the step."""
        options = tuple(copy.copy(getattr(self, name)) for name in self._options)
        if self._made is None or self._made[0] != options:
            self._made = (options, type(self)._formula(*options))
        return self._made[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_made": None}
