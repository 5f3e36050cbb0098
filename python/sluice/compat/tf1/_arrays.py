"""Tensors in other shapes, and parts of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ._checks import checked_value
from ._constants import known, known_ints, sizes_of
from ._dtypes import as_dtype, float32, int32, int64
from ._dtypes import bool as bool_
from ._emit import convert, emit, make_constant, scoped
from ._fills import range, told_shape
from ._indexing import cut
from ._math import cast
from ._reduce import one_of
from ._shapes import TensorShape
from ._tensor import Tensor

__all__ = [
    "boolean_mask",
    "broadcast_to",
    "concat",
    "expand_dims",
    "gather",
    "gather_nd",
    "newaxis",
    "one_hot",
    "pad",
    "rank",
    "reshape",
    "reverse",
    "shape",
    "shape_n",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "tile",
    "transpose",
    "unstack",
]
newaxis = None

# ---- Shapes ----


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The same elements in another shape; one size may be -1."""
    with scoped(name, "Reshape", tensor, shape) as full:
        x = convert(tensor, name="tensor")
        given = known(shape)
        if given is not None and given.ndim != 1:
            raise ValueError(f"reshape: the shape is {shape}; wanted a list of sizes")
        sizes = sizes_of(shape)
        if not isinstance(sizes, Tensor) and (sizes < -1).any():
            raise ValueError(
                f"reshape: the shape is {sizes.tolist()}; wanted -1 or more"
            )
        return emit(full, "reshape", x, sizes)


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Any:
    """Axes in another order; reversed when none is given."""
    with scoped(name, "transpose", a) as full:
        a = convert(a, name="a")
        if conjugate and a.dtype.is_complex:
            a = emit(None, "conj", a)
        if perm is None:
            if a.shape.ndims is None:
                raise NotImplementedError("transpose: wanted perm, or a known rank")
            perm = list(builtins.range(a.shape.ndims))[::-1]
        return emit(full, "transpose", a, perm=known_ints(perm, "transpose: perm"))


def _axis(axis: Any, what: str) -> int:
    found = known_ints(axis, f"{what}: axis")
    if len(found) != 1:
        raise ValueError(f"{what}: axis is {axis}; wanted one number")
    return found[0]


def _alike(op: str, values: Any, dtype: Any = None) -> list[Any]:
    """The operands as tensors of one type: that of the first tensor among them."""
    kind = dtype
    for value in values:
        if kind is None and (isinstance(value, Tensor) or hasattr(value, "_as_tensor")):
            kind = value.dtype
    parts = []
    for i, value in enumerate(values):
        part = convert(value, None, name=f"values_{i}", hint=kind)
        kind = kind or part.dtype
        if part.dtype != kind:
            raise TypeError(
                f"Tensors in list passed to 'values' of '{op}' Op have types "
                f"[{kind.name}, {part.dtype.name}] that don't all match."
            )
        parts.append(part)
    return parts


def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Tensors one after the other along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with scoped(name, "concat", *values) as full:
        parts = _alike("ConcatV2", values)
        along = _axis(axis, "concat")
        if len(parts) == 1:
            return emit(full, "identity", parts[0])
        if any(p.shape.ndims == 0 for p in parts):
            raise ValueError("Can't concatenate scalars (use tf.stack instead)")
        return emit(full, "concat", parts, axis=along)


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Any:
    """Tensors along a new axis."""
    if isinstance(values, Tensor):
        values = unstack(values)
    with scoped(name, "stack", *list(values)) as full:
        parts = _alike("Pack", list(values))
        rank = parts[0].shape.ndims if parts else None
        if rank is not None and not -rank - 1 <= axis <= rank:
            raise ValueError(
                f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})"
            )
        return emit(full, "stack", parts, axis=axis)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Any]:
    """The slices along an axis."""
    with scoped(name, "unstack", value) as full:
        value = convert(value, name="value")
        rank = value.shape.ndims
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
        size = None if rank is None else value.shape[axis].value
        if num is None:
            num = size
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        if size is not None and size != num:
            raise ValueError(f"unstack: num is {num}, the axis has size {size}")
        if num == 0:
            return []
        made = emit(full, "unstack", value, num=num, axis=axis)
        return made if isinstance(made, list) else [made]


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Any]:
    """So many equal parts along an axis, or parts of these sizes; one may be -1."""
    with scoped(name, "split", value) as full:
        value = convert(value, name="value")
        along = _axis(axis, "split")
        splits = known(num_or_size_splits)
        if splits is None:
            raise NotImplementedError(
                "split: num_or_size_splits is known only when a step runs; "
                "wanted numbers"
            )
        if splits.ndim == 0:
            made = emit(full, "split", value, num=int(splits), axis=along)
            return made if isinstance(made, list) else [made]
        sizes = [int(s) for s in splits]
        if num is not None and num != len(sizes):
            raise ValueError(f"split: num is {num} with {len(sizes)} sizes")
        if -1 in sizes:
            whole = value.shape[along].value
            if whole is None or sizes.count(-1) > 1:
                raise NotImplementedError("split: -1 of a size that is not known")
            sizes[sizes.index(-1)] = whole - sum(sizes) - 1
        made = emit(full, "split_v", value, sizes=sizes, axis=along)
        return made if isinstance(made, list) else [made]


def expand_dims(
    input: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """With a new axis of size 1."""
    axis = one_of("axis", axis, dim, "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    with scoped(name, "ExpandDims", input) as full:
        x = convert(input, name="input")
        return emit(full, "expand_dims", x, axis=_axis(axis, "expand_dims"))


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Any:
    """Without axes of size 1: these, or all."""
    axis = one_of("axis", axis, squeeze_dims, "squeeze_dims")
    with scoped(name, "Squeeze", input) as full:
        x = convert(input, name="input")
        axes = None if axis is None else known_ints(axis, "squeeze: axis")
        if not axes:
            axes = None  # as TensorFlow: an empty list is all of them
        if axes is None and x.shape.ndims is not None:
            if not x.shape.is_fully_defined():
                raise NotImplementedError(
                    f"squeeze: the shape is {x.shape}; wanted axis, or sizes known"
                )
            axes = [i for i, s in enumerate(x.shape.as_list()) if s == 1]
            if not axes:
                return emit(full, "identity", x)
        return emit(full, "squeeze", x, axes=axes)


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeated so often along each axis."""
    with scoped(name, "Tile", input, multiples) as full:
        x = convert(input, name="input")
        if known(multiples) is not None:
            return emit(full, "tile", x, known_ints(multiples, "tile: multiples"))
        # [a, b] as [1, a, 1, b], repeated along the axes of size 1.
        sizes = x.shape.as_list()
        times = emit(None, "cast", convert(multiples, name="multiples"), dtype=int64)
        own = emit(None, "shape", x)
        pairs = emit(None, "stack", [times, own], axis=1)
        wide = x
        for axis in builtins.range(len(sizes)):
            wide = emit(None, "expand_dims", wide, axis=2 * axis)
        flat = emit(None, "reshape", pairs, np.array([-1], np.int64))
        spread = emit(None, "broadcast_to", wide, flat)
        made = emit(full, "reshape", spread, emit(None, "mul", times, own))
        return told_shape(made, TensorShape([None] * len(sizes)))


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """The part that begins there and has that size; -1 is the rest."""
    with scoped(name, "Slice", input_) as full:
        x = convert(input_, name="input")
        start = known(begin)
        sizes = known(size)
        if start is not None and sizes is not None:
            return emit(
                full,
                "slice",
                x,
                known_ints(begin, "slice: begin"),
                known_ints(size, "slice: size"),
            )
        return _moving_slice(full, x, begin, size)


def _numbers(values: Any, count: int) -> list[Any]:
    """So many scalars, constants where they are known."""
    fixed = known(values)
    if fixed is None:
        return unstack(values, count)
    if fixed.shape != (count,):
        raise ValueError(f"slice: {fixed.tolist()}; wanted {count} numbers")
    return [convert(int(v)) for v in fixed]


def _moving_slice(full: str, x: Any, begin: Any, size: Any) -> Any:
    """A slice whose place is known only when a step runs."""
    if x.shape.ndims is None:
        raise NotImplementedError("slice: wanted a tensor whose rank is known")
    starts = _numbers(begin, x.shape.ndims)
    sizes = _numbers(size, x.shape.ndims)
    told = []
    for axis, (start, count) in enumerate(zip(starts, sizes)):
        begin = emit(None, "cast", start, dtype=int64)
        amount = known(count)
        if amount is not None and int(amount) == -1:
            end, wide = convert(2**62, int64), begin
            told.append(None)
        else:
            wide = emit(None, "cast", count, dtype=int64)
            end = emit(None, "add", begin, wide)
            told.append(None if amount is None else int(amount))
        x = cut(x, begin, end, axis, 1)
        if amount is None:
            size = emit(None, "slice", emit(None, "shape", x), [axis], [1])
            message = "slice: a part reaches beyond the end; wanted begin + size inside"
            x = checked_value(
                x, emit(None, "equal", size, wide), [begin, wide], message
            )
    return emit(full, "identity", told_shape(x, TensorShape(told)))


_MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Any:
    """With so many elements before and after along each axis."""
    if mode.upper() not in _MODES:
        raise ValueError(
            f"Value of argument `mode` expected to be one of "
            f"{sorted(_MODES)}. Received `mode` = {mode}"
        )
    with scoped(name, "Pad", tensor) as full:
        x = convert(tensor, name="tensor")
        around = known_ints(paddings, "pad: paddings")
        value = known(constant_values)
        if value is None:
            raise NotImplementedError("pad: constant_values is a tensor")
        return emit(
            full, "pad", x, around, value=value.item(), mode=_MODES[mode.upper()]
        )


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Backwards along these axes."""
    with scoped(name, "ReverseV2", tensor) as full:
        x = convert(tensor, name="tensor")
        axes = known_ints(axis, "reverse: axis")
        if not axes:
            return emit(full, "identity", x)
        return emit(full, "reverse", x, axes=axes)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Repeated along axes of size 1, and new ones in front."""
    with scoped(name, "BroadcastTo", input) as full:
        x = convert(input, name="input")
        return emit(full, "broadcast_to", x, sizes_of(shape))


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """Slices at indices along an axis; indices are always checked."""
    del validate_indices  # out of use in TensorFlow, too
    if batch_dims != 0:
        raise NotImplementedError("gather: batch_dims is not there; wanted 0")
    with scoped(name, "GatherV2", params, indices) as full:
        x, where = convert(params, name="params"), convert(indices, name="indices")
        if where.dtype not in (int32, int64):
            raise TypeError(
                f"gather: indices are {where.dtype.name}; wanted int32 or int64"
            )
        return emit(
            full, "gather", x, where, axis=0 if axis is None else _axis(axis, "gather")
        )


def gather_nd(
    params: Any,
    indices: Any,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Any:
    """Slices at the places that rows of indices name; a step fails where one is
    outside ("", or "DEFAULT", or "ERROR")."""
    if bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise NotImplementedError(
            f"gather_nd: bad_indices_policy is {bad_indices_policy!r}; wanted 'ERROR'"
        )
    if batch_dims != 0:
        raise NotImplementedError("gather_nd: batch_dims is not there; wanted 0")
    with scoped(name, "GatherNd", params, indices) as full:
        x, where = convert(params, name="params"), convert(indices, name="indices")
        return emit(full, "gather_nd", x, where)


def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Any:
    """The slices where the mask holds."""
    with scoped(name, "boolean_mask", tensor, mask) as full:
        x, mask = convert(tensor, name="tensor"), convert(mask, bool_, name="mask")
        along = 0 if axis is None else _axis(axis, "boolean_mask")
        count = mask.shape.ndims
        if count is None or x.shape.ndims is None:
            raise ValueError("boolean_mask: wanted the number of axes known")
        if count == 0:
            raise ValueError("mask cannot be scalar.")
        x.shape[along : along + count].assert_is_compatible_with(mask.shape)
        sizes = x.shape.as_list()
        rest = sizes[along + count :]
        if None in rest or None in sizes[:along]:
            raise NotImplementedError(f"boolean_mask: the tensor is {x.shape}")
        # Also if nothing changes: its gradient is that of the whole tensor.
        x = reshape(x, [*sizes[:along], -1, *rest])
        mask = reshape(mask, [-1])
        places = reshape(emit(None, "non_zero", mask), [-1])
        return emit(full, "gather", x, places, axis=along)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Vectors with on_value at the index and off_value elsewhere.

    Their type is `dtype`, or that of the values, or float32.
    """
    with scoped(name, "one_hot", indices) as full:
        kinds = {
            convert(v, None if dtype is None else as_dtype(dtype)).dtype
            for v in (on_value, off_value)
            if v is not None
        }
        if len(kinds) > 1:
            raise TypeError(f"one_hot: on_value and off_value are of {kinds}")
        kind = as_dtype(dtype) if dtype is not None else float32
        if kinds:
            kind = kinds.pop()
        x = convert(indices, name="indices")
        fixed = known(depth)
        if fixed is None:
            classes = range(cast(depth, x.dtype))
            places = emit(None, "expand_dims", x, axis=-1)
            hot = emit(None, "equal", places, classes)
        else:
            count = known_ints(depth, "one_hot: depth")[0]
            if count < 0:
                raise ValueError(f"one_hot: depth is {count}; wanted 0 or more")
            hot = emit(None, "one_hot", x, depth=count, dtype=bool_)
        if axis is not None and axis != -1:
            rank = x.shape.ndims
            if rank is None:
                raise NotImplementedError("one_hot: axis of an unknown rank")
            order = list(builtins.range(rank))
            order.insert(axis % (rank + 1), rank)
            hot = emit(None, "transpose", hot, perm=order)
        on = convert(1 if on_value is None else on_value, kind, name="on")
        off = convert(0 if off_value is None else off_value, kind, name="off")
        return emit(full, "where", hot, on, off)


def _about(op: str, label: str) -> Callable[..., Any]:
    def ask(input: Any, name: str | None = None, out_type: Any = None) -> Any:
        kind = int32 if out_type is None else as_dtype(out_type)
        if kind not in (int32, int64):
            raise TypeError(f"{op}: out_type is {kind!r}; wanted int32 or int64")
        with scoped(name, label, input) as full:
            x = convert(input, name="input")
            asked = emit(None, op, x)
            return emit(full, "cast", asked, dtype=kind)

    ask.__name__ = ask.__qualname__ = op
    ask.__doc__ = f"The {op} of a value, int32 unless asked for int64."
    return ask


shape = _about("shape", "Shape")
size = _about("size", "Size")


def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Any]:
    """The shapes of several values."""
    with scoped(name, "ShapeN", *input):
        return [shape(x, out_type=out_type) for x in input]


def rank(input: Any, name: str | None = None) -> Any:
    """How many axes a value has, int32."""
    with scoped(name, "Rank", input) as full:
        x = convert(input, name="input")
        if x.shape.ndims is not None:
            return make_constant(np.asarray(x.shape.ndims, np.int32), int32, full)
        return emit(full, "cast", emit(None, "rank", x), dtype=int32)
