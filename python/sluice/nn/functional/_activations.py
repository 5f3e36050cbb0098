"""Activations, by PyTorch's names and arguments.

`inplace` is taken where PyTorch takes it; results are always new tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import axes_tuple, flag
from ..._array.device import device_like
from ..._array.draws import rand
from ..._array.math import clip
from ..._array.reduce import as_floats
from ..._array.shape import as_tensor
from ..._core import Tensor
from ._in_place import source, written

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
    "rrelu",
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
_where = _op("Select")
_softmax, _log_softmax = _op("Softmax"), _op("LogSoftmax")


def relu(input: Any, inplace: bool = False) -> Tensor:
    """max(input, 0), elementwise."""
    made = _relu(input)
    return written(input, made) if inplace else made


def relu6(input: Any, inplace: bool = False) -> Tensor:
    """The input held between 0 and 6."""
    x = as_tensor(source(input) if inplace else input)
    made = _relu6(x) if x.dtype.is_floating_point else clip(x, 0, 6)
    return written(input, made) if inplace else made


def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    inplace: bool = False,
) -> Tensor:  # fmt: skip
    """The input where positive, else times a slope: drawn in training, or the mean."""
    x = as_tensor(source(input) if inplace else input)
    drawn = None
    if flag(training, "training"):
        drawn = rand(x.shape, dtype=x.dtype, device=device_like(x, None))
    made = _core.nn_rrelu(x, lower, upper, training, drawn)
    return written(input, made) if inplace else made


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where positive, else alpha (exp(input) - 1)."""
    made = _elu(source(input) if inplace else input, alpha)
    return written(input, made) if inplace else made


def selu(input: Any, inplace: bool = False) -> Tensor:
    """elu, scaled so that means and variances stay 0 and 1."""
    made = _selu(source(input) if inplace else input)
    return written(input, made) if inplace else made


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where positive, else alpha (exp(input / alpha) - 1)."""
    if alpha == 0:
        raise ValueError("celu(): alpha is 0; wanted another number")
    made = _celu(source(input) if inplace else input, alpha)
    return written(input, made) if inplace else made


def leaky_relu(
    input: Any, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """The input where positive, else times negative_slope."""
    made = _leaky_relu(source(input) if inplace else input, negative_slope)
    return written(input, made) if inplace else made


def prelu(input: Any, weight: Any) -> Tensor:
    """leaky_relu with a slope that is learnt, one for all or one per channel."""
    return _core.nn_prelu(input, weight)


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """The input times its share of a normal distribution; approximate: tanh."""
    return _gelu(input, approximate)


def silu(input: Any, inplace: bool = False) -> Tensor:
    """The input times its sigmoid."""
    made = _silu(source(input) if inplace else input)
    return written(input, made) if inplace else made


def mish(input: Any, inplace: bool = False) -> Tensor:
    """The input times tanh(softplus(input))."""
    made = _mish(source(input) if inplace else input)
    return written(input, made) if inplace else made


def sigmoid(input: Any) -> Tensor:
    """1 / (1 + exp(-input)), elementwise."""
    return _sigmoid(input)


def tanh(input: Any) -> Tensor:
    """The hyperbolic tangent, elementwise."""
    return _tanh(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    """A sigmoid of straight lines."""
    made = _hard_sigmoid(source(input) if inplace else input)
    return written(input, made) if inplace else made


def hardswish(input: Any, inplace: bool = False) -> Tensor:
    """The input times its hardsigmoid."""
    made = _hard_swish(source(input) if inplace else input)
    return written(input, made) if inplace else made


def hardtanh(
    input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """The input held between min_val and max_val."""
    if not min_val <= max_val:  # nor NaN
        raise ValueError(
            f"hardtanh(): min_val is {min_val}, max_val {max_val}; wanted "
            "min_val <= max_val"
        )
    x = as_tensor(source(input) if inplace else input)
    if x.dtype.is_floating_point:
        made = _hard_tanh(x, min_val, max_val)
        return written(input, made) if inplace else made
    made = clip(x, _whole(min_val, "min_val"), _whole(max_val, "max_val"))
    return written(input, made) if inplace else made


def _whole(value: float, what: str) -> int:
    if value != int(value):
        raise ValueError(f"{what} is {value}, the input integers; wanted an integer")
    return int(value)


def softsign(input: Any) -> Tensor:
    """input / (1 + |input|), elementwise."""
    return _softsign(input)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta input)) / beta; the input itself above the threshold."""
    return _core.nn_softplus(input, beta, threshold)


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input moved by lambd towards 0, and 0 where it is less than that."""
    if not lambd >= 0:
        raise ValueError(f"softshrink(): lambd is {lambd}; wanted it 0 or more")
    return _soft_shrink(input, lambd)


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input, 0 where it is not further than lambd from it."""
    if lambd != lambd:
        raise ValueError("hardshrink(): lambd is nan; wanted a number")
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
    x = as_tensor(source(input) if inplace else input)
    if x.dtype.is_floating_point:
        made = _threshold(x, threshold, value)
        return written(input, made) if inplace else made
    made = _where(x > threshold, x, _whole(value, "value"))
    return written(input, made) if inplace else made


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
    return _glu(input, dim)


def _typed(input: Any, dtype: Any) -> Any:
    return input if dtype is None else as_floats(input, dtype, "softmax")


def _along(op: Any, input: Any, dim: int | None, dtype: Any) -> Tensor:
    x = as_tensor(_typed(input, dtype))
    if x.ndim == 0:
        axes_tuple(0 if dim is None else dim, 1, "softmax")
        return op(x.reshape(1), 0).reshape(())
    if dim is None:
        # PyTorch's rule: the probable axis of classes.
        dim = 0 if x.ndim in (1, 3) else 1
    return op(x, dim)


def softmax(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Numbers along an axis as probabilities; None: the first of 1 or 3 axes, else
    the second, as PyTorch has it."""
    return _along(_softmax, input, dim, dtype)


def softmin(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """softmax(-input)."""
    return _along(_softmax, _neg(_typed(input, dtype)), dim, None)


def log_softmax(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """The logarithm of softmax along an axis; None as for softmax."""
    return _along(_log_softmax, input, dim, dtype)


def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draws of a categorical distribution, smooth enough to have gradients.

    eps is taken where PyTorch takes it, which does not use it either.
    """
    return _core.nn_gumbel_softmax(logits, tau, hard, dim)


def _over(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function with its result written over the input."""

    def made(input: Any, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, **kwargs, inplace=True)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{name.removesuffix('_')}() written over the input."
    return made


celu_ = _over("celu_", celu)
elu_ = _over("elu_", elu)
hardtanh_ = _over("hardtanh_", hardtanh)
leaky_relu_ = _over("leaky_relu_", leaky_relu)
relu_ = _over("relu_", relu)
rrelu_ = _over("rrelu_", rrelu)
selu_ = _over("selu_", selu)
threshold_ = _over("threshold_", threshold)
__all__ += ["celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_"]
__all__ += ["threshold_"]
