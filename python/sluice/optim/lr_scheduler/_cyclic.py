"""The rate up and down between two bounds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from ... import _core
from .._optimizer import Optimizer
from ._base import LRScheduler, by_every_call, check_optimizer
from ._momentum import check_momentum, one_each, set_momentum

__all__ = ["CyclicLR"]

_MODES = ("triangular", "triangular2", "exp_range")


class CyclicLR(LRScheduler):
    """From ``base_lr`` to ``max_lr`` in ``step_size_up`` steps, back in
    ``step_size_down`` (None: as many), and again.

    ``mode`` is "triangular", "triangular2" (half as high each time) or "exp_range"
    (times ``gamma ** step``); ``scale_fn`` gives another factor, of the number of
    the cycle from 1 on, or of the step with ``scale_mode="iterations"``. With
    ``cycle_momentum`` the momentum (or the first of betas) goes the other way.
    """

    _absolute = True

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer, "CyclicLR")
        if mode not in _MODES and scale_fn is None:
            raise ValueError(f"mode is {mode!r}; wanted one of {_MODES}, or scale_fn")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(
                f"scale_mode is {scale_mode!r}; wanted 'cycle' or 'iterations'"
            )
        down = step_size_up if step_size_down is None else step_size_down
        if step_size_up <= 0 or down < 0:
            raise ValueError(
                f"step_size_up is {step_size_up}, step_size_down {down}; wanted "
                "one above 0, and 0 or more"
            )
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self._scale_fn = scale_fn
        self._by_step = scale_mode == "iterations"
        lows = one_each(optimizer, base_lr, "base_lr")
        self.max_lrs = one_each(optimizer, max_lr, "max_lr")
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            check_momentum(optimizer, "CyclicLR")
            self.base_momentums = one_each(optimizer, base_momentum, "base_momentum")
            self.max_momentums = one_each(optimizer, max_momentum, "max_momentum")
        if last_epoch < 0:
            for group, low in zip(optimizer.param_groups, lows, strict=True):
                group["lr"] = low
        self._lows = lows
        super().__init__(optimizer, last_epoch)
        self.base_lrs = list(lows)

    def _at(self, low: float, high: float, epoch: float) -> float:
        """Where between the two it is after so many steps; low may be above high."""
        cycle = functools.partial(
            _core.cyclic, steps=self.total_size, up=self.step_ratio
        )
        if self._scale_fn is None:
            way = cycle(max_lr=high, mode=self.mode, gamma=self.gamma)
            return float(way(low, epoch))
        number = math.floor(1 + epoch / self.total_size)
        factor = float(self._scale_fn(epoch if self._by_step else number))
        return low + (high - low) * float(cycle(max_lr=1.0)(0.0, epoch)) * factor

    def value(self, base: float, epoch: float, group: int) -> float:
        return self._at(self._lows[group], self.max_lrs[group], epoch)

    @by_every_call
    def step(self, epoch: float | None = None) -> None:
        """Goes on by one step, or to a certain one."""
        super().step(epoch)
        if not self.cycle_momentum:
            return
        groups = self.optimizer.param_groups
        for i, (low, high) in enumerate(zip(self.base_momentums, self.max_momentums)):
            set_momentum(groups[i], self._at(high, low, self.last_epoch))
