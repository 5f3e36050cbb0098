"""Attention with a key and value of its own added, learnt or zeros."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._array.create import arange
from .._array.device import beside
from .._array.shape import as_tensor, concat, expand_dims, swapaxes
from .._core import Tensor
from . import functional as F

Op = Callable[..., Tensor]
_broadcast: Op = _core.op_function("BroadcastTo")
_where: Op = _core.op_function("Select")


def _added(mask: Tensor, like: Tensor) -> Tensor:
    """A mask as numbers to add. A bool mask is true where attention is forbidden."""
    if mask.dtype != _core.bool:
        return mask.to(like.dtype)
    never = beside(like, as_tensor(-math.inf)).to(like.dtype)
    return _where(mask, never, beside(like, as_tensor(0)).to(like.dtype))


def _projected(module: Any, query: Any, key: Any, value: Any) -> list[Tensor]:
    whole, bias = module.in_proj_weight, module.in_proj_bias
    if whole is not None:
        weights = whole.chunk(3)
    else:
        weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return [F.linear(*row) for row in zip((query, key, value), weights, biases)]


def _masks(
    module: Any, q: Tensor, keys: Any, padding: Any, mask: Any, causal: bool
) -> Tensor | None:
    """[batch or 1, heads or 1, queries, keys], of the keys that were given."""
    total: Any = None
    if causal:
        steps = beside(q, arange(q.shape[2]))
        later = expand_dims(beside(q, arange(keys)), 0) > expand_dims(steps, 1)
        total = _added(later, q)
    if mask is not None:
        found = _added(as_tensor(mask), q)
        if found.ndim == 3:
            shape = (q.shape[0], module.num_heads, *found.shape[1:])
            found = found.reshape(*shape)
        total = found
    if padding is not None:
        found = _added(as_tensor(padding), q)
        found = found if found.ndim == 2 else expand_dims(found, 0)
        found = expand_dims(expand_dims(found, 1), 1)
        total = found if total is None else total + found
    made: Tensor | None = total
    return made


def attention_with_more(
    module: Any, query: Any, key: Any, value: Any, padding: Any, need_weights: bool,
    mask: Any, average: bool, causal: bool,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """MultiheadAttention.forward of add_bias_kv and add_zero_attn."""
    given = [as_tensor(t) for t in (query, key, value)]
    single = given[0].ndim == 2
    if single:
        given = [expand_dims(t, 1) for t in given]
    elif module.batch_first:
        given = [swapaxes(t, 0, 1) for t in given]
    q, k, v = _projected(module, *given)
    batch, keys = q.shape[1], k.shape[0]
    if module.bias_k is not None:
        shape = (1, batch, module.embed_dim)
        k = concat([k, _broadcast(module.bias_k, shape)])
        v = concat([v, _broadcast(module.bias_v, shape)])
    heads, depth = module.num_heads, module.head_dim
    q, k, v = (
        t.reshape(t.shape[0], batch, heads, depth).permute(1, 2, 0, 3)
        for t in (q, k, v)
    )
    if module.add_zero_attn:
        k, v = F.pad(k, [0, 0, 0, 1]), F.pad(v, [0, 0, 0, 1])
    scores = (q / math.sqrt(depth)) @ swapaxes(k, -1, -2)
    total = _masks(module, q, keys, padding, mask, causal)
    if total is not None:
        more = (module.bias_k is not None) + bool(module.add_zero_attn)
        scores = scores + F.pad(total, [0, more])
    weights = F.softmax(scores, -1)
    used = F.dropout(weights, module.dropout, module.training)
    made = (used @ v).permute(2, 0, 1, 3).reshape(-1, batch, module.embed_dim)
    made = module.out_proj(made)
    if single:
        made = made[:, 0]
    elif module.batch_first:
        made = swapaxes(made, 0, 1)
    if not need_weights:
        return made, None
    weights = used.mean(1) if average else used
    return made, (weights[0] if single else weights)
