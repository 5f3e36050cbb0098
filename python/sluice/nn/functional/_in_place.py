"""inplace=True: the result takes the place of the argument's elements."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor

__all__: list[str] = []


def source(x: Any) -> Any:
    """The tensor to compute from: a copy, if gradients may need the old values."""
    recorded = isinstance(x, Tensor) and _core.is_grad_enabled() and x.requires_grad
    return x.clone() if recorded else x


def written(x: Any, made: Tensor) -> Tensor:
    """x with the result written over it.

    In a graph that no function is recorded into nothing is written: it is the result.
    """
    if not isinstance(x, Tensor) or x._deferred or made._deferred:
        return made
    return x.copy_(made)
