"""Attention: every position of a sequence looks at those of another."""

from __future__ import annotations

from typing import Any, cast

from .. import _core
from .._core import Tensor
from . import init
from ._attention_more import attention_with_more
from ._linear import Linear
from ._module import Module
from ._parameter import Parameter, new_parameter

__all__ = [
    "MultiheadAttention",
]


class MultiheadAttention(Module):
    """Attention in several ways at once.

        y, weights = attention(query, key, value)

    Sequences are [length, batch, embed_dim] (batch_first: [batch, length, ...]), or
    [length, embed_dim] alone. Masks are as PyTorch's: bool is true where nobody may
    look, floats are added to the scores. need_weights=False is faster. add_bias_kv
    and add_zero_attn add one more key and value, learnt or zeros.
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if num_heads <= 0 or embed_dim <= 0 or embed_dim % num_heads:
            raise ValueError(
                f"num_heads is {num_heads}; wanted it to divide embed_dim {embed_dim}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout is {dropout}; wanted 0 <= dropout <= 1")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        alike = self.kdim == embed_dim and self.vdim == embed_dim
        shapes = {
            "q_proj_weight": (embed_dim, embed_dim),
            "k_proj_weight": (embed_dim, self.kdim),
            "v_proj_weight": (embed_dim, self.vdim),
        }
        if alike:
            self.in_proj_weight = new_parameter(
                (3 * embed_dim, embed_dim), device, dtype
            )
        for name, shape in shapes.items():
            param = None if alike else new_parameter(shape, device, dtype)
            self.register_parameter(name, param)
        if not alike:
            self.register_parameter("in_proj_weight", None)
        has_bias = new_parameter((3 * embed_dim,), device, dtype) if bias else None
        self.register_parameter("in_proj_bias", has_bias)
        self.out_proj = Linear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            place = (1, 1, embed_dim)
            more = new_parameter(place, device, dtype) if add_bias_kv else None
            self.register_parameter(name, more)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj", "q_proj", "k_proj", "v_proj"):
            weight = self._parameters[name + "_weight"]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        if self.bias_k is not None and self.bias_v is not None:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, and the weights [batch, queries, keys], if they are wanted.

        key_padding_mask is [batch, keys]; attn_mask is [queries, keys] or [batch
        heads, queries, keys]; with is_causal position i looks at 0 to i only.
        """
        if self.bias_k is not None or self.add_zero_attn:
            return attention_with_more(
                self, query, key, value, key_padding_mask, need_weights, attn_mask,
                average_attn_weights, is_causal and attn_mask is None,
            )  # fmt: skip
        weights = (
            self.in_proj_weight,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            self.in_proj_bias,
            self.out_proj.weight,
            self.out_proj.bias,
        )
        made = _core.nn_multi_head(
            query,
            key,
            value,
            weights,
            self.embed_dim,
            self.num_heads,
            self.batch_first,
            key_padding_mask,
            attn_mask,
            is_causal and attn_mask is None,
            need_weights,
            average_attn_weights,
            self.dropout if self.dropout > 0 and self.training else 0.0,
        )
        return cast("tuple[Tensor, Tensor | None]", made)

    def extra_repr(self) -> str:
        text = f"{self.embed_dim}, {self.num_heads}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        if self.in_proj_bias is None:
            text += ", bias=False"
        return text + (", batch_first=True" if self.batch_first else "")
