"""Normalisation."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from ... import _core
from ..._core import Tensor

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


def want_deviation(function: str, input: Any, first: int) -> None:
    """Refuse recorded sizes that leave one number per channel, as C++ does known ones.

    first: the axes from there on, without that of the channels, are normalised over.
    """
    if not (_core.is_recording() and input.ndim >= 2):
        return
    shape = input.shape
    if math.prod(shape[i] for i in range(first, len(shape)) if i != 1) == 1:
        raise ValueError(
            f"{function}: input is {tuple(map(int, shape))}; wanted more than one "
            "number per channel in training"
        )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Every channel (axis 1) with its mean taken off and divided by its deviation.

    In training those of the batch, which move the running ones; else the running
    ones.
    """
    if training:
        if eps <= 0:
            raise ValueError(f"batch_norm(): eps is {eps}; wanted it positive")
        want_deviation("batch_norm", input, 0)
    return _core.nn_batch_norm(
        input, running_mean, running_var, None, weight, bias, training, momentum, eps
    )


def layer_norm(
    input: Any,
    normalized_shape: int | Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Tensor:
    """Slices over the last axes with mean 0 and deviation 1."""
    return _core.nn_layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Any,
    normalized_shape: int | Sequence[int],
    weight: Any = None,
    eps: float | None = None,
) -> Tensor:
    """Slices over the last axes divided by the root of their mean square."""
    return _core.nn_rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Any,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Tensor:
    """Groups of channels of every sample [N, C, ...] with mean 0 and deviation 1."""
    return _core.nn_group_norm(input, num_groups, weight, bias, eps)


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Every channel of every sample [N, C, ...] with mean 0 and deviation 1.

    With `use_input_stats` by its own statistics, which move the running ones where
    they are given; else by the running ones.
    """
    if use_input_stats:
        want_deviation("instance_norm", input, 2)
    return _core.nn_instance_norm(
        input,
        running_mean,
        running_var,
        weight,
        bias,
        use_input_stats,
        momentum,
        eps,
    )


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Every element divided by a power of the squares of its neighbours in channels."""
    return _core.nn_local_response_norm(input, size, alpha, beta, k)


def normalize(
    input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12
) -> Tensor:
    """Vectors along an axis divided by their p-norm."""
    return _core.nn_normalize(input, p, dim, eps)
