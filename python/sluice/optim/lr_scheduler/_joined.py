"""Several schedulers as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from .._optimizer import Optimizer
from ._base import LRScheduler, by_every_call, check_optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


def _check(schedulers: Sequence[Any], optimizer: Optimizer, what: str) -> None:
    for i, s in enumerate(schedulers):
        if not isinstance(s, LRScheduler):
            raise TypeError(
                f"{what}: scheduler {i} is a {type(s).__name__}; wanted an LRScheduler"
            )
        if s.optimizer is not optimizer:
            raise ValueError(f"{what}: scheduler {i} is of another optimizer")


class SequentialLR(LRScheduler):
    """One scheduler after the other, each from its own step 0, changing at
    ``milestones``."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer, "SequentialLR")
        schedulers = list(schedulers)
        if not schedulers or len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: {len(schedulers)} schedulers and "
                f"{len(milestones)} milestones; wanted one milestone between two"
            )
        _check(schedulers, optimizer, "SequentialLR")
        self.schedulers, self.milestones = schedulers, list(milestones)
        # What their own beginnings have done to the rates does not count.
        for i, group in enumerate(optimizer.param_groups):
            group["lr"] = group.get("initial_lr", group["lr"])
        super().__init__(optimizer, last_epoch)

    def value(self, base: float, epoch: float, group: int) -> float:
        i = bisect_right(self.milestones, epoch)
        start = self.milestones[i - 1] if i > 0 else 0
        scheduler = self.schedulers[i]
        return scheduler.value(scheduler.base_lrs[group], epoch - start, group)


class ChainedScheduler:
    """All schedulers at every step, each changing what the one before left."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        schedulers = list(schedulers)
        if not schedulers:
            raise ValueError("ChainedScheduler: no schedulers")
        if not isinstance(schedulers[0], LRScheduler):
            raise TypeError(
                f"ChainedScheduler: scheduler 0 is a "
                f"{type(schedulers[0]).__name__}; wanted an LRScheduler"
            )
        self.optimizer = optimizer or schedulers[0].optimizer
        _check(schedulers, self.optimizer, "ChainedScheduler")
        self._schedulers = schedulers

    @property
    def last_epoch(self) -> float:
        """The number of steps done."""
        return self._schedulers[0].last_epoch

    @by_every_call
    def step(self) -> None:
        """Goes on by one step."""
        for scheduler in self._schedulers:
            scheduler.step()

    def get_last_lr(self) -> list[float]:
        """The rates last set, one for each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {"schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, and sets the rates."""
        states = state_dict["schedulers"]
        if len(states) != len(self._schedulers):
            raise ValueError(
                f"the state has {len(states)} schedulers; wanted "
                f"{len(self._schedulers)}"
            )
        for scheduler, state in zip(self._schedulers, states):
            scheduler.load_state_dict(state)
