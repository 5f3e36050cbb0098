"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from .._core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter

__all__ = [
    "Bilinear",
    "Identity",
    "Linear",
]


class Identity(Module):
    """The input; arguments are taken and not used."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """input [..., in_features] weight' + bias, along the last axis.

    weight is [out_features, in_features], bias [out_features] or None.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = new_parameter((out_features, in_features), device, dtype)
        has_bias = new_parameter((out_features,), device, dtype) if bias else None
        self.register_parameter("bias", has_bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: evenly, at most 1 / sqrt(in_features)."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Any) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """input1' weight input2 + bias, for every row of both inputs.

    weight is [out_features, in1_features, in2_features].
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features is {in1_features}; wanted it positive")
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = new_parameter(shape, device, dtype)
        has_bias = new_parameter((out_features,), device, dtype) if bias else None
        self.register_parameter("bias", has_bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: evenly, at most 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
