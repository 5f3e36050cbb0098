"""Blocks of transformers: attention and a feed-forward part, each added to what
goes into it and normalised after it (or before it, with norm_first)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from .._recorded import called
from . import functional as F
from ._attention import MultiheadAttention
from ._dropout import Dropout
from ._linear import Linear
from ._module import Module
from ._norm import LayerNorm

__all__ = [
    "TransformerDecoderLayer",
    "TransformerEncoderLayer",
]

_ACTIVATIONS: dict[str, Callable[[Any], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class _Layer(Module):
    """The base of both kinds of layers."""

    activation: Any

    def _add_parts(
        self,
        parts: tuple[str, ...],
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        layer_norm_eps: float,
        batch_first: bool,
        bias: bool,
        **factory: Any,
    ) -> None:
        for name in parts:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, **factory
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **factory)
        for i in range(len(parts) + 1):
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **factory)
            setattr(self, f"norm{i + 1}", norm)
        for i in range(len(parts) + 1):
            setattr(self, f"dropout{i + 1}", Dropout(dropout))

    def _set_activation(self, activation: str | Callable[[Any], Tensor]) -> None:
        if isinstance(activation, str):
            if activation not in _ACTIVATIONS:
                raise ValueError(f"activation is {activation!r}; wanted relu or gelu")
            activation = _ACTIVATIONS[activation]
        self.activation = activation

    def _feed_forward(self, x: Any) -> Any:
        activation = called(self, self.activation)
        return self.linear2(self.dropout(activation(self.linear1(x))))

    def _added(
        self, x: Any, norm: Module, dropout: Module, part: Callable[[Any], Any]
    ) -> Any:
        if self.norm_first:
            return x + dropout(part(norm(x)))
        return norm(x + dropout(part(x)))


class TransformerEncoderLayer(_Layer):
    """A sequence looks at itself, then goes through two linear layers."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self._add_parts(
            ("self_attn",),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            bias,
            device=device,
            dtype=dtype,
        )
        self._set_activation(activation)

    def forward(
        self,
        src: Any,
        src_mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:
        """src is [length, batch, d_model], or [batch, length, d_model] with
        batch_first."""

        def look(x: Any) -> Any:
            return self.self_attn(
                x,
                x,
                x,
                key_padding_mask=src_key_padding_mask,
                need_weights=False,
                attn_mask=src_mask,
                is_causal=is_causal,
            )[0]

        x = self._added(src, self.norm1, self.dropout1, look)
        y: Tensor = self._added(x, self.norm2, self.dropout2, self._feed_forward)
        return y


class TransformerDecoderLayer(_Layer):
    """A sequence looks at itself, then at what an encoder made, then goes through
    two linear layers."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self._add_parts(
            ("self_attn", "multihead_attn"),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            bias,
            device=device,
            dtype=dtype,
        )
        self._set_activation(activation)

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """tgt and memory are [length, batch, d_model], or with batch first."""

        def look(x: Any) -> Any:
            return self.self_attn(
                x,
                x,
                x,
                key_padding_mask=tgt_key_padding_mask,
                need_weights=False,
                attn_mask=tgt_mask,
                is_causal=tgt_is_causal,
            )[0]

        def look_back(x: Any) -> Any:
            return self.multihead_attn(
                x,
                memory,
                memory,
                key_padding_mask=memory_key_padding_mask,
                need_weights=False,
                attn_mask=memory_mask,
                is_causal=memory_is_causal,
            )[0]

        x = self._added(tgt, self.norm1, self.dropout1, look)
        x = self._added(x, self.norm2, self.dropout2, look_back)
        y: Tensor = self._added(x, self.norm3, self.dropout3, self._feed_forward)
        return y
