"""The base of all schedulers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ... import _core
from ..._closed import closed
from ..._recorded import as_seen, refuse, watched
from .._optimizer import Optimizer

__all__ = ["LRScheduler", "by_every_call", "check_optimizer", "not_in_a_graph"]

F = TypeVar("F", bound=Callable[..., None])


def check_optimizer(optimizer: Any, what: str) -> Optimizer:
    """Raises TypeError for anything but an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{what}: the optimizer is a {type(optimizer).__name__}; "
            "wanted an Optimizer"
        )
    return optimizer


def not_in_a_graph(scheduler: Any) -> None:
    """Throws if captured code would set rates from a state."""
    refuse(
        f"{type(scheduler).__name__}.load_state_dict() sets rates",
        "wanted it outside of the function",
    )


def by_every_call(step: F) -> F:
    """Decorates a step that a captured function leaves to Python: its calls run it
    after the graph. The rates are tensors of the graph, read by every call."""

    @functools.wraps(step)
    def stepped(self: Any, *args: Any, **kwargs: Any) -> None:
        recorder = _core.recorder()
        if recorder is None:
            step(self, *args, **kwargs)
            return
        optimizer = self.optimizer
        changed = [self, optimizer, *optimizer.param_groups]
        recorder.later(stepped, (self, *args), kwargs, changed)

    return stepped  # type: ignore[return-value]


def _rate(group: int, scheduler: Any) -> float:
    return float(scheduler._last_lr[group])


@closed
class LRScheduler:
    """The base of schedulers: a rate for each step, as a function of the rate
    the group began with. A new one derives from it and defines ``value``; or, as
    for PyTorch, ``get_lr``, the list of the rates of step ``self.last_epoch``.

    ``last_epoch`` is the number of steps done; a run that goes on gives the one
    it had reached.
    """

    _absolute = False  # rates do not depend on the current ones
    _keeps = False  # made with last_epoch, it keeps the current rates
    _closed = True  # step(epoch) uses value(), whatever the current rates are

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = check_optimizer(optimizer, type(self).__name__)
        groups = optimizer.param_groups
        for i, group in enumerate(groups):
            if last_epoch < 0:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"initial_lr of group {i} is not known, but last_epoch is "
                    f"{last_epoch}"
                )
        self.base_lrs: list[float] = [float(g["initial_lr"]) for g in groups]
        self.last_epoch: float = last_epoch
        self._last_lr: list[float] = []
        self._begin()

    def _begin(self) -> None:
        """Does the first step, which sets the rates."""
        self._begins = True
        self.step()
        self._begins = False

    def value(self, base: float, epoch: float, group: int) -> float:
        """The rate after ``epoch`` steps of a group that began with ``base``."""
        raise NotImplementedError(f"{type(self).__name__} defines no value()")

    @by_every_call
    def step(self, epoch: float | None = None) -> None:
        """Advances by one step, or to a given one."""
        before = self.last_epoch
        self.last_epoch = before + 1 if epoch is None else epoch
        own = type(self).get_lr is not LRScheduler.get_lr
        rates = list(self.get_lr()) if own else []
        for i, group in enumerate(self.optimizer.param_groups):
            if i == len(self.base_lrs):  # a group added since
                self.base_lrs.append(float(group.setdefault("initial_lr", group["lr"])))
            if own:
                group["lr"] = rates[i]
            elif epoch is not None and self._closed:
                group["lr"] = self.value(self.base_lrs[i], epoch, i)
            else:
                group["lr"] = self._next(group["lr"], before, i)
        self._last_lr = [g["lr"] for g in self.optimizer.param_groups]

    def _next(self, found: float, before: float, group: int) -> float:
        base = self.base_lrs[group]
        new = self.value(base, self.last_epoch, group)
        if self._absolute:
            return new
        if self._begins and before >= 0 and self._keeps:
            return found
        old = base if before < 0 else self.value(base, before, group)
        return new if found == old or old == 0 else found * (new / old)

    def get_last_lr(self) -> list[float]:
        """The rates last set, one for each group."""
        recorder = _core.recorder()
        if recorder is None:
            return self._last_lr
        text = recorder.text(self, "get_last_lr()")
        recorder.check_settled(self, text)
        return [
            watched(self, f"rate {i}", functools.partial(_rate, i)).read(
                f"{text}[{i}]"
            )
            for i in range(len(self._last_lr))
        ]

    @as_seen
    def get_lr(self) -> list[float]:
        """The rates of this step, one for each group."""
        return [
            self.value(base, self.last_epoch, i) for i, base in enumerate(self.base_lrs)
        ]

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists; functions are not part of it."""
        return {
            "last_epoch": self.last_epoch,
            "base_lrs": list(self.base_lrs),
            "last_lr": list(self._last_lr),
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restores a state from ``state_dict``, and sets the rates."""
        not_in_a_graph(self)
        base_lrs = [float(lr) for lr in state_dict["base_lrs"]]
        last_lr = [float(lr) for lr in state_dict["last_lr"]]
        groups = self.optimizer.param_groups
        if len(base_lrs) != len(groups) or len(last_lr) != len(groups):
            raise ValueError(
                f"the state has rates of {len(base_lrs)} groups; wanted "
                f"{len(groups)}"
            )
        self.last_epoch = state_dict["last_epoch"]
        self.base_lrs = base_lrs
        self._last_lr = last_lr
        for group, base, lr in zip(groups, base_lrs, last_lr):
            group["initial_lr"] = base
            group["lr"] = lr
