"""x[...]: slices as TensorFlow reads them.

Places that are known while the graph is built are the core's to take; those that
are known only when a step runs are cut out axis by axis first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._constants import known
from ._dtypes import int64
from ._emit import convert, emit, scoped, typed_constant
from ._tensor import Tensor, wrap

__all__ = ["cut", "item"]

_WANTED = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)
_END = 2**62


def _number(value: Any) -> Any:
    """An index: a Python int, or a Tensor known when a step runs."""
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        tensor = convert(value)
        if not tensor.dtype.is_integer or tensor.shape.ndims not in (0, None):
            raise TypeError(f"{_WANTED}, got {tensor!r}")
        found = known(tensor)
        return tensor if found is None else int(found)
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
            from ._arrays import boolean_mask

            return boolean_mask(x, spec, name=f"{full}/")
        key: list[Any] = []
        for part in spec if isinstance(spec, (tuple, list)) else [spec]:
            if part is None or part is Ellipsis:
                key.append(part)
            elif isinstance(part, slice):
                step = _edge(part.step)
                if isinstance(step, Tensor):
                    raise NotImplementedError("x[::s]: wanted a step that is a number")
                if step == 0:
                    raise ValueError("strides[0] must be non-zero")
                key.append(slice(_edge(part.start), _edge(part.stop), step))
            else:
                key.append(_number(part))
        _check(x, key)
        x, key = _moved(x, key)
        try:
            made = x._core[tuple(key)]
        except IndexError as error:
            raise ValueError(str(error)) from None
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
    if any(k is Ellipsis for k in key):
        return
    for axis, part in enumerate(used):
        size = x.shape[axis].value
        if isinstance(part, int) and size is not None and not -size <= part < size:
            raise ValueError(f"slice index {part} of dimension {axis} out of bounds.")


def _moving(part: Any) -> bool:
    if isinstance(part, slice):
        return isinstance(part.start, Tensor) or isinstance(part.stop, Tensor)
    return isinstance(part, Tensor)


def _moved(x: Any, key: list[Any]) -> tuple[Any, list[Any]]:
    """x with what moves cut out, and the key of what is left to do."""
    if not any(_moving(k) for k in key):
        return x, key
    rank = x.shape.ndims
    if rank is None:
        raise NotImplementedError("x[i]: wanted a tensor whose rank is known")
    done: list[Any] = []
    axis, used = 0, sum(k is not None and k is not Ellipsis for k in key)
    for part in key:
        if part is Ellipsis:
            axis += rank - used
        elif part is not None:
            if _moving(part):
                x, part = _cut_part(x, part, axis)
            axis += 1
        done.append(part)
    return x, done


def _wide(value: Any, default: int) -> Any:
    if isinstance(value, Tensor):
        return emit(None, "cast", value, dtype=int64)
    return typed_constant(default if value is None else value, int64, "edge")


def _cut_part(x: Any, part: Any, axis: int) -> tuple[Any, Any]:
    if isinstance(part, slice):
        step = 1 if part.step is None else part.step
        if step < 1:
            raise NotImplementedError(
                "x[i:j:step]: places known only when a step runs, backwards"
            )
        made = cut(x, _wide(part.start, 0), _wide(part.stop, _END), axis, step)
        return made, slice(None)
    place = _wide(part, 0)
    size = emit(None, "slice", emit(None, "shape", x), [axis], [1])
    size = emit(None, "reshape", size, np.array([], np.int64))
    below = emit(None, "less", place, typed_constant(0, int64, "zero"))
    place = emit(None, "where", below, emit(None, "add", place, size), place)
    after = emit(None, "add", place, typed_constant(1, int64, "one"))
    made = cut(x, place, after, axis, 1)
    from ._fills import told_shape
    from ._shapes import TensorShape

    sizes = [*made.shape.as_list()]
    sizes[axis] = 1  # or the step fails: the index is beyond the end
    return told_shape(made, TensorShape(sizes)), 0


def cut(x: Any, begin: Any, end: Any, axis: int, step: int) -> Any:
    """x[begin:end:step] along one axis, of int64 that a step computes."""
    return emit(None, "slice_axis", x, begin, end, axis=axis, step=step)
