"""Placeholders, and tensors that are filled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ._constants import known, known_ints, sizes_of
from ._dtypes import as_dtype, float32, string
from ._emit import checked, convert, emit, make_constant, scoped
from ._graphs import get_default_graph, opened
from ._shapes import TensorShape
from ._tensor import Tensor, wrap

__all__ = [
    "fill",
    "linspace",
    "ones",
    "placeholder",
    "placeholder_with_default",
    "range",
    "zeros",
]


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A value every step is fed."""
    kind, sizes = as_dtype(dtype), TensorShape(shape)
    with opened() as graph:
        graph._check_open()
        full = graph.unique_name(checked(name or "Placeholder"))
        known_sizes = None if sizes.ndims is None else sizes.as_list()
        graph._made += 1
        return wrap(graph, _core.placeholder(kind._core, known_sizes, full))


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """A value that steps may be fed; the input where they are not."""
    with scoped(name, "PlaceholderWithDefault", input) as full:
        x = convert(input, name="input")
        sizes = TensorShape(shape)
        sizes.assert_is_compatible_with(x.shape)
        made = emit(full, "identity", forget_shape(x, sizes))
        return made


def forget_shape(x: Any, shape: TensorShape) -> Any:
    """The same value with only that static shape."""
    if x.shape == shape:
        return x
    items = _core.List(x.dtype._core, None).append(x._core)
    made = wrap(x.graph, items.get(0))
    return told_shape(made, shape)


def told_shape(x: Any, shape: TensorShape) -> Any:
    """The same value with that static shape."""
    if shape.ndims is None or x.shape == shape:
        return x
    return emit(None, "ensure_shape", x, shape=shape.as_list())


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of that shape, all of one value."""
    _no_layout("fill", layout)
    with scoped(name, "Fill", dims, value) as full:
        value = convert(value, name="value")
        if value.shape.ndims not in (0, None):
            raise ValueError(f"fill: value is {value.shape}; wanted a scalar")
        return emit(full, "fill", sizes_of(dims), value)


def _no_layout(op: str, layout: Any) -> None:
    if layout is not None:
        raise NotImplementedError(f"{op}: layout is not there; wanted None")


def _filled(number: int) -> Callable[..., Any]:
    label = "ones" if number else "zeros"

    def call(
        shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None
    ) -> Any:
        _no_layout(label, layout)
        kind = as_dtype(dtype)
        if kind is string and number:
            raise TypeError("ones: strings have no one; wanted numbers")
        with scoped(name, label, shape) as full:
            sizes = sizes_of(shape)
            if not isinstance(sizes, Tensor) and (sizes < 0).any():
                raise ValueError(f"{label}: the shape is {sizes.tolist()}")
            element: Any = "" if kind is string else number
            graph = get_default_graph()
            array = np.asarray(element, kind.as_numpy_dtype)
            if not isinstance(sizes, Tensor) and np.prod(sizes, dtype=float) < 1000:
                return make_constant(np.full(sizes, array[()]), kind, full)
            value = make_constant(array, kind, graph.unique_name("Const"))
            return emit(full, "fill", sizes, value)

    call.__name__ = call.__qualname__ = label
    call.__doc__ = f"{label.capitalize()} of that shape."
    return call


zeros, ones = _filled(0), _filled(1)


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Any:
    """Numbers from start up to limit, or from 0 up to start.

    Their type is the widest of the arguments'.
    """
    if limit is None:
        start, limit = 0, start
    with scoped(name, "range", start, limit, delta) as full:
        kind = None if dtype is None else as_dtype(dtype)
        given = (("start", start), ("limit", limit), ("delta", delta))
        parts = [
            v if isinstance(v, Tensor) else convert(v, kind, name=n) for n, v in given
        ]
        if kind is None:
            order = ["int32", "int64", "float32", "float64"]
            for part in parts:
                if part.dtype.name not in order:
                    raise ValueError(
                        f"range: a {part.dtype.name}; wanted one of {order}"
                    )
            kind = as_dtype(order[max(order.index(p.dtype.name) for p in parts)])
        parts = [
            p if p.dtype is kind else emit(None, "cast", p, dtype=kind) for p in parts
        ]
        values = [known(p) for p in parts]
        if all(v is not None for v in values):
            _check_range(*[v.item() for v in values if v is not None])
        made = emit(full, "range", *parts)
        if any(v is None for v in values):
            return made
        ends = [v.item() for v in values if v is not None]
        count = max(0, int(np.ceil((ends[1] - ends[0]) / ends[2])))
        return told_shape(made, TensorShape([count]))


def _check_range(start: Any, limit: Any, delta: Any) -> None:
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {start}/{limit}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {start}/{limit}")


def linspace(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0
) -> Any:
    """That many numbers from start to stop, both included, of start's type."""
    with scoped(name, "linspace", start, stop) as full:
        start = convert(start, name="start")
        stop = convert(stop, start.dtype, name="stop")
        if start.shape.ndims != 0 or stop.shape.ndims != 0 or axis not in (0, -1):
            raise NotImplementedError("linspace: wanted scalars, and axis 0")
        if not start.dtype.is_floating:
            raise TypeError(f"linspace: start is {start.dtype.name}; wanted a float")
        ends = [known(start), known(stop)]
        count = known_ints(num, "linspace: num")[0]
        if count < 1:
            raise ValueError(f"linspace: num is {count}; wanted at least 1")
        if ends[0] is not None and ends[1] is not None:
            line = np.linspace(ends[0], ends[1], count, dtype=np.float64)
            return make_constant(
                line.astype(start.dtype.as_numpy_dtype), start.dtype, full
            )
        steps = np.arange(count) / max(count - 1, 1)
        share = convert(steps.astype(start.dtype.as_numpy_dtype), name="share")
        one = emit(None, "mul", emit(None, "sub", stop, start), share)
        return emit(full, "add", start, one)
