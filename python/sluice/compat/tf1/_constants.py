"""Values that are known while a graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ._shapes import Dimension, TensorShape
from ._tensor import Tensor

__all__ = ["known", "known_ints", "sizes_of"]


def known(value: Any) -> np.ndarray[Any, Any] | None:
    """The elements of a value, when they are known; else None."""
    if isinstance(value, TensorShape):
        return np.array(value.as_list()) if value.is_fully_defined() else None
    if isinstance(value, Dimension):
        return None if value.value is None else np.array(value.value)
    if hasattr(value, "_as_tensor"):
        return None
    if isinstance(value, (list, tuple)):
        parts = [known(v) for v in value]
        if any(p is None for p in parts):
            return None
        return np.array(parts)
    if not isinstance(value, Tensor):
        return np.asarray(value)
    return _of_node(value._core)


def _of_node(tensor: Any) -> np.ndarray[Any, Any] | None:
    op = tensor.op
    if op.type == "Const":
        array: Any = op.attrs["value"]
        return np.asarray(array.numpy() if isinstance(array, _core.Tensor) else array)
    if op.type in ("Identity", "Cast"):
        inner = _of_node(op.inputs[0])
        if inner is None or op.type == "Identity":
            return inner
        from ._dtypes import as_dtype

        return inner.astype(as_dtype(tensor.dtype).as_numpy_dtype)
    if op.type == "Stack":
        parts = [_of_node(t) for t in op.inputs]
        if op.attrs.get("axis", 0) == 0 and all(p is not None for p in parts):
            return np.stack([p for p in parts if p is not None])
    if op.type == "Shape":
        shape = op.inputs[0].shape
        if shape is not None and None not in shape:
            return np.array(shape)
    return None


def known_ints(value: Any, what: str) -> list[int]:
    """Whole numbers that the operation has to know while the graph is built."""
    found = known(value)
    if found is None:
        raise NotImplementedError(
            f"{what} is a tensor that is known only when a step runs; wanted numbers"
        )
    flat = np.atleast_1d(found).reshape(-1)
    if flat.size and flat.dtype.kind not in "iu":
        raise TypeError(f"{what} is {flat.tolist()}; wanted whole numbers")
    return [int(v) for v in flat]


def sizes_of(shape: Any) -> Any:
    """A shape that may be known only when a step runs: numbers, or a tensor."""
    from ._emit import convert

    found = known(shape)
    if found is not None:
        if found.size and found.dtype.kind not in "iu":
            raise TypeError(f"the shape is {found.tolist()}; wanted whole numbers")
        return np.atleast_1d(found).astype(np.int64).reshape(-1)
    if isinstance(shape, (list, tuple)):
        shape = [int(s) if isinstance(s, Dimension) else s for s in shape]
    return convert(shape)
