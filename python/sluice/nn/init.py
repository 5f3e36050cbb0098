"""Initialisers: they fill tensors in place, without gradients, and return them.

    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")

Names and distributions are PyTorch's; random numbers are those of sl.manual_seed.
"""

from __future__ import annotations

from typing import TypeVar

from .. import _core
from .._core import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

T = TypeVar("T", bound=Tensor)


def uniform_(tensor: T, a: float = 0.0, b: float = 1.0) -> T:
    """Evenly between a and b."""
    _core.nn_init_uniform(tensor, a, b)
    return tensor


def normal_(tensor: T, mean: float = 0.0, std: float = 1.0) -> T:
    """A normal distribution."""
    _core.nn_init_normal(tensor, mean, std)
    return tensor


def trunc_normal_(
    tensor: T, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> T:
    """A normal distribution without what is outside of [a, b].

    The bounds are numbers, not deviations: with std=0.02 those of -2 and 2 cut
    nothing off.
    """
    _core.nn_init_trunc_normal(tensor, mean, std, a, b)
    return tensor


def constant_(tensor: T, val: float) -> T:
    """One number everywhere."""
    _core.nn_init_constant(tensor, val)
    return tensor


def zeros_(tensor: T) -> T:
    """Zeros."""
    _core.nn_init_constant(tensor, 0.0)
    return tensor


def ones_(tensor: T) -> T:
    """Ones."""
    _core.nn_init_constant(tensor, 1.0)
    return tensor


def eye_(tensor: T) -> T:
    """Ones on the diagonal of a matrix, zeros elsewhere."""
    _core.nn_init_eye(tensor)
    return tensor


def orthogonal_(tensor: T, gain: float = 1) -> T:
    """Rows (or columns, whichever are fewer) at right angles, of length gain."""
    _core.nn_init_orthogonal(tensor, gain)
    return tensor


def xavier_uniform_(tensor: T, gain: float = 1.0) -> T:
    """Evenly, so that variances stay the same forward and backward."""
    _core.nn_init_xavier(tensor, gain, False)
    return tensor


def xavier_normal_(tensor: T, gain: float = 1.0) -> T:
    """Normally, so that variances stay the same forward and backward."""
    _core.nn_init_xavier(tensor, gain, True)
    return tensor


def kaiming_uniform_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> T:
    """Evenly, so that variances stay the same through relu and its like."""
    _core.nn_init_kaiming(tensor, a, mode, nonlinearity, False)
    return tensor


def kaiming_normal_(
    tensor: T, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> T:
    """Normally, so that variances stay the same through relu and its like."""
    _core.nn_init_kaiming(tensor, a, mode, nonlinearity, True)
    return tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What an activation does to deviations; param is leaky_relu's slope."""
    return _core.nn_calculate_gain(nonlinearity, 0.01 if param is None else param)
