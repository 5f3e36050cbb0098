"""inplace=True: the result takes the place of the argument's elements."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor

__all__: list[str] = []


def written(x: Any, made: Tensor) -> Tensor:
    """x with the result written over it, or the result where writes are not for it.

    What is recorded for gradients, or part of a graph, keeps its elements.
    """
    if not isinstance(x, Tensor) or x.symbolic or made.symbolic:
        return made
    if _core.is_grad_enabled() and x.requires_grad:
        return made
    return x.copy_(made)
