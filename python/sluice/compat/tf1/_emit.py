"""How operations are made: in which graph, under which name, of which values.

`scoped` opens the graph of the operands and takes a name, which becomes a scope
for whatever the operation needs beside itself; `emit` makes one node.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ... import _core, _ops
from ._dtypes import DType, as_dtype, float32, int32, string
from ._graphs import Graph, get_default_graph, graph_of
from ._shapes import Dimension, TensorShape
from ._tensor import IndexedSlices, Operation, Tensor, wrap, wrap_operation

__all__ = ["constant", "convert_to_tensor"]

_table = vars(_ops)


class scoped:
    """The graph of the operands, open, and in it a name that is a scope."""

    __slots__ = ("_graph", "_name", "_opened", "_outer")

    def __init__(self, name: str | None, default: str, *operands: Any) -> None:
        self._graph = graph_of(operands)
        self._name = name or default

    def __enter__(self) -> str:
        graph = self._graph
        graph._check_open()
        self._opened = _core.current_graph() is not graph
        if self._opened:
            graph.__enter__()
        try:
            self._outer = graph._scope
            name = self._name
            full = name[:-1] if name[-1] == "/" else graph.unique_name(checked(name))
            graph._scope = full
        except BaseException as error:
            if self._opened:
                graph.__exit__(type(error), error, error.__traceback__)
            raise
        return full

    def __exit__(self, *error: Any) -> None:
        self._graph._scope = self._outer
        if self._opened:
            self._graph.__exit__(*error)


def checked(name: str) -> str:
    """The name, if TensorFlow takes it."""
    import re

    if not re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*", name):
        raise ValueError(f"'{name}' is not a valid scope name")
    return name


def lowered(value: Any) -> Any:
    """Core tensors in the place of Tensors."""
    if isinstance(value, Tensor):
        return value._core
    if isinstance(value, (list, tuple)):
        return [lowered(v) for v in value]
    return value._core if isinstance(value, DType) else value


def emit(full: str | None, op: str, *inputs: Any, **attrs: Any) -> Any:
    """One node. A name in full is used as it is; None is one of the op's own."""
    graph = get_default_graph()
    graph._made += 1
    function = _table[op]
    if full is None:
        full = graph.unique_name(op)
    return built(graph, function, full, inputs, attrs)


def built(graph: Graph, function: Any, full: str, inputs: Any, attrs: Any) -> Any:
    """The core's result; a wrong argument raises ValueError."""
    try:
        made = function(
            *[lowered(_numbered(graph, x)) for x in inputs],
            name=full,
            **{k: lowered(v) for k, v in attrs.items()},
        )
    except (IndexError, LookupError, RuntimeError) as error:
        if getattr(error, "sluice_code", None) is None or isinstance(
            error, NotImplementedError
        ):
            raise
        raise ValueError(str(error)) from None
    return raised_up(graph, made)


def _numbered(graph: Graph, value: Any) -> Any:
    """An array as a constant within the operation's scope: the core would give it a
    name of the program's."""
    if not isinstance(value, np.ndarray):
        return value
    return make_constant(value, None, graph.unique_name("shape"))


def raised_up(graph: Graph, made: Any) -> Any:
    """The Tensors and Operations for the core's results."""
    if isinstance(made, _core.Operation):
        return wrap_operation(graph, made)
    return None if made is None else wrap(graph, made)


def emit_op(full: str, op_type: str, *inputs: Any, **attrs: Any) -> Any:
    """The same, by the name of the op's record; for those without a function."""
    graph = get_default_graph()
    graph._made += 1
    return built(graph, _core.op_function(op_type), full, inputs, attrs)


# ---- Constants ----


def _refuse(value: Any, dtype: DType) -> None:
    raise TypeError(
        f"Expected {dtype.name}, but got {value} of type '{type(value).__name__}'."
    )


def _check_leaf(value: Any, dtype: DType) -> None:
    if isinstance(value, (np.ndarray, np.generic)):
        kind = value.dtype.kind
        if kind in "fc" and dtype.is_integer or kind in "OSU" and dtype is not string:
            _refuse(value, dtype)
        return
    if isinstance(value, Tensor):
        _refuse(value, dtype)
    if dtype.is_integer:
        fits = isinstance(value, (numbers.Integral, Dimension))
    elif dtype.is_floating:
        fits = isinstance(value, numbers.Real)
    elif dtype.is_complex:
        fits = isinstance(value, numbers.Complex)
    elif dtype.is_bool:
        fits = isinstance(value, bool)
    else:
        fits = isinstance(value, (str, bytes))
    if not fits:
        _refuse(value, dtype)


def _check(value: Any, dtype: DType) -> None:
    if isinstance(value, (list, tuple)):
        for one in value:
            _check(one, dtype)
    else:
        _check_leaf(value, dtype)


def _plain(value: Any, inside: bool = False) -> Any:
    """Sizes as numbers, None as an error, in nested lists."""
    if isinstance(value, (list, tuple)):
        return [_plain(v, True) for v in value]
    if isinstance(value, Dimension):
        return int(value)
    if value is None:
        kind = TypeError if inside else ValueError
        raise kind("None values not supported.")
    return value


def _check_leaves(value: Any) -> None:
    """Arrays are not elements of lists, as TensorFlow has it."""
    if isinstance(value, list):
        for one in value:
            _check_leaves(one)
            if isinstance(one, np.ndarray) and one.ndim:
                raise ValueError(
                    f"an array of shape {one.shape} is in a list of values; wanted "
                    "numbers, or tf.stack"
                )


def elements(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    """numpy's array of what a program writes: whole numbers are int32 where they
    fit, other numbers float32; arrays keep their type, or take the one asked for.
    """
    wanted: Any = None if dtype is None else dtype.as_numpy_dtype
    if isinstance(value, _core.Tensor):
        value = value.numpy()
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if dtype is not None and array.dtype.kind in "OSU" and dtype is not string:
            _refuse(value, dtype)
        return array if wanted is None else array.astype(wanted)
    value = _plain(value)
    if dtype is not None:
        _check(value, dtype)
    _check_leaves(value)
    try:
        array = np.array(value, wanted)
    except ValueError as error:
        raise ValueError(f"{error}; wanted numbers in lists of equal lengths") from None
    if dtype is None:
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        elif array.dtype == np.int64:
            small = array.astype(np.int32)
            array = small if np.array_equal(small, array) else array
        elif array.dtype == object:
            for leaf in array.reshape(-1):
                if not isinstance(leaf, (str, bytes)):
                    raise TypeError(
                        f"Failed to convert elements of {value!r} to Tensor: a "
                        f"{type(leaf).__name__} is none."
                    )
    return array


def _shaped(array: Any, shape: Any, verify_shape: bool) -> Any:
    sizes = TensorShape(shape)
    if not sizes.is_fully_defined():
        raise TypeError(f"constant: shape is {shape}; wanted numbers")
    wanted, count = sizes.as_list(), sizes.num_elements() or 0
    if verify_shape and list(array.shape) != wanted:
        raise TypeError(
            f"Expected Tensor's shape: {tuple(wanted)}, but got {array.shape}."
        )
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}"
        )
    flat = array.reshape(-1)
    if array.size < count:
        if array.size == 0:
            raise ValueError(f"no elements are given; wanted some for {wanted}")
        # The last element is repeated.
        flat = np.concatenate([flat, np.repeat(flat[-1:], count - array.size)])
    return flat.reshape(wanted)


def make_constant(array: Any, dtype: DType | None, full: str) -> Any:
    """The node of these elements, under a full name."""
    graph = get_default_graph()
    graph._made += 1
    kind = dtype or as_dtype(array.dtype)
    given: Any = array
    if kind is string:
        # A copy: the program may change its array later.
        given = np.array(array, object).tolist()
        shape = list(array.shape)
        made = _core.constant(given, kind._core, shape, full)
    else:
        made = _core.constant(np.array(array), kind._core, None, full)
    return wrap(graph, made)


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Any:
    """Elements as part of the graph.

    Fewer of them than `shape` has places are followed by the last one again.
    """
    kind = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        raise TypeError("constant: the value is a Tensor; wanted numbers")
    array = elements(value, kind)
    if shape is not None:
        array = _shaped(array, shape, verify_shape)
    graph = get_default_graph()
    with _opened(graph):
        graph._check_open()
        return make_constant(array, kind, graph.unique_name(checked(name or "Const")))


def _opened(graph: Graph) -> Any:
    from ._graphs import opened

    return opened(graph)


def _has_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_tensors(v) for v in value)
    return isinstance(value, (Tensor, IndexedSlices)) or hasattr(value, "_as_tensor")


def _first_type(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        for one in value:
            found = _first_type(one)
            if found is not None:
                return found
        return None
    return getattr(value, "dtype", None) if _has_tensors(value) else None


def _packed(value: Any, dtype: Any, name: str | None) -> Any:
    """One tensor of lists that hold tensors."""
    with scoped(name, "packed", *_leaves(value)) as full:
        kind = dtype or _first_type(value)

        def one(part: Any) -> Any:
            if isinstance(part, (list, tuple)):
                if _has_tensors(part):
                    inner = [one(p) for p in part]
                    return emit(None, "stack", inner, axis=0)
                return convert(part, kind)
            return convert(part, kind)

        return emit(full, "stack", [one(p) for p in value], axis=0)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in _leaves(v)]
    return [value]


def convert(
    value: Any, dtype: Any = None, name: str | None = None, hint: Any = None
) -> Any:
    """A Tensor: itself, a variable's value, or a constant of that type.

    Of another type than asked for a Tensor is refused. `hint` is a type to try.
    """
    as_tensor = getattr(value, "_as_tensor", None)
    if as_tensor is not None:
        value = as_tensor()
    if isinstance(value, _core.Tensor) and value.symbolic:
        value = wrap(get_default_graph(), value)
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype != dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor "
                f"with dtype {value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, Operation):
        raise TypeError(
            f"Can't convert Operation {value.name!r} to Tensor "
            f"(target dtype={dtype}, name={name})"
        )
    if isinstance(value, IndexedSlices):
        return _dense(value, dtype, name)
    if dtype is None and hint is not None:
        try:
            return convert(value, hint, name)
        except (TypeError, ValueError, OverflowError):
            pass
    if isinstance(value, (list, tuple)) and _has_tensors(value):
        return _packed(value, dtype, name)
    if isinstance(value, (TensorShape, Dimension)) and dtype is None:
        dtype = int32
    if isinstance(value, np.ndarray) and value.dtype == object:
        if any(isinstance(v, Tensor) for v in value.reshape(-1)):
            return _packed(value.tolist(), dtype, name)
    return constant(value, dtype, name=name or "Const")


def _dense(slices: IndexedSlices, dtype: Any, name: str | None) -> Any:
    if dtype is not None and slices.dtype != dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {as_dtype(dtype).name} for "
            f"IndexedSlices with dtype {slices.dtype.name}"
        )
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices without dense_shape"
        )
    with scoped(name, "UnsortedSegmentSum", slices.values) as full:
        rows = emit(None, "slice", slices.dense_shape, [0], [1])
        return emit(
            full,
            "unsorted_segment_sum",
            slices.values,
            slices.indices,
            emit(None, "reshape", rows, np.array([], np.int64)),
        )


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """A Tensor: itself, a variable's value, or a constant.

    `dtype` is wanted, `preferred_dtype` (or `dtype_hint`) taken where it fits.
    """
    kind = None if dtype is None else as_dtype(dtype)
    hint = preferred_dtype if preferred_dtype is not None else dtype_hint
    return convert(value, kind, name, None if hint is None else as_dtype(hint))


def typed_constant(value: Any, dtype: DType, name: str) -> Any:
    """A number of the operation's own, within its scope."""
    graph = get_default_graph()
    array = np.asarray(value).astype(dtype.as_numpy_dtype)
    return make_constant(array, dtype, graph.unique_name(name))


DEFAULT = float32
