"""Several schedulers as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from ..._closed import closed
from ..._recorded import as_seen, number
from .._optimizer import Optimizer
from ._base import LRScheduler, by_every_call, check_optimizer, not_in_a_graph

__all__ = ["ChainedScheduler", "SequentialLR"]


def _check(schedulers: Sequence[Any], optimizer: Optimizer, what: str) -> None:
    for i, s in enumerate(schedulers):
        if not isinstance(s, LRScheduler):
            raise TypeError(
                f"{what}: scheduler {i} is a {type(s).__name__}; wanted an LRScheduler"
            )
        if s.optimizer is not optimizer:
            raise ValueError(f"{what}: scheduler {i} is of another optimizer")


def _load_all(schedulers: Sequence[Any], state_dict: Mapping[str, Any]) -> None:
    states = state_dict.get("schedulers", ())
    if len(states) != len(schedulers):
        raise ValueError(
            f"the state has {len(states)} schedulers; wanted {len(schedulers)}"
        )
    for scheduler, state in zip(schedulers, states, strict=True):
        scheduler.load_state_dict(state)


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
        self.optimizer = check_optimizer(optimizer, "SequentialLR")
        schedulers = list(schedulers)
        if not schedulers or len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: {len(schedulers)} schedulers and "
                f"{len(milestones)} milestones; wanted one milestone between two"
            )
        _check(schedulers, optimizer, "SequentialLR")
        self.schedulers, self.milestones = schedulers, list(milestones)
        # Undoes what the schedulers' constructors did to the rates.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self.base_lrs = [float(g["initial_lr"]) for g in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        self._undo()
        schedulers[0]._begin()
        self._last_lr = schedulers[0].get_last_lr()

    def _undo(self) -> None:
        """Undoes the steps that the schedulers made when they were created."""
        for scheduler in self.schedulers:
            scheduler.last_epoch -= 1
            if isinstance(scheduler, SequentialLR):
                scheduler._undo()

    @by_every_call
    def step(self, epoch: float | None = None) -> None:
        """Goes on by one step, or to a certain one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        i = bisect_right(self.milestones, self.last_epoch)
        start = self.milestones[i - 1] if i > 0 else 0
        begins = i > 0 and start == self.last_epoch
        scheduler = self.schedulers[i]
        scheduler.step(
            self.last_epoch - start if begins or epoch is not None else None
        )
        self._last_lr = scheduler.get_last_lr()

    @as_seen
    def get_lr(self) -> list[float]:
        """The rates of this step, one for each group."""
        return self.get_last_lr()

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        states = [s.state_dict() for s in self.schedulers]
        return {**super().state_dict(), "schedulers": states}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, and sets the rates."""
        not_in_a_graph(self)
        _load_all(self.schedulers, state_dict)
        super().load_state_dict(state_dict)


@closed
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
    @number
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

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {"schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, and sets the rates."""
        not_in_a_graph(self)
        _load_all(self._schedulers, state_dict)
