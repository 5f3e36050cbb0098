"""x[...]: slices as TensorFlow reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ._constants import known
from ._emit import convert, emit, scoped
from ._tensor import Tensor, wrap

__all__ = ["item"]

_WANTED = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def _number(value: Any) -> Any:
    """An index: a Python int, or a core tensor known when a step runs."""
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        tensor = convert(value)
        if not tensor.dtype.is_integer or tensor.shape.ndims not in (0, None):
            raise TypeError(f"{_WANTED}, got {tensor!r}")
        found = known(tensor)
        return tensor._core if found is None else int(found)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{_WANTED}, got {value!r}")
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"{_WANTED}, got {value!r}") from None


def _edge(value: Any) -> Any:
    return None if value is None else _number(value)


def item(x: Any, spec: Any) -> Any:
    """The part of x that a key names."""
    with scoped(None, "strided_slice", x) as full:
        x = convert(x)
        if isinstance(spec, Tensor) and spec.dtype.is_bool:
            return _masked(full, x, spec)
        key: list[Any] = []
        for part in spec if isinstance(spec, (tuple, list)) else [spec]:
            if part is None or part is Ellipsis:
                key.append(part)
            elif isinstance(part, slice):
                step = _edge(part.step)
                if step == 0:
                    raise ValueError("strides[0] must be non-zero")
                key.append(slice(_edge(part.start), _edge(part.stop), step))
            else:
                key.append(_number(part))
        _check(x, key)
        try:
            made = x._core[tuple(key)]
        except IndexError as error:
            raise ValueError(str(error)) from None
        if made is x._core:
            return emit(full, "identity", x)
        return emit(full, "identity", wrap(x.graph, made))


def _check(x: Any, key: list[Any]) -> None:
    """Whole numbers out of range and too many of them are ValueErrors."""
    rank = x.shape.ndims
    if rank is None:
        return
    used = [k for k in key if k is not None and k is not Ellipsis]
    if len(used) > rank:
        raise ValueError(
            f"Index out of range using input dim {rank}; input has only {rank} dims"
        )
    if Ellipsis in [k for k in key if not isinstance(k, _core.Tensor)]:
        return
    for axis, part in enumerate(used):
        size = x.shape[axis].value
        if isinstance(part, int) and size is not None and not -size <= part < size:
            raise ValueError(f"slice index {part} of dimension {axis} out of bounds.")


def _masked(full: str, x: Any, mask: Any) -> Any:
    from ._arrays import boolean_mask

    return boolean_mask(x, mask, name=f"{full}/")
