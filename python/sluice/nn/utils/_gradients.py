"""Helpers for parameters and gradients, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import _core
from ..._clip import clip_grad_norm_, clip_grad_value_
from ..._core import Tensor

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "vector_to_parameters",
]

_concat, _reshape = _core.op_function("Concat"), _core.op_function("Reshape")


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one after the other, as one vector."""
    vector: Tensor = _concat([_reshape(p, [-1]) for p in parameters], 0)
    return vector


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Copy a vector's elements into parameters, one after the other."""
    _core.nn_from_vector(vec, list(parameters))
