"""Checks of elements that hold at once and in a captured function."""

from __future__ import annotations

from .. import _core
from .._core import Tensor

_assert = _core.op_function("Assert")


def want_all(condition: Tensor, message: str) -> None:
    """Raise unless the condition is true everywhere; captured, when it runs."""
    condition = condition.all()
    if condition.symbolic:
        _assert(condition, message=message)
    elif not bool(condition):
        raise ValueError(message)
