"""Helpers for parameters and gradients, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import _core
from ..._core import Tensor
from ..._parts import refuse_parts
from ._total_norm import clip_grads_with_norm_, get_total_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "vector_to_parameters",
]

_concat, _reshape = _core.op_function("Concat"), _core.op_function("Reshape")


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients so that their norm together is at most max_norm.

    Returns the norm before. The gradients keep their direction. foreach changes
    nothing: there is one way to compute them.
    """
    parameters = refuse_parts(parameters, "clip_grad_norm_")
    if float(norm_type) != 2.0:
        found = [parameters] if isinstance(parameters, Tensor) else list(parameters)
        grads = [p.grad for p in found if p.grad is not None]
        total = get_total_norm(grads, norm_type, error_if_nonfinite)
        clip_grads_with_norm_(found, max_norm, total)
        return total
    if error_if_nonfinite and _core.recorder() is not None:
        parameters = [parameters] if isinstance(parameters, Tensor) else [*parameters]
        grads = [p.grad for p in parameters if p.grad is not None]
        get_total_norm(grads, 2.0, True)  # fails in a run, and the code says what
        error_if_nonfinite = False
    norm = _core.nn_clip_grad_norm(parameters, float(max_norm), error_if_nonfinite)
    return norm


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float,
    foreach: bool | None = None,
) -> None:  # fmt: skip
    """Hold every element of the gradients between -clip_value and clip_value."""
    _core.nn_clip_grad_value(parameters, float(clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one after the other, as one vector."""
    vector: Tensor = _concat([_reshape(p, [-1]) for p in parameters], 0)
    return vector


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Copy a vector's elements into parameters, one after the other."""
    _core.nn_from_vector(vec, list(parameters))
