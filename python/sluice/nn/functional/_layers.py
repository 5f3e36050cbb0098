"""Products, tables, dropout, attention, and what moves elements about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import _core, _ops
from ..._array.axes import flag, whole
from ..._array.device import device_like
from ..._array.draws import rand
from ..._array.open_sizes import has_symbols, padded
from ..._array.pick import take
from ..._array.shape import as_tensor, may_be
from ..._array.windows import pdist
from ..._autograd import no_grad
from ..._core import Tensor
from ._in_place import source, written

__all__ = [
    "alpha_dropout",
    "bilinear",
    "channel_shuffle",
    "cosine_similarity",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding",
    "feature_alpha_dropout",
    "linear",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "scaled_dot_product_attention",
]

_cosine: Callable[..., Tensor] = _core.op_function("CosineSimilarity")


def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """input [..., in] times weight [out, in] transposed, plus bias [out]."""
    return _core.nn_linear(input, weight, bias)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """input1' weight input2 + bias for every row; weight [out, in1, in2]."""
    return _core.nn_bilinear(input1, input2, weight, bias)


def dropout(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """In training a share p of the elements set to 0, the rest divided by 1 - p."""
    made = _core.nn_dropout(source(input) if inplace else input, p, training)
    return written(input, made) if inplace else made


def _drop_channels(input: Any, p: float, training: bool) -> Tensor:
    return _core.nn_drop_channels(input, p, training)


def dropout1d(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """dropout of whole channels of lines [N, C, L]."""
    made = _drop_channels(source(input) if inplace else input, p, training)
    return written(input, made) if inplace else made


def dropout2d(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """dropout of whole channels of images [N, C, H, W]."""
    made = _drop_channels(source(input) if inplace else input, p, training)
    return written(input, made) if inplace else made


def dropout3d(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """dropout of whole channels of volumes [N, C, D, H, W]."""
    made = _drop_channels(source(input) if inplace else input, p, training)
    return written(input, made) if inplace else made


def _set_aside(input: Any, p: float, training: bool, channels: bool) -> Tensor:
    x = as_tensor(input)
    drawn = None
    if flag(training, "training") and 0 < p < 1 and (x.ndim >= 2 or not channels):
        shape = (*x.shape[:2], *(1,) * (x.ndim - 2)) if channels else x.shape
        drawn = rand(shape, dtype=_core.float32, device=device_like(x, None))
    return _core.nn_alpha_dropout(x, p, training, channels, drawn)


def alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """dropout that keeps mean 0 and variance 1 of what SELU gives."""
    made = _set_aside(source(input) if inplace else input, p, training, False)
    return written(input, made) if inplace else made


def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """alpha_dropout of whole channels [N, C, ...]."""
    made = _set_aside(source(input) if inplace else input, p, training, True)
    return written(input, made) if inplace else made


def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Channels [N, C, ...], in groups, one of each group in turn."""
    return _core.nn_channel_shuffle(input, groups)


def _shrink_rows(table: Tensor, ids: Any, max_norm: float, norm_type: float) -> None:
    """Rows of these numbers whose norm is above max_norm made that long, in place."""
    if not isinstance(table, Tensor):
        raise TypeError(
            f"max_norm writes to the table, which is a {type(table).__name__}; wanted "
            "a tensor"
        )
    with no_grad():
        places = _ops.reshape(as_tensor(ids), (-1,))
        rows = take(table, places, 0)
        size = _ops.norm(rows, (1,), True, p=float(norm_type))
        # PyTorch's formula, which keeps the quotient finite.
        factor = _ops.div(float(max_norm), _ops.add(size, 1e-7))
        above = _ops.greater(size, float(max_norm))
        table[places] = _ops.where(above, _ops.mul(rows, factor), rows)


def checked_table(
    table: Any, ids: Any, max_norm: float | None, norm_type: float,
    scale_grad_by_freq: bool,
) -> None:  # fmt: skip
    """Applies the options of an embedding to its table before the lookup."""
    if max_norm is not None:
        _shrink_rows(table, ids, max_norm, norm_type)
    if flag(scale_grad_by_freq, "scale_grad_by_freq"):
        raise NotImplementedError("scale_grad_by_freq=True is not supported")


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of the table `weight` by their numbers, of any shape.

    The row padding_idx has no gradient; with sparse=True the gradient holds only
    the rows that were used. Rows whose norm is above max_norm are made that long,
    in the table itself.
    """
    checked_table(weight, input, max_norm, norm_type, scale_grad_by_freq)
    axes = getattr(weight, "ndim", 2)
    if axes >= 0 and axes != 2:
        raise ValueError(f"embedding(): weight has {axes} axes; wanted 2")
    if padding_idx is not None and padding_idx < 0:
        rows = int(weight.shape[0])  # decided, in a function being recorded
        if padding_idx < -rows:
            raise ValueError(f"padding_idx is {padding_idx}; wanted a row of {rows}")
        padding_idx += rows
    return _core.nn_embedding(input, weight, padding_idx, sparse)


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    """Labels as rows with one 1; as many classes as the largest label asks for."""
    if whole(num_classes, "num_classes") < -1:
        raise ValueError(
            f"one_hot(): num_classes is {num_classes}; wanted a number of classes, or "
            "-1 for as many as there are"
        )
    return _core.nn_one_hot(tensor, num_classes)


def cosine_similarity(
    x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8
) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    if not eps >= 0:
        raise ValueError(f"cosine_similarity(): eps is {eps}; wanted it 0 or more")
    return _cosine(x1, x2, dim, eps)


def pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis."""
    return _core.nn_pairwise_distance(x1, x2, p, eps, keepdim)


def pad(
    input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """A border around the input: (before, after) of the last axis, then of the one
    before it, and so on. mode: constant, reflect, replicate, circular."""
    number = 0.0 if value is None else value
    if mode != "constant" and number != 0:
        raise ValueError(f"pad(): value is {value} and mode {mode!r}, which has none")
    if mode == "constant" and isinstance(input, Tensor):
        # The core takes a double, and truncates values that integers cannot hold.
        if has_symbols(pad) or not (number == 0 or input.dtype.is_floating_point):
            return padded(input, pad, number)
    return _core.nn_pad(input, pad, mode, number)


def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Channels [N, C r r, H, W] as pixels [N, C, H r, W r]."""
    return _core.nn_pixel_shuffle(input, upscale_factor, False)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Pixels [N, C, H r, W r] as channels [N, C r r, H, W]."""
    return _core.nn_pixel_shuffle(input, downscale_factor, True)


def _as_many_heads(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Checks shapes: without enable_gqa, the kernel's sharing of keys among queries
    would hide a wrong shape."""
    if query.ndim < 3:
        return
    for name, x in (("key", key), ("value", value)):
        if x.ndim < 3 or may_be(x.shape[-3], 1):
            continue
        if query.shape[-3] is not None and not may_be(x.shape[-3], query.shape[-3]):
            raise ValueError(
                f"scaled_dot_product_attention(): {name} has {x.shape[-3]} heads, "
                f"query {query.shape[-3]}; wanted as many, or enable_gqa=True"
            )


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query key' scale + mask) value, over [..., heads, length, depth].

    A bool mask is true where one may look; floats are added. With enable_gqa keys
    and values may have fewer heads than queries; without it as many, or one.
    """
    query, key, value = as_tensor(query), as_tensor(key), as_tensor(value)
    if not flag(enable_gqa, "enable_gqa"):
        _as_many_heads(query, key, value)
    if attn_mask is not None:
        attn_mask = as_tensor(attn_mask)
        if not (attn_mask.dtype == _core.bool or attn_mask.dtype.is_floating_point):
            raise TypeError(
                f"scaled_dot_product_attention(): attn_mask is {attn_mask.dtype.name}; "
                "wanted bools, or floats to be added"
            )
    return _core.nn_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale
    )
