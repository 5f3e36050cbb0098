"""The rate made smaller when a measure has stopped getting better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ... import _core
from ..._closed import closed
from ..._recorded import as_seen, number
from .._optimizer import Optimizer
from ._base import by_every_call, check_optimizer, not_in_a_graph
from ._momentum import one_each

__all__ = ["ReduceLROnPlateau"]


@closed
class ReduceLROnPlateau:
    """Times ``factor`` when the measure was no better for more than
    ``patience`` steps; down to ``min_lr``, one number or one for each group.

        schedule = ReduceLROnPlateau(optimizer, factor=0.5, patience=3)
        schedule.step(validation_loss)      # after each epoch
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode is {mode!r}; wanted 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f"threshold_mode is {threshold_mode!r}; wanted 'rel' or 'abs'"
            )
        self.optimizer = check_optimizer(optimizer, "ReduceLROnPlateau")
        self.last_epoch = 0
        self._mode = mode
        self._options = (
            mode == "max",
            factor,
            patience,
            threshold,
            threshold_mode == "rel",
            cooldown,
            one_each(optimizer, min_lr, "min_lr"),
            eps,
        )
        self._core = _core.ReduceOnPlateau(optimizer._core, *self._options)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in vars(self).items() if k != "_core"}
        return {**state, "_reached": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        reached = state.pop("_reached")
        vars(self).update(state)
        self._core = _core.ReduceOnPlateau(self.optimizer._core, *self._options)
        self.load_state_dict(reached)

    @property
    @number
    def best(self) -> float:
        """The best measure so far."""
        return float(self._core.best)

    @by_every_call
    def step(self, metrics: Any) -> None:
        """Tells the measure of this step: a number, or a tensor of one."""
        self._core.step(float(metrics))
        self.last_epoch += 1

    def get_last_lr(self) -> list[float]:
        """The rates, one for each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """Plain numbers; ``best`` is None before the first step."""
        bad_steps, cooldown = self._core.state()
        return {
            "best": self.best if math.isfinite(self.best) else None,
            "bad_steps": bad_steps,
            "cooldown": cooldown,
            "last_epoch": self.last_epoch,
            "last_lr": self.get_last_lr(),
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, and sets the rates."""
        not_in_a_graph(self)
        best = state_dict["best"]
        if best is None:
            best = math.inf if self._mode == "min" else -math.inf
        steps = int(state_dict["last_epoch"])
        self._core.restore(
            best, state_dict["bad_steps"], state_dict["cooldown"], steps
        )
        self.last_epoch = steps
        for group, lr in zip(self.optimizer.param_groups, state_dict["last_lr"]):
            group["lr"] = lr
