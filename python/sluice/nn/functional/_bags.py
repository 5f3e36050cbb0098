"""Sums, means and maxima of rows of a table, bag by bag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.create import arange
from ..._array.device import beside
from ..._array.math import clip
from ..._array.pick import searchsorted
from ..._array.shape import as_tensor, expand_dims
from ..._core import Tensor
from .._value_checks import want_all
from ._layers import checked_table, embedding

__all__ = ["embedding_bag"]

Op = Callable[..., Tensor]
_where: Op = _core.op_function("Select")
_segment_sum: Op = _core.op_function("UnsortedSegmentSum")
_segment_max: Op = _core.op_function("UnsortedSegmentMax")
_one_bag_op = _core.nn_embedding_bag


def _bag_numbers(x: Tensor, offsets: Tensor, last: bool) -> tuple[Tensor, Any]:
    """The bag of each index, and how many there are."""
    count = offsets.shape[0]
    want_all(offsets[:1] == 0, "embedding_bag(): offsets begin with another than 0")
    want_all(
        (offsets <= x.shape[0]) & (offsets >= 0),
        "embedding_bag(): an offset is beyond the indices",
    )
    want_all(offsets[1:] >= offsets[:-1], "embedding_bag(): offsets fall")
    if last:
        if count < 1:
            raise ValueError("embedding_bag(): no offsets; wanted one or more")
        want_all(
            offsets[-1:] == x.shape[0],
            "embedding_bag(): the last offset is not the number of indices",
        )
        count = count - 1
        offsets = offsets[:-1]
    at = beside(offsets, arange(x.shape[0])).to(offsets.dtype)
    return searchsorted(offsets, at, right=True).to(_core.int64) - 1, count


def _by_rows(rows: Tensor, kept: Any, mode: str) -> Tensor:
    """Bags [B, n] of rows [B, n, size]."""
    if mode == "max":
        if kept is not None:
            low = beside(rows, as_tensor(-float("inf"))).to(rows.dtype)
            rows = _where(expand_dims(kept, 2), rows, low)
        if rows.shape[1] == 0:
            return rows.sum(1)
        made = rows.amax(1)
        if kept is None:
            return made
        empty = expand_dims(~kept.any(1), 1)
        return _where(empty, beside(rows, as_tensor(0)).to(rows.dtype), made)
    if kept is not None:
        rows = rows * expand_dims(kept.to(rows.dtype), 2)
    total = rows.sum(1)
    if mode == "sum":
        return total
    if kept is None:
        return total / max(rows.shape[1], 1)
    return total / expand_dims(clip(kept.to(rows.dtype).sum(1), min=1), 1)


def _by_numbers(rows: Tensor, bags: Tensor, count: Any, kept: Any, mode: str) -> Tensor:
    """Rows [n, size], each of the bag with its number."""
    if kept is not None:
        bags = _where(kept, bags, beside(bags, as_tensor(-1)))
    there = _where(bags >= 0, beside(rows, as_tensor(1)), beside(rows, as_tensor(0)))
    counts = expand_dims(_segment_sum(there, bags, as_tensor(count)), 1)
    if mode == "max":
        made = _segment_max(rows, bags, as_tensor(count))
        return _where(counts > 0, made, beside(rows, as_tensor(0)).to(rows.dtype))
    total = _segment_sum(rows, bags, as_tensor(count))
    return total if mode == "sum" else total / clip(counts, min=1).to(rows.dtype)


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of rows of a table: of each row of a matrix of numbers,
    or of a vector from one offset to the next.

    per_sample_weights: what rows are multiplied by, of sums. padding_idx: a row
    that counts for nothing. include_last_offset: offsets end with the number of
    indices.
    """
    checked_table(weight, input, max_norm, norm_type, scale_grad_by_freq)
    if mode not in ("mean", "sum", "max"):
        raise ValueError(f"mode is {mode!r}; wanted mean, sum or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"per_sample_weights with mode {mode}; wanted sum")
    x, table = as_tensor(input), as_tensor(weight)
    if (x.ndim == 2) != (offsets is None) or x.ndim not in (1, 2):
        raise ValueError(
            f"embedding_bag(): input has {x.ndim} axes and offsets are "
            f"{'not ' if offsets is None else ''}given; wanted a matrix, or a vector "
            "and offsets"
        )
    plain = per_sample_weights is None and padding_idx is None and mode != "max"
    if plain and not include_last_offset and x.dtype in (_core.int32, _core.int64):
        return _one_bag_op(input, weight, offsets, mode)
    rows = embedding(x, table, sparse=sparse)
    if table.dtype in (_core.float16, _core.bfloat16):
        rows = rows.to(_core.float32)
    kept = None
    if padding_idx is not None:
        size = table.shape[0]
        if not -size <= padding_idx < size:
            raise ValueError(f"padding_idx is {padding_idx}; wanted a row of {size}")
        kept = x != padding_idx % size
    if per_sample_weights is not None:
        factors = as_tensor(per_sample_weights)
        if factors.shape != x.shape or factors.dtype != table.dtype:
            raise ValueError(
                f"per_sample_weights are {factors.dtype.name} {list(factors.shape)}; "
                f"wanted {table.dtype.name} {list(x.shape)}"
            )
        rows = rows * expand_dims(factors.to(rows.dtype), -1)
    if offsets is None:
        return _by_rows(rows, kept, mode).to(table.dtype)
    begin = as_tensor(offsets)
    if begin.ndim != 1:
        raise ValueError(f"offsets have {begin.ndim} axes; wanted a vector")
    bags, count = _bag_numbers(x, begin, include_last_offset)
    return _by_numbers(rows, bags, count, kept, mode).to(table.dtype)
