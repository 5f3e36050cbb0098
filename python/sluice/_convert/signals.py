"""Signals: how a block ended, where a tensor may decide it.

A block returns how it ended as a number: NORMAL, BREAK, CONTINUE or RETURN. In a graph
that number may be a tensor, whose possible values are known.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from .codes import BREAK, CONTINUE, NORMAL, RETURN

_where = _core.op_function("Select")


class Signal:
    """A number that is known only at run time."""

    def __init__(self, tensor: Any, possible: frozenset[int]) -> None:
        self.tensor = tensor
        self.possible = possible

    @property
    def normal(self) -> Any:
        """A tensor that tells whether the block reached its end."""
        return self.tensor == NORMAL


def normalized(signal: Any) -> Any:
    """A number or a Signal; blocks that return nothing end normally."""
    if signal is None:
        return NORMAL
    if isinstance(signal, Signal) and len(signal.possible) == 1:
        return next(iter(signal.possible))
    return signal


def possible(signal: Any) -> frozenset[int]:
    """The possible numbers of a signal."""
    if isinstance(signal, Signal):
        return signal.possible
    return frozenset({signal})


def value(signal: Any) -> Any:
    """The signal as a number or a tensor."""
    return signal.tensor if isinstance(signal, Signal) else signal


def _replaced(signal: Any, old: int) -> Any:
    if not isinstance(signal, Signal):
        return NORMAL if signal == old else signal
    if old not in signal.possible:
        return signal
    tensor = _where(signal.tensor == old, NORMAL, signal.tensor)
    return normalized(Signal(tensor, (signal.possible - {old}) | {NORMAL}))


def after_iteration(signal: Any) -> Any:
    """The signal of an iteration for its loop: continue is a normal end."""
    return _replaced(normalized(signal), CONTINUE)


def after_loop(signal: Any) -> Any:
    """The signal of a loop for the code after it: break ends with the loop."""
    return _replaced(signal, BREAK)


def not_normal(signal: Signal) -> Any:
    """The signal where it is known not to be NORMAL."""
    return normalized(Signal(signal.tensor, signal.possible - {NORMAL}))


__all__ = [
    "BREAK",
    "CONTINUE",
    "NORMAL",
    "RETURN",
    "Signal",
    "after_iteration",
    "after_loop",
    "normalized",
    "not_normal",
    "possible",
    "value",
]
