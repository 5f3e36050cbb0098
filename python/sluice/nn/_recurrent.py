"""Recurrent layers: RNN, LSTM, GRU."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._array.create import arange
from .._array.device import beside
from .._array.pick import index_select
from .._array.shape import expand_dims, swapaxes
from .._core import Tensor
from . import init
from ._module import Module
from ._parameter import new_parameter
from .utils.rnn import PackedSequence, padded_sorted

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "RNNBase",
]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_PEEPHOLES = ("weight_ci", "weight_cf", "weight_co")


def gate_shapes(
    mode: str, input_size: int, hidden_size: int, proj_size: int, peepholes: bool
) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights of one cell, in the order C++ takes them."""
    rows, out = _GATES[mode] * hidden_size, proj_size or hidden_size
    shapes: dict[str, tuple[int, ...]] = {
        "weight_ih": (rows, input_size),
        "weight_hh": (rows, out),
        "bias_ih": (rows,),
        "bias_hh": (rows,),
    }
    if proj_size:
        shapes["weight_hr"] = (out, hidden_size)
    if peepholes:
        shapes.update((name, (hidden_size,)) for name in _PEEPHOLES)
    return shapes


def check_sizes(name: str, input_size: int, hidden_size: int, proj_size: int) -> None:
    """Throw when they make no cell."""
    if input_size <= 0 or hidden_size <= 0:
        raise ValueError(
            f"{name}: input_size is {input_size}, hidden_size is {hidden_size}; "
            "wanted both positive"
        )
    if not 0 <= proj_size < hidden_size:
        raise ValueError(
            f"{name}: proj_size is {proj_size}; wanted less than hidden_size "
            f"{hidden_size}, or 0 for none"
        )


def _in_order(state: Any, order: Any) -> Any:
    """A state, or a pair of them, of the batch in another order."""
    if state is None or order is None:
        return state
    if isinstance(state, (tuple, list)):
        return tuple(_in_order(s, order) for s in state)
    return index_select(state, 1, order)


class RNNBase(Module):
    """What RNN, LSTM and GRU have in common."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
        peepholes: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if mode not in _GATES:
            raise ValueError(f"mode is {mode!r}; wanted one of {', '.join(_GATES)}")
        check_sizes(name, input_size, hidden_size, proj_size)
        if num_layers <= 0:
            raise ValueError(f"{name}: num_layers is {num_layers}; wanted at least 1")
        if not 0 <= dropout <= 1:
            raise ValueError(f"{name}: dropout is {dropout}; wanted 0 <= dropout <= 1")
        if mode != "LSTM" and (proj_size or peepholes):
            raise ValueError(f"{name}: proj_size and peepholes are for an LSTM")
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional = float(dropout), bidirectional
        self.proj_size, self.peepholes = proj_size, peepholes
        self._names: list[list[str | None]] = []
        directions = 2 if bidirectional else 1
        size = input_size
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[:directions]:
                self._add_cell(size, f"_l{layer}{suffix}", device, dtype)
            size = (proj_size or hidden_size) * directions
        self.reset_parameters()

    def _add_cell(self, size: int, suffix: str, device: Any, dtype: Any) -> None:
        shapes = gate_shapes(
            self.mode, size, self.hidden_size, self.proj_size, self.peepholes
        )
        for name, shape in shapes.items():
            if self.bias or not name.startswith("bias"):
                param = new_parameter(shape, device, dtype)
                self.register_parameter(name + suffix, param)
        order = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        self._names.append(
            [
                name + suffix if name + suffix in self._parameters else None
                for name in order + _PEEPHOLES
            ]
        )

    def reset_parameters(self) -> None:
        """Begin again: evenly, at most 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The weights of each layer and direction."""
        return [
            [self._parameters[n] for n in names if n is not None]
            for names in self._names
        ]

    def flatten_parameters(self) -> None:
        """There for programs written for PyTorch; does nothing."""

    def forward(self, input: Any, hx: Any = None, lengths: Any = None) -> Any:
        """What the last layer gives at each step, and the last state.

        input is [steps, batch, input_size] (batch_first: [batch, steps, ...]), or
        [steps, input_size] alone; hx is the first state (zeros), of an LSTM a pair.
        With lengths [batch] an example ends after its length: zeros behind it, its
        own last state, and no work for steps it does not have. Of a PackedSequence
        it gives one.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx, lengths)
        held = self._parameters
        weights = [
            # One that is not held is computed, as by weight_norm.
            [n and (held[n] if n in held else getattr(self, n)) for n in names]
            for names in self._names
        ]
        return _core.nn_recurrent(
            self.mode,
            input,
            hx,
            lengths,
            weights,
            self.batch_first,
            self.dropout,
            self.bidirectional,
            self.dropout > 0 and self.training,
        )

    def _packed(self, input: PackedSequence, hx: Any, lengths: Any) -> Any:
        if lengths is not None:
            raise ValueError("lengths of a PackedSequence; wanted None: it has its own")
        x, ends = padded_sorted(input)
        order, back = input.sorted_indices, input.unsorted_indices
        x = swapaxes(x, 0, 1) if self.batch_first else x
        y, state = self.forward(x, _in_order(hx, order), ends)
        y = swapaxes(y, 0, 1) if self.batch_first else y
        there = expand_dims(arange(y.shape[0]), 1) < expand_dims(ends, 0)
        made = PackedSequence(y[beside(y, there)], input.batch_sizes, order, back)
        return made, _in_order(state, back)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if not self.bias:
            text += ", bias=False"
        if self.batch_first:
            text += ", batch_first=True"
        if self.dropout:
            text += f", dropout={self.dropout}"
        if self.bidirectional:
            text += ", bidirectional=True"
        return text + (", peepholes=True" if self.peepholes else "")


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh) along sequences (or relu).

        y, h = rnn(x)          # h [layers * directions, batch, hidden_size]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity is {nonlinearity!r}; wanted tanh or relu")
        super().__init__(
            "RNN_" + nonlinearity.upper(),
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units along sequences.

        y, h = gru(x)          # h [layers * directions, batch, hidden_size]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )


class LSTM(RNNBase):
    """Long short-term memory along sequences.

        y, (h, c) = lstm(x)    # [layers * directions, batch, hidden_size]

    With proj_size, h is a product of so many; with peepholes gates see the cell.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
        *,
        peepholes: bool = False,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
            peepholes,
        )
