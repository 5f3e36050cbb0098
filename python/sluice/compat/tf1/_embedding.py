"""Tables of rows that are cut into several tensors."""

from __future__ import annotations

from typing import Any

from ._arrays import concat, gather, reshape, shape, size
from ._dtypes import int32
from ._emit import convert, emit, typed_constant
from ._fills import range
from ._math import cast, maximum
from ._select import where

__all__ = ["partitioned_rows"]


def partitioned_rows(parts: list[Any], ids: Any, strategy: str) -> Any:
    """The rows at ids of a table of P parts.

    "mod" dealt the rows out one by one; "div" kept stretches of them, the first
    ones longer by one. Each part is asked for its own rows alone.
    """
    tensors = [convert(p, name="params") for p in parts]
    count = len(tensors)
    flat = reshape(ids, [-1])
    owner, row = _mod(flat, count) if strategy == "mod" else _div(flat, tensors)
    owner = cast(owner, int32)
    order = range(size(flat))
    rows = emit(None, "dynamic_partition", row, owner, num=count)
    places = emit(None, "dynamic_partition", order, owner, num=count)
    found = [gather(t, r) for t, r in zip(parts, rows)]
    whole = emit(None, "dynamic_stitch", concat(places, 0), found)
    element = tensors[0].shape[1:]
    for t in tensors[1:]:
        element = element.merge_with(t.shape[1:])
    if element.is_fully_defined() and ids.shape.is_fully_defined():
        return reshape(whole, ids.shape.concatenate(element))
    return reshape(whole, concat([shape(ids), shape(whole)[1:]], 0))


def _number(value: int, like: Any, name: str) -> Any:
    return typed_constant(value, like.dtype, name)


def _mod(ids: Any, count: int) -> tuple[Any, Any]:
    parts = _number(count, ids, "parts")
    return ids % parts, ids // parts


def _div(ids: Any, tensors: list[Any]) -> tuple[Any, Any]:
    counts = [t.shape[0].value for t in tensors]
    sizes = [c for c in counts if c is not None]
    if len(sizes) != len(counts):
        raise NotImplementedError(
            "embedding_lookup: div of parts whose numbers of rows are not known"
        )
    each, extra = divmod(sum(sizes), len(sizes))
    more, less = _number(each + 1, ids, "more"), _number(max(each, 1), ids, "less")
    first = _number(extra, ids, "extras")
    owner = maximum(ids // more, (ids - first) // less)
    row = where(owner < first, ids % more, (ids - first) % less)
    return owner, row
