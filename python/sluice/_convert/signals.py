"""How a block ended, when a tensor decides it.

A block says how it ended by a number: NORMAL, BREAK, CONTINUE or RETURN. In a
graph that number may be a tensor, of which we know what it can be.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from .codes import BREAK, CONTINUE, NORMAL, RETURN

_where = _core.op_function("Select")


class Signal:
    """A number that is known when the graph runs."""

    def __init__(self, tensor: Any, possible: frozenset[int]) -> None:
        self.tensor = tensor
        self.possible = possible

    @property
    def normal(self) -> Any:
        """A tensor: whether the block came to its end."""
        return self.tensor == NORMAL


def normalized(signal: Any) -> Any:
    """A number or a Signal; blocks that return nothing end normally."""
    if signal is None:
        return NORMAL
    if isinstance(signal, Signal) and len(signal.possible) == 1:
        return next(iter(signal.possible))
    return signal


def possible(signal: Any) -> frozenset[int]:
    """What it can be."""
    if isinstance(signal, Signal):
        return signal.possible
    return frozenset({signal})


def value(signal: Any) -> Any:
    """A number or a tensor."""
    return signal.tensor if isinstance(signal, Signal) else signal


def _replaced(signal: Any, old: int) -> Any:
    if not isinstance(signal, Signal):
        return NORMAL if signal == old else signal
    if old not in signal.possible:
        return signal
    tensor = _where(signal.tensor == old, NORMAL, signal.tensor)
    return normalized(Signal(tensor, (signal.possible - {old}) | {NORMAL}))


def after_iteration(signal: Any) -> Any:
    """What a loop makes of how its body ended: continue is a normal end."""
    return _replaced(normalized(signal), CONTINUE)


def after_loop(signal: Any) -> Any:
    """What is left of how a loop ended: break ends with it."""
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
