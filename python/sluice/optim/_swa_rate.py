"""The rate brought to one at which means are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._recorded import as_seen
from ._optimizer import Optimizer
from .lr_scheduler._base import LRScheduler, check_optimizer
from .lr_scheduler._momentum import one_each

__all__ = ["SWALR"]


class SWALR(LRScheduler):
    """From the rate it finds to ``swa_lr`` in ``anneal_epochs`` steps, along half
    a cosine ("cos") or a line ("linear"); it stays there.

    Another scheduler may change the rate before the first step.
    """

    _closed = False

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer, "SWALR")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy is {anneal_strategy!r}; wanted 'cos' or 'linear'"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                f"anneal_epochs is {anneal_epochs!r}; wanted a whole number, 0 or more"
            )
        self._targets = one_each(optimizer, swa_lr, "swa_lr")
        for group, target in zip(optimizer.param_groups, self._targets, strict=True):
            group["swa_lr"] = target
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        self._first = last_epoch + 1
        super().__init__(optimizer, last_epoch)

    def _mixed(self, rate: float, step: float, target: float) -> float:
        linear = self.anneal_strategy == "linear"
        curve = _core.anneal(target, self.anneal_epochs, linear)
        return float(curve(rate, step))

    def value(self, base: float, epoch: float, group: int) -> float:
        """The rate after ``epoch`` steps from ``base``."""
        done = epoch - self._first
        if self.anneal_epochs == 0:
            done = max(1, done)
        return self._mixed(base, done, self._targets[group])

    def _next(self, found: float, before: float, group: int) -> float:
        step = self.last_epoch - self._first
        if self.anneal_epochs == 0:
            step = max(1, step)
        share = self._mixed(0.0, step - 1, 1.0)  # of the rate to come
        target = self._targets[group]
        # What the rate was before the first step, had nothing else changed it.
        start = target if share == 1 else (found - share * target) / (1 - share)
        return self._mixed(start, step, target)

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {**super().state_dict(), "first_epoch": self._first}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, and sets the rates."""
        super().load_state_dict(state_dict)
        self._first = state_dict.get("first_epoch", 0)
