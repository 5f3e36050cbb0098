"""Gradient clipping, shared by `optim` and `nn.utils`."""

from __future__ import annotations

from typing import Any

from . import _core
from ._array.axes import flag
from ._core import Tensor
from ._named_parameters import one_or_named
from ._parts import refuse_parts

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients of ``parameters`` so that the norm of all of them
    together, of order ``norm_type``, is at most ``max_norm``. Returns the norm
    before. The gradients keep their direction.

    With ``error_if_nonfinite`` a norm that is NaN or infinite raises a
    RuntimeError and leaves the gradients unchanged. foreach has no effect: there
    is only one implementation.
    """
    parameters = refuse_parts(parameters, "clip_grad_norm_")
    return _core.clip_grad_norm_(
        one_or_named(parameters, "clip_grad_norm_"),
        float(max_norm),
        float(norm_type),
        flag(error_if_nonfinite, "error_if_nonfinite"),
    )


def clip_grad_value_(
    parameters: Any, clip_value: float, foreach: bool | None = None
) -> None:
    """Holds every element of the gradients in [-clip_value, clip_value]."""
    pairs = one_or_named(parameters, "clip_grad_value_")
    _core.clip_grad_value_(pairs, float(clip_value))
