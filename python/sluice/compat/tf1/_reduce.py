"""Reductions over axes, and along one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._constants import known, known_ints
from ._dtypes import as_dtype, int32, int64
from ._emit import convert, emit, scoped
from ._graphs import get_default_graph
from ._math import _BOOLS, _NUMBERS, _ORDERED, _REALS, allowed

# Extended by the functions made from the table below.
__all__ = [
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "reduce_mean",
]


def one_of(what: str, new: Any, old: Any, old_name: str) -> Any:
    """An argument that has an old name, too."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{what}'.")
    return old if new is None else new


def axes_of(axis: Any, rank: int | None, what: str) -> list[int] | None:
    """The axes to reduce, none of them negative; None is all of them."""
    if axis is None:
        return None
    axes = known_ints(axis, f"{what}: axis")
    if rank is None:
        return axes
    for one in axes:
        if not -rank <= one < rank:
            raise ValueError(
                f"Invalid reduction dimension {one} for input with {rank} dimensions"
            )
    axes = [one % rank for one in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{what}: axis {axes} names one twice; wanted each once")
    return axes


def _arguments(
    axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any
) -> tuple[Any, bool]:
    axis = one_of("axis", axis, reduction_indices, "reduction_indices")
    keep = one_of("keepdims", keepdims, keep_dims, "keep_dims")
    return axis, bool(keep)


def _named_as_tensorflow(x: Any, axis: Any) -> None:
    """Takes the names that TensorFlow gives the axes, where none are given, so that
    whatever comes after has the same."""
    if axis is None:
        graph = get_default_graph()
        for name in ["Const"] if x.shape.ndims else ["Rank", "range"]:
            graph.unique_name(name)


def reduced(full: str | None, op: str, x: Any, axes: Any, keep: bool) -> Any:
    """x reduced over these axes; x itself for no axes."""
    if axes == []:  # nothing to reduce; the core takes that for all axes
        return emit(full, "identity", x)
    made = emit(full, op, x, axes=axes, keep_dims=keep)
    if made.dtype != x.dtype:
        made = emit(None, "cast", made, dtype=x.dtype)
    return made


def _reduction(op: str, label: str, kinds: str) -> Callable[..., Any]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axis, keep = _arguments(axis, keepdims, reduction_indices, keep_dims)
        x = convert(input_tensor)
        _named_as_tensorflow(x, axis)
        with scoped(name, label, x) as full:
            allowed(label, x.dtype, kinds)
            return reduced(full, op, x, axes_of(axis, x.shape.ndims, label), keep)

    reduce.__doc__ = f"{label} over these axes, or all; none for `[]`."
    return reduce


for _name, _row in {
    "reduce_sum": ("sum", "Sum", _NUMBERS),
    "reduce_max": ("max", "Max", _ORDERED),
    "reduce_min": ("min", "Min", _ORDERED),
    "reduce_prod": ("prod", "Prod", _NUMBERS),
    "reduce_all": ("all_of", "All", _BOOLS),
    "reduce_any": ("any_of", "Any", _BOOLS),
    "reduce_logsumexp": ("log_sum_exp", "ReduceLogSumExp", _REALS),
}.items():
    globals()[_name] = _reduction(*_row)
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
    __all__.append(_name)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Any:
    """Mean over these axes, or all; of whole numbers a whole one, towards zero."""
    axis, keep = _arguments(axis, keepdims, reduction_indices, keep_dims)
    x = convert(input_tensor)
    _named_as_tensorflow(x, axis)
    with scoped(name, "Mean", x) as full:
        allowed("Mean", x.dtype, _NUMBERS)
        axes = axes_of(axis, x.shape.ndims, "Mean")
        if not x.dtype.is_integer or axes == []:
            return reduced(full, "mean", x, axes, keep)
        total = reduced(None, "sum", x, axes, keep)
        count = emit(
            None, "floor_div", emit(None, "size", x), emit(None, "size", total)
        )
        return emit(full, "div", total, emit(None, "cast", count, dtype=x.dtype))


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Any:
    """How many elements are not zero."""
    given = one_of("input", input, input_tensor, "input_tensor")
    axis, keep = _arguments(axis, keepdims, reduction_indices, keep_dims)
    with scoped(name, "count_nonzero", given) as full:
        x = convert(given, name="input")
        is_one = (
            x
            if x.dtype.is_bool
            else emit(None, "not_equal", x, emit(None, "zeros_like", x))
        )
        ones = emit(None, "cast", is_one, dtype=int64)
        axes = axes_of(axis, x.shape.ndims, "count_nonzero")
        total = reduced(None, "sum", ones, axes, keep)
        return emit(full, "cast", total, dtype=as_dtype(dtype))


def _along(axis: Any, what: str) -> int:
    found = known(axis)
    if found is None or found.size != 1 or found.dtype.kind not in "iu":
        raise NotImplementedError(f"{what}: axis is {axis}; wanted a number")
    return int(found.reshape(()))


def _position(op: str, label: str) -> Callable[..., Any]:
    def find(
        input: Any,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: Any = int64,
    ) -> Any:
        axis = one_of("axis", axis, dimension, "dimension")
        kind = as_dtype(output_type)
        if kind not in (int32, int64):
            raise TypeError(f"{op}: output_type is {kind!r}; wanted int32 or int64")
        with scoped(name, label, input) as full:
            x = convert(input, name="input")
            if x.dtype.is_bool:
                x = emit(None, "cast", x, dtype=int32)
            allowed(label, x.dtype, _ORDERED)
            along = 0 if axis is None else _along(axis, op)
            if kind is int64:
                return emit(full, op, x, axis=along)
            return emit(full, "cast", emit(None, op, x, axis=along), dtype=kind)

    find.__name__ = find.__qualname__ = op
    find.__doc__ = "Where along an axis, 0 when none is given; the first of equals."
    return find


argmax = _position("argmax", "ArgMax")
argmin = _position("argmin", "ArgMin")


def _running(op: str, label: str) -> Callable[..., Any]:
    def call(
        x: Any,
        axis: Any = 0,
        exclusive: bool = False,
        reverse: bool = False,
        name: str | None = None,
    ) -> Any:
        with scoped(name, label, x) as full:
            x = convert(x, name="x")
            allowed(label, x.dtype, _NUMBERS)
            made = emit(
                full,
                op,
                x,
                axis=_along(axis, op),
                exclusive=exclusive,
                reverse=reverse,
            )
            if made.dtype != x.dtype:
                made = emit(None, "cast", made, dtype=x.dtype)
            return made

    call.__name__ = call.__qualname__ = op
    call.__doc__ = f"{label} of the elements so far along an axis."
    return call


cumsum = _running("cumsum", "Cumsum")
cumprod = _running("cumprod", "Cumprod")
