"""Values that branches and loops pass on: tensors, and arrays of them."""

from __future__ import annotations

from typing import Any

from ._dtypes import bool as bool_
from ._emit import convert
from ._tensor import wrap
from ._tensor_array import TensorArray

__all__ = ["as_leaf", "lowered_leaf", "predicate", "raised_leaf"]


def lowered_leaf(leaf: Any) -> Any:
    return leaf._list if isinstance(leaf, TensorArray) else leaf._core


def raised_leaf(graph: Any, like: Any, core: Any) -> Any:
    if isinstance(like, TensorArray):
        return like._with(core)
    return wrap(graph, core)


def as_leaf(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert(value)


def predicate(pred: Any) -> Any:
    pred = convert(pred, name="pred")
    if pred.dtype is not bool_:
        raise TypeError(f"cond(): pred is {pred.dtype.name}; wanted bool")
    if pred.shape.ndims not in (0, None):
        raise ValueError(f"cond(): pred is {pred.shape}; wanted a scalar")
    return pred
