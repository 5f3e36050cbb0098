"""Values handed on, chosen from two, or put together of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._checks import same_size_at, same_sizes
from ._dtypes import as_dtype, string
from ._dtypes import bool as bool_
from ._emit import convert, emit, make_constant, scoped
from ._math import maximum, minimum, same_type
from ._tensor import IndexedSlices

__all__ = [
    "add_n",
    "clip_by_value",
    "identity",
    "ones_like",
    "stop_gradient",
    "where",
    "zeros_like",
]


def identity(input: Any, name: str | None = None) -> Any:
    """The same value, once the operations it is made to wait for are done."""
    if isinstance(input, IndexedSlices):
        return IndexedSlices(
            identity(input.values, name), input.indices, input.dense_shape
        )
    with scoped(name, "Identity", input) as full:
        return emit(full, "identity", convert(input, name="input"))


def stop_gradient(input: Any, name: str | None = None) -> Any:
    """The same value, a constant for gradients."""
    with scoped(name, "StopGradient", input) as full:
        return emit(full, "stop_gradient", convert(input, name="input"))


def _like(op: str, number: int) -> Callable[..., Any]:
    def call(
        tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
    ) -> Any:
        with scoped(name, op, tensor) as full:
            tensor = convert(tensor, name="tensor")
            kind = tensor.dtype if dtype is None else as_dtype(dtype)
            if kind is string:
                raise NotImplementedError(f"{op} of strings is not there")
            if optimize and tensor.shape.is_fully_defined():
                sizes = tensor.shape.as_list()
                return make_constant(
                    np.full(sizes, number, kind.as_numpy_dtype), kind, full
                )
            if tensor.dtype is not kind:
                tensor = emit(None, "cast", tensor, dtype=kind)
            return emit(full, op, tensor)

    call.__name__ = call.__qualname__ = op
    call.__doc__ = f"{'Zeros' if number == 0 else 'Ones'} in the tensor's shape."
    return call


zeros_like = _like("zeros_like", 0)
ones_like = _like("ones_like", 1)


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Any:
    """The elements, none below or above these."""
    values = t.values if isinstance(t, IndexedSlices) else t
    with scoped(name, "clip_by_value", values, clip_value_min, clip_value_max) as full:
        values = convert(values, name="t")
        below = minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        clipped = maximum(below, clip_value_min, name=f"{full}/")
        values.shape.assert_is_compatible_with(clipped.shape)
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    return clipped


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of tensors of one shape."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with "
            "the same dtype and shape."
        )
    with scoped(name, "AddN", *inputs) as full:
        if len(inputs) == 1:
            one = inputs[0]
            return (
                convert(one)
                if isinstance(one, IndexedSlices)
                else identity(one, f"{full}/")
            )
        parts = [convert(x, name="inputs") for x in inputs]
        for part in parts[1:]:
            same_type("AddN", parts[0], part)
            if not parts[0].shape.is_compatible_with(part.shape):
                raise ValueError(
                    f"AddN: the shapes are {parts[0].shape} and {part.shape}; wanted "
                    "equal ones"
                )
        parts = [parts[0], *(same_sizes(p, parts[0], "AddN") for p in parts[1:])]
        return emit(full, "add_n", parts)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition holds, else y; alone the places where it holds.

    x and y have one shape; the condition has it, too, or is a vector that chooses
    rows, or a scalar.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        with scoped(name, "Where", condition) as full:
            return emit(full, "non_zero", convert(condition, name="condition"))
    with scoped(name, "Select", condition, x, y) as full:
        condition = convert(condition, bool_, name="condition")
        x = convert(x, name="t")
        y = convert(y, name="e", hint=x.dtype)
        same_type("Select", x, y)
        return _selected(full, condition, x, y)


def _selected(full: str, condition: Any, x: Any, y: Any) -> Any:
    shape = x.shape.merge_with(y.shape)
    rank, own = shape.ndims, condition.shape.ndims
    if rank is None or own is None:
        raise NotImplementedError(
            "where: how many axes the operands have is not known; wanted it known"
        )
    y = same_sizes(y, x, "Select")
    if own not in (0, 1) or own == rank:
        condition.shape.assert_is_compatible_with(shape)
        condition = same_sizes(condition, x, "Select")
    elif own == 1 and rank > 1:
        if not condition.shape[0].is_compatible_with(shape[0]):
            raise ValueError(
                f"where: the condition is {condition.shape} and chooses rows of "
                f"{shape}; wanted one for each row"
            )
        condition = same_size_at(condition, x, 0, "Select")
        for _ in range(rank - 1):
            condition = emit(None, "expand_dims", condition, axis=-1)
    elif own == 1:
        raise ValueError(f"where: the condition is {condition.shape}, x is {shape}")
    return emit(full, "where", condition, x, y)
