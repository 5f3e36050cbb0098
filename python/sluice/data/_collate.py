"""Combines elements into a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._array.create import tensor

__all__ = ["default_collate"]


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")


def default_collate(batch: Sequence[Any]) -> Any:
    """One batch of elements that are all alike, a new axis 0 counting them.

    Numbers (floats as float32, ints as int64), arrays and tensors become one
    tensor. Tuples, lists, named tuples and dicts are combined part by part.
    Strings stay a list.
    """
    if not batch:
        raise ValueError("default_collate: no elements")
    first = batch[0]
    if isinstance(first, _core.Tensor) or _is_array(first):
        return _core.stack_rows(batch)
    if isinstance(first, (bool, int, float, complex)):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        parts = {key: default_collate([each[key] for each in batch]) for key in first}
        return parts
    if isinstance(first, (tuple, list)):
        sizes = {len(each) for each in batch}
        if len(sizes) != 1:
            raise ValueError(
                f"default_collate: elements of {sorted(sizes)} parts; wanted "
                "the same number of all"
            )
        columns = [default_collate(column) for column in zip(*batch)]
        if isinstance(first, tuple) and hasattr(first, "_fields"):
            return type(first)(*columns)
        return tuple(columns) if isinstance(first, tuple) else columns
    raise TypeError(
        f"default_collate: an element is a {type(first).__name__}; wanted tensors, "
        "arrays, numbers, texts, or tuples, lists and dicts of them"
    )
