"""One step of a recurrent layer: RNNCell, LSTMCell, GRUCell."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter
from ._recurrent import check_sizes, gate_shapes

__all__ = [
    "GRUCell",
    "LSTMCell",
    "RNNCell",
]


class _Cell(Module):
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def _build(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        bias: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        check_sizes(type(self).__name__, input_size, hidden_size, 0)
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.bias = bias
        for name, shape in gate_shapes(mode, input_size, hidden_size, 0, False).items():
            there = bias or not name.startswith("bias")
            param = new_parameter(shape, device, dtype) if there else None
            self.register_parameter(name, param)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: evenly, at most 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _next(self, input: Any, state: list[Any]) -> list[Tensor]:
        weights = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        return _core.nn_cell(self.mode, input, state, weights)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """The next state tanh(W_ih x + b_ih + W_hh h + b_hh), or relu.

    x is [batch, input_size], h [batch, hidden_size] (zeros, if not given).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity is {nonlinearity!r}; wanted tanh or relu")
        self.nonlinearity = nonlinearity
        mode = "RNN_" + nonlinearity.upper()
        self._build(mode, input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Tensor:
        return self._next(input, [] if hx is None else [hx])[0]


class GRUCell(_Cell):
    """The next state of a gated recurrent unit.

    x is [batch, input_size], h [batch, hidden_size] (zeros, if not given).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._build("GRU", input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Tensor:
        return self._next(input, [] if hx is None else [hx])[0]


class LSTMCell(_Cell):
    """The next state (h, c) of a long short-term memory.

    x is [batch, input_size], h and c [batch, hidden_size] (zeros, if not given).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._build("LSTM", input_size, hidden_size, bias, device, dtype)

    def forward(
        self, input: Any, hx: tuple[Any, Any] | None = None
    ) -> tuple[Tensor, Tensor]:
        if hx is not None and (not isinstance(hx, (tuple, list)) or len(hx) != 2):
            raise TypeError("LSTMCell: hx: wanted a pair of tensors, (h, c)")
        h, c = self._next(input, [] if hx is None else list(hx))
        return h, c
