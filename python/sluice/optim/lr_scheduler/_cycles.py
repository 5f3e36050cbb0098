"""Schedulers that go up and down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from .._optimizer import Optimizer
from ._base import LRScheduler, by_every_call, check_optimizer
from ._formula import FormulaLR
from ._momentum import check_momentum, one_each, set_momentum

__all__ = ["CosineAnnealingWarmRestarts", "OneCycleLR"]


class CosineAnnealingWarmRestarts(FormulaLR):
    """Half a cosine down to ``eta_min`` in ``T_0`` steps, then again from the
    top, each time ``T_mult`` times as long. It sets rates, whatever it finds."""

    _absolute = True
    _options = ("T_0", "T_mult", "eta_min")
    _formula = staticmethod(_core.cosine_restarts)

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or int(T_0) != T_0:
            raise ValueError(f"T_0 is {T_0}; wanted a whole number above 0")
        if T_mult < 1 or int(T_mult) != T_mult:
            raise ValueError(f"T_mult is {T_mult}; wanted a whole number, 1 or more")
        self.T_0, self.T_mult, self.eta_min = int(T_0), int(T_mult), eta_min
        super().__init__(optimizer, last_epoch)


class OneCycleLR(LRScheduler):
    """Up to ``max_lr``, then down far below the beginning, in ``total_steps``
    (or ``epochs * steps_per_epoch``) steps; it stays there afterwards.

    With ``cycle_momentum`` the momentum (or the first of betas) goes the other
    way; steps captured in a function keep the one they were captured with.
    """

    _absolute = True

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        groups = check_optimizer(optimizer, "OneCycleLR").param_groups
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError(
                    "OneCycleLR: wanted total_steps, or epochs and steps_per_epoch"
                )
            total_steps = epochs * steps_per_epoch
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy is {anneal_strategy!r}; wanted 'cos' or 'linear'"
            )
        if total_steps <= 0 or int(total_steps) != total_steps:
            raise ValueError(f"total_steps is {total_steps}; wanted 1 or more")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"pct_start is {pct_start}; wanted in [0, 1]")
        rates = one_each(optimizer, max_lr, "max_lr")
        self.total_steps = total_steps
        self._shape = (total_steps, pct_start, anneal_strategy == "linear")
        self._three_phase = three_phase
        self._ends = [(rate, div_factor, final_div_factor) for rate in rates]
        self._make_curves()
        self._momenta: list[tuple[float, float]] = []
        if cycle_momentum:
            check_momentum(optimizer, "OneCycleLR")
            low = one_each(optimizer, base_momentum, "base_momentum")
            high = one_each(optimizer, max_momentum, "max_momentum")
            self._momenta = list(zip(low, high, strict=True))
        for group, rate in zip(groups, rates):
            if last_epoch < 0:
                group["initial_lr"] = rate / div_factor
        super().__init__(optimizer, last_epoch)

    def _make_curves(self) -> None:
        def curve(top: float, div: float, final: float) -> Any:
            return _core.one_cycle(top, *self._shape, div, final, self._three_phase)

        self._curves = [curve(*ends) for ends in self._ends]
        # From 1 up to 2 and back: how far the momentum is on its way.
        self._way = curve(2.0, 2.0, 1.0)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_curves", "_way")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_curves()

    def value(self, base: float, epoch: float, group: int) -> float:
        return float(self._curves[group](base, epoch))

    @by_every_call
    def step(self, epoch: float | None = None) -> None:
        """Goes on by one step, or to a certain one."""
        super().step(epoch)
        if not self._momenta:
            return
        way = self._way(1.0, self.last_epoch) - 1
        groups = self.optimizer.param_groups
        for i, (low, high) in enumerate(self._momenta):
            set_momentum(groups[i], high - (high - low) * way)
