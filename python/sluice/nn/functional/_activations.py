"""Activations, by PyTorch's names and arguments.

`inplace` is taken where PyTorch takes it; results are always new tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._core import Tensor

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
]

_op: Callable[[str], Callable[..., Tensor]] = _core.op_function
_relu, _relu6, _elu, _selu, _celu = map(_op, ("Relu", "Relu6", "Elu", "Selu", "Celu"))
_leaky_relu, _gelu, _silu = _op("LeakyRelu"), _op("Gelu"), _op("Silu")
_mish, _sigmoid, _tanh = _op("Mish"), _op("Sigmoid"), _op("Tanh")
_hard_sigmoid, _hard_swish = _op("HardSigmoid"), _op("HardSwish")
_hard_tanh, _softsign = _op("HardTanh"), _op("Softsign")
_soft_shrink, _hard_shrink = _op("SoftShrink"), _op("HardShrink")
_tanh_shrink, _log_sigmoid = _op("TanhShrink"), _op("LogSigmoid")
_threshold, _glu, _neg = _op("Threshold"), _op("Glu"), _op("Neg")
_softmax, _log_softmax, _cast = _op("Softmax"), _op("LogSoftmax"), _op("Cast")


def relu(input: Any, inplace: bool = False) -> Tensor:
    """max(input, 0), elementwise."""
    return _relu(input)


def relu6(input: Any, inplace: bool = False) -> Tensor:
    """The input held between 0 and 6."""
    return _relu6(input)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where positive, else alpha (exp(input) - 1)."""
    return _elu(input, alpha)


def selu(input: Any, inplace: bool = False) -> Tensor:
    """elu, scaled so that means and variances stay 0 and 1."""
    return _selu(input)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where positive, else alpha (exp(input / alpha) - 1)."""
    return _celu(input, alpha)


def leaky_relu(
    input: Any, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """The input where positive, else times negative_slope."""
    return _leaky_relu(input, negative_slope)


def prelu(input: Any, weight: Any) -> Tensor:
    """leaky_relu with a slope that is learnt, one for all or one per channel."""
    return _core.nn_prelu(input, weight)


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """The input times its share of a normal distribution; approximate: tanh."""
    return _gelu(input, approximate)


def silu(input: Any, inplace: bool = False) -> Tensor:
    """The input times its sigmoid."""
    return _silu(input)


def mish(input: Any, inplace: bool = False) -> Tensor:
    """The input times tanh(softplus(input))."""
    return _mish(input)


def sigmoid(input: Any) -> Tensor:
    """1 / (1 + exp(-input)), elementwise."""
    return _sigmoid(input)


def tanh(input: Any) -> Tensor:
    """The hyperbolic tangent, elementwise."""
    return _tanh(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    """A sigmoid of straight lines."""
    return _hard_sigmoid(input)


def hardswish(input: Any, inplace: bool = False) -> Tensor:
    """The input times its hardsigmoid."""
    return _hard_swish(input)


def hardtanh(
    input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """The input held between min_val and max_val."""
    return _hard_tanh(input, min_val, max_val)


def softsign(input: Any) -> Tensor:
    """input / (1 + |input|), elementwise."""
    return _softsign(input)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta input)) / beta; the input itself above the threshold."""
    return _core.nn_softplus(input, beta, threshold)


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input moved by lambd towards 0, and 0 where it is less than that."""
    return _soft_shrink(input, lambd)


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input, 0 where it is not further than lambd from it."""
    return _hard_shrink(input, lambd)


def tanhshrink(input: Any) -> Tensor:
    """input - tanh(input), elementwise."""
    return _tanh_shrink(input)


def logsigmoid(input: Any) -> Tensor:
    """The logarithm of the sigmoid, elementwise."""
    return _log_sigmoid(input)


def threshold(
    input: Any, threshold: float, value: float, inplace: bool = False
) -> Tensor:
    """The input where above the threshold, else the value."""
    return _threshold(input, threshold, value)


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
    return _glu(input, dim)


def _typed(input: Any, dtype: Any) -> Any:
    return input if dtype is None else _cast(input, dtype)


def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Numbers along an axis (the last, if none is given) as probabilities."""
    return _softmax(_typed(input, dtype), -1 if dim is None else dim)


def softmin(input: Any, dim: int | None = None, dtype: Any = None) -> Tensor:
    """softmax(-input)."""
    return _softmax(_neg(_typed(input, dtype)), -1 if dim is None else dim)


def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along an axis (the last, if none is given)."""
    return _log_softmax(_typed(input, dtype), -1 if dim is None else dim)


def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draws of a categorical distribution, smooth enough to have gradients.

    eps is taken where PyTorch takes it, which does not use it either.
    """
    return _core.nn_gumbel_softmax(logits, tau, hard, dim)
