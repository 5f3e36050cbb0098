"""Ops by TensorFlow's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _core, _ops
from ..._core import Tensor
from ._graphs import recorded, unique

# The functions made from tables below are added to it.
__all__ = [
    "argmax",
    "argmin",
    "cast",
    "clip_by_value",
    "concat",
    "constant",
    "convert_to_tensor",
    "cumsum",
    "divide",
    "expand_dims",
    "fill",
    "gather",
    "identity",
    "linspace",
    "matmul",
    "one_hot",
    "ones",
    "pad",
    "placeholder",
    "placeholder_with_default",
    "random_normal",
    "random_uniform",
    "range",
    "rank",
    "reshape",
    "reverse",
    "shape",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "tile",
    "to_float",
    "to_int32",
    "to_int64",
    "transpose",
    "truncated_normal",
    "unstack",
    "where",
    "zeros",
]
_range = range

_op = vars(_ops)


def named(op: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """The op of that name; the node's is made unique."""
    return _op[op](*inputs, name=unique(name), **attrs)


# ---- Values ----


def _elements(value: Any, dtype: Any) -> Any:
    """Python's whole numbers are int32, as in TensorFlow, where they fit."""
    if dtype is not None or isinstance(value, (np.ndarray, np.generic, Tensor)):
        return value
    array = np.asarray(value)
    if array.dtype == np.int64 and np.array_equal(array.astype(np.int32), array):
        return array.astype(np.int32)
    return value


@recorded
def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Elements as part of the graph; whole numbers are int32."""
    named = None if name == "Const" else unique(name)
    return _core.constant(_elements(value, dtype), dtype, shape, named)


@recorded
def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of the graph: itself, a variable's value, or a constant."""
    if isinstance(value, _core.Variable):
        value = value.read()
    if isinstance(value, Tensor) and value.symbolic:
        return value if dtype in (None, value.dtype) else cast(value, dtype)
    if isinstance(value, (list, tuple)) and any(
        isinstance(v, (Tensor, _core.Variable)) for v in value
    ):
        return stack(value)
    return constant(value, dtype, name=name)


@recorded
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A value every step is fed."""
    return _core.placeholder(dtype, shape, unique(name))


@recorded
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A value that may be fed: any value of a graph may."""
    return identity(convert_to_tensor(input), name)


def _sizes(shape: Any) -> Any:
    if isinstance(shape, (Tensor, _core.Variable)):
        return shape
    if isinstance(shape, (list, tuple)) and any(isinstance(s, Tensor) for s in shape):
        return stack([cast(convert_to_tensor(s), _core.int64) for s in shape])
    return np.atleast_1d(np.asarray(shape, np.int64)).reshape(-1)


def _ints(sizes: Any, what: str) -> list[int]:
    """Sizes that must be known while the graph is built."""
    if isinstance(sizes, (Tensor, _core.Variable)):
        raise NotImplementedError(f"{what} is a tensor; wanted numbers")
    return [int(s) for s in np.asarray(sizes).reshape(-1)]


@recorded
def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of that shape, all of one value."""
    return named("fill", _sizes(dims), convert_to_tensor(value), name=name)


@recorded
def zeros(shape: Any, dtype: Any = _core.float32, name: str | None = None) -> Tensor:
    """Zeros of that shape."""
    return fill(shape, constant(0, dtype), name)


@recorded
def ones(shape: Any, dtype: Any = _core.float32, name: str | None = None) -> Tensor:
    """Ones of that shape."""
    return fill(shape, constant(1, dtype), name)


@recorded
def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Tensor:
    """Numbers from start up to limit, or from 0 up to start."""
    if limit is None:
        start, limit = 0, start
    parts = [convert_to_tensor(v, dtype) for v in (start, limit, delta)]
    return named("range", *parts, name=name)


@recorded
def linspace(start: Any, stop: Any, num: int, name: str | None = None) -> Tensor:
    """That many numbers from start to stop, both included."""
    return constant(np.linspace(start, stop, num, dtype=np.float32), name=name)


@recorded
def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = _core.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers between minval and maxval."""
    if dtype in (_core.int32, _core.int64):
        drawn = _op["random_int"](
            _ints(shape, "shape"), hi=maxval, lo=minval, dtype=dtype, seed=seed or 0
        )
        return identity(drawn, name)
    drawn = _op["random_uniform"](_ints(shape, "shape"), dtype=dtype, seed=seed or 0)
    return identity(drawn * ((1 if maxval is None else maxval) - minval) + minval, name)


def _normal(op: str) -> Callable[..., Tensor]:
    @recorded
    def draw(
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = _core.float32,
        seed: int | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Random numbers of a normal distribution."""
        drawn = _op[op](_ints(shape, "shape"), dtype=dtype, seed=seed or 0)
        return identity(drawn * stddev + mean, name)

    return draw


random_normal = _normal("random_normal")
truncated_normal = _normal("truncated_normal")

# ---- Elementwise ----

_UNARY = """abs acos asin atan ceil cos cosh digamma erf erfc exp expm1 floor lgamma
log log1p reciprocal rsqrt sigmoid sign sin sinh sqrt square stop_gradient tan tanh
zeros_like ones_like""".split()
_BINARY = """add atan2 div equal floor_div greater greater_equal less less_equal
logical_and logical_or logical_xor maximum minimum mod mul not_equal pow
squared_difference sub""".split()
_OTHER = {
    "subtract": "sub",
    "multiply": "mul",
    "realdiv": "div",
    "truediv": "div",
    "floordiv": "floor_div",
    "floormod": "mod",
    "negative": "neg",
    "logical_not": "logical_not",
    "is_nan": "isnan",
    "is_inf": "isinf",
    "is_finite": "isfinite",
}


def _elementwise(op: str) -> Callable[..., Tensor]:
    @recorded
    def call(*operands: Any, name: str | None = None, **keywords: Any) -> Tensor:
        inputs = [*operands, *keywords.values()]
        if not any(isinstance(x, (Tensor, _core.Variable)) for x in inputs):
            inputs[0] = convert_to_tensor(inputs[0])
        if inputs and isinstance(inputs[-1], str) and name is None:
            name = inputs.pop()
        return named(op, *inputs, name=name)

    call.__name__ = op
    call.__doc__ = _op[op].__doc__
    return call


for _name in [*_UNARY, *_BINARY]:
    globals()[_name] = _elementwise(_name)
    __all__.append(_name)
for _name, _source in _OTHER.items():
    if _source in _op:
        globals()[_name] = _elementwise(_source)
        __all__.append(_name)


@recorded
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y; of whole numbers a float, as in Python."""
    return identity(convert_to_tensor(x) / y, name)


@recorded
def identity(input: Any, name: str | None = None) -> Tensor:
    """The same value, under another name."""
    return named("identity", convert_to_tensor(input), name=name)


@recorded
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements as another type."""
    return named("cast", convert_to_tensor(x), dtype=dtype, name=name)


def to_float(x: Any, name: str | None = None) -> Tensor:
    """The elements as float32."""
    return cast(x, _core.float32, name)


def to_int32(x: Any, name: str | None = None) -> Tensor:
    """The elements as int32."""
    return cast(x, _core.int32, name)


def to_int64(x: Any, name: str | None = None) -> Tensor:
    """The elements as int64."""
    return cast(x, _core.int64, name)


@recorded
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """The elements, none below or above these."""
    low = _op["maximum"](convert_to_tensor(t), clip_value_min)
    return named("minimum", low, clip_value_max, name=name)


@recorded
def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """x where the condition holds, else y; alone the places where it holds."""
    if x is None and y is None:
        return named("non_zero", condition, name=name)
    return named("where", condition, x, y, name=name)


# ---- Reductions ----


def _reduction(op: str) -> Callable[..., Tensor]:
    @recorded
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Tensor:
        """Over the axes, or all of them."""
        axis = reduction_indices if axis is None else axis
        axes = None if axis is None else [int(a) for a in np.atleast_1d(axis)]
        keep = bool(keepdims or keep_dims)
        x = convert_to_tensor(input_tensor)
        return named(op, x, axes=axes, keep_dims=keep, name=name)

    return reduce


for _name, _source in {
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_prod": "prod",
    "reduce_all": "all_of",
    "reduce_any": "any_of",
    "reduce_logsumexp": "log_sum_exp",
}.items():
    globals()[_name] = _reduction(_source)
    __all__.append(_name)


def _position(op: str) -> Callable[..., Tensor]:
    @recorded
    def find(
        input: Any,
        axis: int | None = None,
        name: str | None = None,
        dimension: int | None = None,
        output_type: Any = _core.int64,
    ) -> Tensor:
        """The place along an axis, 0 when none is given."""
        axis = dimension if axis is None else axis
        found = named(op, convert_to_tensor(input), axis=axis or 0, name=name)
        return found if output_type == found.dtype else cast(found, output_type)

    return find


argmax = _position("argmax")
argmin = _position("argmin")

# ---- Matrices and shapes ----


@recorded
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices, or of batches of them."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    op = "matmul" if (a.ndim, b.ndim) == (2, 2) or -1 in (a.ndim, b.ndim) else None
    return named(
        op or "batch_mat_mul",
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        name=name,
    )


@recorded
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    return named("reshape", convert_to_tensor(tensor), _sizes(shape), name=name)


@recorded
def transpose(
    a: Any, perm: Sequence[int] | None = None, name: str | None = None
) -> Tensor:
    """Axes in another order; reversed when none is given."""
    a = convert_to_tensor(a)
    if perm is None:
        perm = list(_range(a.ndim))[::-1]
    return named("transpose", a, perm=[int(p) for p in perm], name=name)


@recorded
def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Tensors one after the other along an axis."""
    values = values if isinstance(values, (list, tuple)) else [values]
    parts = [convert_to_tensor(v) for v in values]
    return named("concat", parts, axis=int(axis), name=name)


@recorded
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors along a new axis."""
    parts = [convert_to_tensor(v) for v in values]
    return named("stack", parts, axis=axis, name=name)


def _list(tensors: Any) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@recorded
def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The slices along an axis."""
    value = convert_to_tensor(value)
    if num is None:
        num = value.shape[axis] if value.shape else None
        if num is None:
            raise ValueError("unstack: the size of the axis is not known; wanted num")
    return _list(named("unstack", value, num=num, axis=axis, name=name))


@recorded
def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, name: str | None = "split"
) -> list[Tensor]:
    """So many equal parts along an axis, or parts of these sizes."""
    value = convert_to_tensor(value)
    if isinstance(num_or_size_splits, int):
        made = named("split", value, num=num_or_size_splits, axis=axis, name=name)
    else:
        sizes = [int(s) for s in num_or_size_splits]
        made = named("split_v", value, sizes=sizes, axis=axis, name=name)
    return _list(made)


@recorded
def expand_dims(
    input: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """With a new axis of size 1."""
    axis = dim if axis is None else axis
    return named("expand_dims", convert_to_tensor(input), axis=axis, name=name)


@recorded
def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Without axes of size 1: these, or all."""
    axis = squeeze_dims if axis is None else axis
    axes = None if axis is None else [int(a) for a in np.atleast_1d(axis)]
    return named("squeeze", convert_to_tensor(input), axes=axes, name=name)


@recorded
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeated so often along each axis."""
    times = _ints(multiples, "tile: multiples")
    return named("tile", convert_to_tensor(input), times, name=name)


@recorded
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part that begins there and has that size; -1 is the rest."""
    x = convert_to_tensor(input_)
    start, sizes = _ints(begin, "slice: begin"), _ints(size, "slice: size")
    return named("slice", x, start, sizes, name=name)


@recorded
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: float = 0,
) -> Tensor:
    """With so many elements before and after along each axis."""
    around = _ints(paddings, "pad: paddings")
    x = convert_to_tensor(tensor)
    return named(
        "pad", x, around, value=constant_values, mode=mode.lower(), name=name
    )


@recorded
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Backwards along these axes."""
    axes = [int(a) for a in np.atleast_1d(axis)]
    return named("reverse", convert_to_tensor(tensor), axes=axes, name=name)


@recorded
def gather(params: Any, indices: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Slices at indices along an axis."""
    params, indices = convert_to_tensor(params), convert_to_tensor(indices)
    return named("gather", params, indices, axis=axis, name=name)


@recorded
def one_hot(
    indices: Any,
    depth: int,
    on_value: Any = 1,
    off_value: Any = 0,
    axis: int | None = None,
    dtype: Any = _core.float32,
    name: str | None = None,
) -> Tensor:
    """Vectors with on_value at the index."""
    if axis not in (None, -1):
        raise NotImplementedError(f"one_hot: axis is {axis}; wanted -1")
    x = convert_to_tensor(indices)
    return named(
        "one_hot", x, depth=depth, on=on_value, off=off_value, dtype=dtype, name=name
    )


@recorded
def cumsum(
    x: Any,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sums of the elements so far along an axis."""
    return named(
        "cumsum",
        convert_to_tensor(x),
        axis=axis,
        exclusive=exclusive,
        reverse=reverse,
        name=name,
    )


def _about(op: str) -> Callable[..., Tensor]:
    @recorded
    def ask(input: Any, name: str | None = None, out_type: Any = _core.int32) -> Tensor:
        """Known when the step runs, as int32."""
        asked = _op[op](convert_to_tensor(input))
        return named("cast", asked, dtype=out_type, name=name)

    return ask


shape = _about("shape")
size = _about("size")
rank = _about("rank")
