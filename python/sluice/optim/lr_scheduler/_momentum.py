"""Momenta that schedulers turn beside the rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._optimizer import Optimizer

__all__ = ["check_momentum", "one_each", "set_momentum"]


def one_each(optimizer: Optimizer, given: Any, what: str) -> list[float]:
    """A number for each group: the same for all, or a list of them."""
    count = len(optimizer.param_groups)
    if not isinstance(given, Sequence):
        return [float(given)] * count
    if len(given) != count:
        raise ValueError(
            f"{what} has {len(given)} numbers; wanted one for each of {count} groups"
        )
    return [float(number) for number in given]


def check_momentum(optimizer: Optimizer, what: str) -> None:
    """ValueError for an optimizer that has none."""
    for group in optimizer.param_groups:
        if not ("momentum" in group or "betas" in group):
            raise ValueError(
                f"{what}: {type(optimizer).__name__} has no momentum; "
                "wanted cycle_momentum=False"
            )


def set_momentum(group: Any, momentum: float) -> None:
    """The momentum of a group, or the first of its betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
