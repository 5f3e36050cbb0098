"""Gradients, and bounds for them."""

from __future__ import annotations

from typing import Any

from ... import _core
from ._emit import convert, emit, scoped, typed_constant
from ._graphs import graph_of, opened
from ._tensor import IndexedSlices, Tensor, wrap

__all__ = [
    "AggregationMethod",
    "clip_by_global_norm",
    "clip_by_norm",
    "global_norm",
    "gradients",
]


class AggregationMethod:
    """How gradients are added up; the sums are the same."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """Of the sum of ys with respect to each of xs; None where there is none, or
    zeros for "zero". That of rows that were gathered is IndexedSlices.

    Where and in which order they are computed and added up
    (`colocate_gradients_with_ops`, `gate_gradients`, `aggregation_method`)
    changes no result.
    """
    if stop_gradients is not None and _list(stop_gradients):
        raise NotImplementedError(
            "gradients: stop_gradients is not there; wanted tf.stop_gradient"
        )
    how = getattr(unconnected_gradients, "value", unconnected_gradients)
    if how not in ("none", "zero"):
        raise ValueError(f"Unknown value for unconnected_gradients: {how!r}")
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(f"Invalid `aggregation_method`: {aggregation_method}")
    del colocate_gradients_with_ops, gate_gradients
    targets, sources = _list(ys), _list(xs)
    graph = graph_of([*targets, *sources])
    with opened(graph), graph.name_scope(name):
        graph._check_open()
        ends = [convert(y) for y in targets]
        flow = _given(ends, grad_ys)
        for y in ends:
            if y.dtype.is_complex and grad_ys is None:
                raise TypeError(
                    f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = "
                    f"{y.dtype!r})"
                )
        keep = [i for i, y in enumerate(ends) if y.dtype.is_floating]
        if not keep:
            return [_missing(x, how) for x in sources]
        found = _core.gradients(
            [ends[i]._core for i in keep],
            [_source(x) for x in sources],
            None if flow is None else [flow[i] for i in keep],
            unconnected_gradients="none",
            sparse=True,
        )
        return [
            _missing(x, how) if g is None else _raised(graph, x, g)
            for x, g in zip(sources, found)
        ]


def _given(ends: list[Any], grad_ys: Any) -> list[Any] | None:
    if grad_ys is None:
        return None
    given = _list(grad_ys)
    if len(given) != len(ends):
        raise ValueError(
            f"Length mismatch. Passed {len(given)} grad_ys for {len(ends)} ys"
        )
    found = []
    for y, grad in zip(ends, given):
        if grad is None:
            found.append(None)
            continue
        grad = convert(grad, name="grad_ys", hint=y.dtype)
        if grad.dtype != y.dtype:
            raise TypeError(
                f"Gradient type {grad.dtype.name} generated for tensor {y} with type "
                f"{y.dtype.name}"
            )
        if not grad.shape.is_compatible_with(y.shape):
            raise ValueError(
                f"grad_ys is {grad.shape} for {y}; wanted its shape, {y.shape}"
            )
        found.append(grad._core)
    return found


def _source(x: Any) -> Any:
    variable = getattr(x, "_variable", None)
    if variable is not None:
        return variable
    if isinstance(x, IndexedSlices):
        return x.values._core
    if isinstance(x, Tensor) and x.name.endswith("/value:0"):
        # For a variable's value(): all reads of it.
        behind = _core.variables_behind(x._fed)
        if len(behind) == 1 and f"{behind[0].name}/value:0" == x.name:
            return behind[0]
    # The tensor before set_shape refined it: all uses depend on that one.
    return convert(x)._fed


def _missing(x: Any, how: str) -> Any:
    from ._select import zeros_like

    return None if how == "none" else zeros_like(x)


def _raised(graph: Any, x: Any, gradient: Any) -> Any:
    if not gradient.is_sparse:
        return wrap(graph, gradient)
    from ._arrays import shape

    return IndexedSlices(
        wrap(graph, gradient.values()), wrap(graph, gradient.indices()), shape(x)
    )


# ---- Bounds ----


def _values(t: Any) -> Any:
    return t.values if isinstance(t, IndexedSlices) else t


def _with_values(t: Any, values: Any) -> Any:
    if isinstance(t, IndexedSlices):
        return IndexedSlices(values, t.indices, t.dense_shape)
    return values


def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The square root of the sum of squares of all elements of all tensors."""
    if not isinstance(t_list, (list, tuple)):
        raise TypeError("`t_list` should be a sequence of tensors.")
    with scoped(name, "global_norm", *[t for t in t_list if t is not None]) as full:
        parts = [convert(_values(t)) for t in t_list if t is not None]
        squares = [emit(None, "sum", emit(None, "square", p)) for p in parts]
        return emit(full, "sqrt", emit(None, "add_n", squares))


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """All tensors made smaller by one factor, so that their global norm is at most
    that; and what it was. A norm that is not finite makes all of them NaN."""
    if not isinstance(t_list, (list, tuple)):
        raise TypeError("`t_list` should be a sequence of tensors.")
    norm = global_norm(t_list, name) if use_norm is None else convert(use_norm)
    with scoped(name, "clip_by_global_norm", norm):
        bound = convert(clip_norm, norm.dtype, name="clip_norm")
        one = typed_constant(1, norm.dtype, "one")
        scale = emit(
            None,
            "mul",
            bound,
            emit(
                None,
                "minimum",
                emit(None, "div", one, norm),
                emit(None, "div", one, bound),
            ),
        )
        # Zero, or a NaN that propagates.
        wrong = emit(None, "sub", norm, norm)
        scale = emit(None, "add", scale, wrong)
        clipped = [
            (
                None
                if t is None
                else _with_values(t, emit(None, "mul", convert(_values(t)), scale))
            )
            for t in t_list
        ]
        return clipped, norm


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    """The tensor made smaller, so that its norm over these axes is at most that."""
    from ._reduce import axes_of, reduced

    values = _values(t)
    with scoped(name, "clip_by_norm", values) as full:
        x = convert(values, name="t")
        along = axes_of(axes, x.shape.ndims, "clip_by_norm")
        squares = reduced(None, "sum", emit(None, "square", x), along, True)
        # The square root of a zero sum has no finite gradient.
        above = emit(None, "greater", squares, typed_constant(0, x.dtype, "zero"))
        safe = emit(None, "where", above, squares, emit(None, "ones_like", squares))
        norm = emit(None, "where", above, emit(None, "sqrt", safe), squares)
        bound = convert(clip_norm, x.dtype, name="clip_norm")
        larger = emit(None, "maximum", norm, bound)
        made = emit(full, "div", emit(None, "mul", x, bound), larger)
        return _with_values(t, made)
