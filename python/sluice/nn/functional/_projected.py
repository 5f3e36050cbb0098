"""Functions that multiply by a matrix first: attention with its projections, the
cross-entropy of a last layer, convolution of sequences with time in front."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from ... import _core
from ..._array.shape import as_tensor
from ..._core import Tensor
from ._images import conv1d
from ._layers import linear
from ._losses import cross_entropy

__all__ = ["conv_tbc", "linear_cross_entropy", "multi_head_attention_forward"]


def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Tensor:
    """conv1d of [time, batch, channels], by weights [width, in, out]."""
    x, weight = as_tensor(input), as_tensor(weight)
    if x.ndim != 3 or weight.ndim != 3:
        raise ValueError(
            f"conv_tbc(): input is {list(x.shape)}, weight {list(weight.shape)}; "
            "wanted three axes each"
        )
    made = conv1d(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return made.permute(2, 0, 1)


def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None,
    weight: Any = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: Any = None,
) -> Tensor:  # fmt: skip
    """cross_entropy of linear(input, linear_weight, linear_bias).

    Weights [classes, ..., in_features] give logits [N, classes, ...].
    """
    if options is not None:
        raise NotImplementedError(
            "linear_cross_entropy(): options say how logits are cut into chunks; "
            "wanted None, or a loop over chunks of rows"
        )
    rows = as_tensor(linear_weight)
    shape = tuple(rows.shape[:-1])
    bias = None if linear_bias is None else as_tensor(linear_bias).reshape(-1)
    logits = linear(input, rows.reshape(-1, rows.shape[-1]), bias)
    if len(shape) > 1:
        logits = logits.reshape(*logits.shape[:-1], *shape)
    return cross_entropy(
        logits, target, weight, reduction=reduction, label_smoothing=label_smoothing,
        ignore_index=-100 if ignore_index is None else ignore_index,
    )  # fmt: skip


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any,
    add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any,
    training: bool = True, key_padding_mask: Any = None, need_weights: bool = True,
    attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None,
    static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """What nn.MultiheadAttention computes, of its weights.

    Tensors are [length, batch, features].
    """
    from .._attention_more import attention_with_more

    what = "multi_head_attention_forward"
    if static_k is not None or static_v is not None:
        raise NotImplementedError(
            f"{what}(): static_k and static_v; wanted them by way of "
            "scaled_dot_product_attention"
        )
    size = as_tensor(query).shape[-1]
    if int(size) != embed_dim_to_check:
        raise ValueError(
            f"{what}(): embed_dim_to_check is {embed_dim_to_check}, query has {size} "
            "features"
        )
    if embed_dim_to_check % num_heads:
        raise ValueError(
            f"{what}(): num_heads is {num_heads}; wanted it to divide "
            f"{embed_dim_to_check}"
        )
    if is_causal and attn_mask is None:
        raise ValueError(f"{what}(): is_causal without attn_mask; wanted both")
    whole = None if use_separate_proj_weight else in_proj_weight
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    separate = separate if use_separate_proj_weight else (None, None, None)
    if bias_k is not None or add_zero_attn:
        parts = SimpleNamespace(
            in_proj_weight=whole, in_proj_bias=in_proj_bias, bias_k=bias_k,
            q_proj_weight=separate[0], k_proj_weight=separate[1],
            v_proj_weight=separate[2], bias_v=bias_v, add_zero_attn=add_zero_attn,
            embed_dim=embed_dim_to_check, num_heads=num_heads, batch_first=False,
            head_dim=embed_dim_to_check // num_heads, dropout=dropout_p,
            training=training,
            out_proj=lambda x: linear(x, out_proj_weight, out_proj_bias),
        )  # fmt: skip
        return attention_with_more(
            parts, query, key, value, key_padding_mask, need_weights, attn_mask,
            average_attn_weights, False,
        )  # fmt: skip
    made = _core.nn_multi_head(
        query, key, value,
        (whole, *separate, in_proj_bias, out_proj_weight, out_proj_bias),
        embed_dim_to_check, num_heads, False, key_padding_mask, attn_mask, False,
        need_weights, average_attn_weights, dropout_p if training else 0.0,
    )  # fmt: skip
    return cast("tuple[Tensor, Tensor | None]", made)
