"""Activations as modules. inplace=True: the input takes the result's elements."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sigmoid",
    "SiLU",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Inplace(Module):
    """Activations with no argument but `inplace`."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """max(input, 0), elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.relu(input, self.inplace)


class ReLU6(_Inplace):
    """The input held between 0 and 6."""

    def forward(self, input: Any) -> Tensor:
        return F.relu6(input, self.inplace)


class SELU(_Inplace):
    """elu, scaled so that means and variances stay 0 and 1."""

    def forward(self, input: Any) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(_Inplace):
    """The input times its sigmoid."""

    def forward(self, input: Any) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """The input times tanh(softplus(input))."""

    def forward(self, input: Any) -> Tensor:
        return F.mish(input, self.inplace)


class Hardsigmoid(_Inplace):
    """A sigmoid of straight lines."""

    def forward(self, input: Any) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_Inplace):
    """The input times its hardsigmoid."""

    def forward(self, input: Any) -> Tensor:
        return F.hardswish(input, self.inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-input)), elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.tanh(input)


class Softsign(Module):
    """input / (1 + |input|), elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """input - tanh(input), elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.tanhshrink(input)


class LogSigmoid(Module):
    """The logarithm of the sigmoid, elementwise."""

    def forward(self, input: Any) -> Tensor:
        return F.logsigmoid(input)


class LeakyReLU(Module):
    """The input where positive, else times negative_slope."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Any) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        more = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{more}"


class _Alpha(Module):
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class ELU(_Alpha):
    """The input where positive, else alpha (exp(input) - 1)."""

    def forward(self, input: Any) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Alpha):
    """The input where positive, else alpha (exp(input / alpha) - 1)."""

    def forward(self, input: Any) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class RReLU(Module):
    """The input where positive, else times a slope: drawn in training, or the mean."""

    def __init__(
        self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Any) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class Softplus(Module):
    """log(1 + exp(beta input)) / beta; the input itself above the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Any) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class _Lambd(Module):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(_Lambd):
    """The input moved by lambd towards 0, and 0 where it is less than that."""

    def forward(self, input: Any) -> Tensor:
        return F.softshrink(input, self.lambd)


class Hardshrink(_Lambd):
    """The input, 0 where it is not further than lambd from it."""

    def forward(self, input: Any) -> Tensor:
        return F.hardshrink(input, self.lambd)


class GELU(Module):
    """The input times its share of a normal distribution; approximate: tanh."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Tensor:
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardtanh(Module):
    """The input held between min_val and max_val."""

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
    ) -> None:
        super().__init__()
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Any) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        more = ", inplace=True" if self.inplace else ""
        return f"min_val={self.min_val}, max_val={self.max_val}{more}"


class Threshold(Module):
    """The input where above the threshold, else the value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Any) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        more = ", inplace=True" if self.inplace else ""
        return f"threshold={self.threshold}, value={self.value}{more}"


class PReLU(Module):
    """leaky_relu with a slope that is learnt, one for all or one per channel."""

    weight: Parameter

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = new_parameter((num_parameters,), device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again, with the slope `init`."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
