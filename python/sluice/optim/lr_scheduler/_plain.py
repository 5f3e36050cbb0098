"""Schedulers that are one formula each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ... import _core
from .._optimizer import Optimizer
from ._base import LRScheduler
from ._formula import FormulaLR

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]


class StepLR(FormulaLR):
    """Times ``gamma`` after every ``step_size`` steps."""

    _options = ("step_size", "gamma")
    _formula = staticmethod(_core.step_decay)

    def __init__(
        self,
        optimizer: Optimizer,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)


class MultiStepLR(FormulaLR):
    """Times ``gamma`` at each of ``milestones``."""

    _options = ("milestones", "gamma")
    _formula = staticmethod(_core.multi_step)

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)


class ExponentialLR(FormulaLR):
    """Times ``gamma`` at every step."""

    _keeps = True
    _options = ("gamma",)
    _formula = staticmethod(_core.exponential)

    def __init__(
        self, optimizer: Optimizer, gamma: float, last_epoch: int = -1
    ) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)


class CosineAnnealingLR(FormulaLR):
    """Down to ``eta_min`` in ``T_max`` steps along half a cosine, and on."""

    _keeps = True
    _options = ("T_max", "eta_min")
    _formula = staticmethod(_core.cosine)

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _next(self, found: float, before: float, group: int) -> float:
        base, low = self.base_lrs[group], self.eta_min
        old = self.value(base, before, group)
        if before < 0 or found == old or (self._begins and self._keeps):
            return super()._next(found, before, group)
        # Above the lowest, the rate that is found is as far on its way.
        if (before - self.T_max) % (2 * self.T_max) == 0:
            return found + (base - low) * (1 - math.cos(math.pi / self.T_max)) / 2
        new = self.value(base, self.last_epoch, group)
        return low + (found - low) * (new - low) / (old - low)


class LinearLR(FormulaLR):
    """From ``start_factor`` to ``end_factor`` of the rate in ``total_iters``
    steps; for warming up."""

    _keeps = True
    _options = ("start_factor", "end_factor", "total_iters")
    _formula = staticmethod(_core.linear_factor)

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(f"start_factor is {start_factor}; wanted in (0, 1]")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"end_factor is {end_factor}; wanted in [0, 1]")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)


class ConstantLR(FormulaLR):
    """``factor`` of the rate for ``total_iters`` steps, then all of it."""

    _options = ("factor", "total_iters")
    _formula = staticmethod(_core.constant_factor)

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"factor is {factor}; wanted in [0, 1]")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)


class PolynomialLR(FormulaLR):
    """Down to 0 in ``total_iters`` steps, as ``(1 - step / total) ** power``."""

    _keeps = True
    _options = ("total_iters", "power")
    _formula = staticmethod(_core.polynomial)

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        if total_iters < 1:
            raise ValueError(f"total_iters is {total_iters}; wanted 1 or more")
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)


def _functions(
    optimizer: Optimizer, given: Any, what: str
) -> list[Callable[[Any], float]]:
    count = len(optimizer.param_groups)
    functions = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(functions) != count or not all(callable(f) for f in functions):
        raise ValueError(
            f"{what}: lr_lambda is {given!r}; wanted a function, or one for each "
            f"of {count} groups"
        )
    return functions


Factor = Callable[[Any], float]


class LambdaLR(LRScheduler):
    """The rate it began with times ``lr_lambda(step)``, whatever it finds; one
    function, or one per group."""

    _absolute = True

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Factor | Sequence[Factor],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = _functions(optimizer, lr_lambda, "LambdaLR")
        super().__init__(optimizer, last_epoch)

    def value(self, base: float, epoch: float, group: int) -> float:
        return base * float(self.lr_lambdas[group](epoch))


class MultiplicativeLR(LRScheduler):
    """At every step times ``lr_lambda(step)``."""

    _closed = False

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Factor | Sequence[Factor],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = _functions(optimizer, lr_lambda, "MultiplicativeLR")
        super().__init__(optimizer, last_epoch)

    def value(self, base: float, epoch: float, group: int) -> float:
        lr = base
        for step in range(1, int(epoch) + 1):
            lr *= float(self.lr_lambdas[group](step))
        return lr

    def _next(self, found: float, before: float, group: int) -> float:
        if self._begins:
            return found
        return found * float(self.lr_lambdas[group](self.last_epoch))
