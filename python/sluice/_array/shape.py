"""The same elements in another order or shape, joined, cut, repeated."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .._symbols.numbers import Symbol
from .axes import NOTHING, axes_or_none, axes_tuple, one_axis, one_of, whole
from .broadcasting import broadcast_shapes, is_int as _is_int
from .open_sizes import by_one_gradient, by_one_op, chunks_of, has_symbols, pieces
from .open_sizes import split_by, tiled

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "cat",
    "chunk",
    "concat",
    "concatenate",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "movedim",
    "narrow",
    "permute",
    "permute_dims",
    "ravel",
    "repeat",
    "repeat_interleave",
    "reshape",
    "roll",
    "rot90",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "swapdims",
    "tile",
    "transpose",
    "unbind",
    "unflatten",
    "unsqueeze",
    "unstack",
    "vstack",
]


def as_tensor(x: Any) -> Tensor:
    """x itself when it is a tensor, else one made of it."""
    return x if isinstance(x, Tensor) else _core.tensor(x)


def own_copy(x: Tensor) -> Tensor:
    """x with elements of its own, where writes could tell."""
    return _ops.identity(x) if x.symbolic else x.clone()


def _ndim(x: Tensor, what: str) -> int:
    if x.ndim < 0:
        raise ValueError(f"{what}() needs to know how many axes the tensor has")
    return x.ndim


def reshape(x: Any, *sizes: Any, shape: Any = None) -> Tensor:
    """The same elements in order under another shape; one size may be -1."""
    if shape is not None and not sizes:
        sizes = (shape,)
    if len(sizes) == 1 and not isinstance(sizes[0], int) and not _is_int(sizes[0]):
        return _ops.reshape(x, sizes[0])
    return _ops.reshape(x, sizes)


def ravel(x: Any) -> Tensor:
    """All elements in order along one axis."""
    return _ops.reshape(x, (-1,))


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Axes from start_dim to end_dim (included) made one."""
    x = as_tensor(x)
    ndim = _ndim(x, "flatten")
    if ndim == 0:
        return _ops.reshape(x, (1,))
    first = one_axis(start_dim, ndim, "flatten")
    last = one_axis(end_dim, ndim, "flatten")
    if first > last:
        raise ValueError(f"flatten(): start_dim {start_dim} is after end_dim {end_dim}")
    if first == last:
        return x
    return _ops.reshape(x, (*_sizes(x, 0, first), -1, *_sizes(x, last + 1, ndim)))


def _sizes(x: Tensor, begin: int, end: int) -> list[Any]:
    """Sizes of some axes, as numbers or, where not known yet, as tensors."""
    known = x.shape[begin:end]
    if None not in known:
        return list(known)
    now = _ops.shape(x)
    return [now[begin + i] if d is None else d for i, d in enumerate(known)]


def unflatten(x: Any, dim: int, sizes: Any) -> Tensor:
    """One axis made several of these sizes, one of which may be -1."""
    x = as_tensor(x)
    at = one_axis(dim, _ndim(x, "unflatten"), "unflatten")
    return _ops.reshape(
        x, (*_sizes(x, 0, at), *sizes, *_sizes(x, at + 1, x.ndim))
    )


def squeeze(x: Any, axis: Any = None, *, dim: Any = NOTHING) -> Tensor:
    """Without axes of size 1: all of them, or those named that are."""
    axis = one_of(axis, dim)
    x = as_tensor(x)
    if axis is None:
        if not x.symbolic or x.ndim < 0:
            return _ops.squeeze(x)
        axis = range(x.ndim)
    whole = isinstance(axis, range)
    given = tuple(axis) if whole else axis
    axes = axes_or_none(given, _ndim(x, "squeeze"), "squeeze")
    # PyTorch leaves axes of other sizes alone.
    axes = tuple(a for a in axes if may_be(x.shape[a], 1))
    if axes:
        return _ops.squeeze(x, axes)
    return x[...] if whole else x  # a tensor of its own, as without a graph


def sized(x: Any, *axes: int) -> Tensor:
    """x for code that must know the sizes of these axes, counted from the end.

    A function being recorded is then for these sizes alone.
    """
    x = as_tensor(x)
    if not _core.is_recording() or not x.symbolic or x.ndim < len(axes):
        return x
    known = {a % x.ndim: int(x.shape[a]) for a in axes}
    # One size that stays open is worked out from the others, unless it cannot be.
    few = x.ndim - len(known) == 1 and 0 not in known.values()
    return _ops.reshape(
        x, tuple(known[i] if i in known else -1 if few else int(n)
                 for i, n in enumerate(x.shape)))  # fmt: skip


def may_be(size: Any, wanted: int) -> bool:
    """Whether a size is the one wanted, or not known before the graph runs."""
    if isinstance(size, Symbol) and size.hint is None:
        return True  # the graph says so when it runs
    return size is None or bool(size == wanted)


def expand_dims(x: Any, axis: Any = 0, *, dim: Any = NOTHING) -> Tensor:
    """With one more axis of size 1 at each place named."""
    axis = one_of(axis, dim, 0)
    if not isinstance(axis, (tuple, list)):
        return _ops.expand_dims(x, axis)
    x = as_tensor(x)
    for a in sorted(axes_tuple(axis, x.ndim + len(axis), "expand_dims")):
        x = _ops.expand_dims(x, a)
    return x


def unsqueeze(x: Any, dim: Any = NOTHING, *, axis: Any = NOTHING) -> Tensor:
    """With one more axis of size 1."""
    at = one_of(axis, dim)
    if isinstance(at, (tuple, list)) and not at:
        raise TypeError(f"unsqueeze(): dim is {at!r}; wanted an int")
    return expand_dims(x, at)


def _place(x: Tensor, dim: int, what: str) -> tuple[Any, ...]:
    """What comes before the index of an axis; an axis from behind counts as in
    Python."""
    axis = one_axis(dim, _ndim(x, what), what)
    return (slice(None),) * axis


def narrow(x: Any, dim: int, start: Any, length: Any) -> Tensor:
    """`length` slices along an axis, from `start` on: a view."""
    x = as_tensor(x)
    before = _place(x, dim, "narrow")
    size = x.shape[len(before)]
    if not isinstance(start, Symbol):
        start = whole(start, "start")
    if not isinstance(length, Symbol):
        length = whole(length, "length")
    if size is not None:
        if not -size <= start <= size:
            raise IndexError(
                f"narrow(): start is {start}; wanted -{size} to {size}, the size of "
                f"axis {dim}"
            )
        start = start + size if start < 0 else start
        if length < 0 or start + length > size:
            raise ValueError(
                f"narrow(): start is {start} and length {length}; wanted a length "
                f"of 0 or more that ends within {size}, the size of axis {dim}"
            )
    part: Tensor = x[(*before, slice(start, start + length))]
    return part


def select(x: Any, dim: int, index: Any) -> Tensor:
    """One slice along an axis, without the axis: a view."""
    x = as_tensor(x)
    part: Tensor = x[(*_place(x, dim, "select"), index)]
    return part


def permute(x: Any, *order: Any, dims: Any = None) -> Tensor:
    """With the axes in another order: permute(x, 2, 0, 1) or permute(x, (2, 0, 1))."""
    if dims is not None and not order:
        order = tuple(dims)
    elif len(order) == 1 and not _is_int(order[0]):
        order = order[0]
    return _in_order(x, order, "permute")


def _in_order(x: Any, order: Any, what: str) -> Tensor:
    """The axes in another order. The op takes () for the reverse of what there is."""
    if isinstance(order, (tuple, list)) and not order and as_tensor(x).ndim:
        raise ValueError(
            f"{what}(): no axes for a tensor of {as_tensor(x).ndim}; wanted all of them"
        )
    return _ops.transpose(x, order)


def permute_dims(x: Any, axes: Any) -> Tensor:
    """With the axes in another order."""
    return _in_order(x, axes, "permute_dims")


def transpose(
    x: Any, *dims: Any, axes: Any = None, dim0: Any = None, dim1: Any = None
) -> Tensor:
    """Two axes swapped, transpose(x, 0, 1), or an order of all, transpose(x, (1, 0)).

    Without more it reverses the order of the axes, as numpy does.
    """
    if dim1 is not None:
        dims = (*dims, *(() if dim0 is None else (dim0,)), dim1)
    if len(dims) == 2 and _is_int(dims[0]) and _is_int(dims[1]):
        return swapaxes(x, *dims)
    order = axes if not dims else dims[0] if len(dims) == 1 else dims
    return _ops.transpose(x) if order is None else _in_order(x, order, "transpose")


def swapaxes(x: Any, axis0: int, axis1: int) -> Tensor:
    """Two axes in each other's place."""
    x = as_tensor(x)
    ndim = _ndim(x, "swapaxes")
    a = one_axis(axis0, ndim, "swapaxes")
    b = one_axis(axis1, ndim, "swapaxes")
    order = list(range(ndim))
    order[a], order[b] = b, a
    return _ops.transpose(x, order) if ndim else x


swapdims = swapaxes


def matrix_transpose(x: Any) -> Tensor:
    """The last two axes swapped."""
    x = as_tensor(x)
    if 0 <= x.ndim < 2:
        raise ValueError(f"matrix_transpose(): x has {x.ndim} axes; wanted 2 or more")
    return swapaxes(x, -1, -2)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Some axes moved to other places; the rest keeps its order."""
    x = as_tensor(x)
    ndim = _ndim(x, "moveaxis")
    come = axes_tuple(source, ndim, "moveaxis")
    go = axes_tuple(destination, ndim, "moveaxis")
    if len(come) != len(go):
        raise ValueError(f"moveaxis(): {len(come)} axes for {len(go)} places")
    order = [a for a in range(ndim) if a not in come]
    for place, a in sorted(zip(go, come)):
        order.insert(place, a)
    return _ops.transpose(x, order) if ndim else x


movedim = moveaxis


def broadcast_to(x: Any, shape: Any = None, *, size: Any = None) -> Tensor:
    """Stretched to a shape: axes of size 1 and missing ones repeat."""
    if shape is None and size is None:
        raise TypeError("broadcast_to(): no shape; wanted the sizes of the result")
    return _ops.broadcast_to(x, size if shape is None else shape)


def broadcast_arrays(*xs: Any) -> list[Tensor]:
    """All of them stretched to the shape they have together."""
    tensors = [as_tensor(x) for x in xs]
    if any(None in (_core.known_shape(t) or (None,)) for t in tensors if t.symbolic):
        total = tensors[0]
        for t in tensors[1:]:
            total = _ops.add(_ops.zeros_like(total), _ops.zeros_like(t))
        return [_ops.broadcast_to(t, _ops.shape(total)) for t in tensors]
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return [_ops.broadcast_to(t, shape) for t in tensors]


broadcast_tensors = broadcast_arrays


def expand(x: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """As broadcast_to; a size of -1 leaves that axis as it is."""
    if size is not None and not shape:
        shape = (size,)
    sizes = list(shape[0] if len(shape) == 1 and not _is_int(shape[0]) else shape)
    extra = len(sizes) - x.ndim
    if extra < 0:
        raise ValueError(f"expand(): {len(sizes)} sizes for a tensor of {x.ndim} axes")
    for i, n in enumerate(sizes):
        if _is_int(n) and not isinstance(n, Tensor) and n == -1:
            if i < extra:
                raise ValueError("expand(): -1 for an axis that is not there")
            sizes[i] = _sizes(x, i - extra, i - extra + 1)[0]
    return _ops.broadcast_to(x, sizes)


def concat(xs: Any, axis: Any = 0, *, dim: Any = NOTHING) -> Tensor:
    """One after the other along an axis; of all elements when axis is None."""
    axis = one_of(axis, dim, 0)
    if isinstance(xs, Tensor):
        xs = list(xs)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    return _ops.concat(xs, axis=axis)


concatenate = concat
cat = concat


def stack(xs: Any, axis: Any = 0, *, dim: Any = NOTHING) -> Tensor:
    """Side by side along a new axis."""
    if isinstance(xs, Tensor):
        xs = list(xs)
    return _ops.stack(xs, axis=one_of(axis, dim, 0))


def _of_each(f: Any, xs: tuple[Any, ...]) -> Any:
    """f of one tensor, or a tuple of f of several, as PyTorch has it."""
    if len(xs) == 1 and isinstance(xs[0], (tuple, list)):
        if any(isinstance(x, Tensor) for x in xs[0]):
            return tuple(f(x) for x in xs[0])
    return f(xs[0]) if len(xs) == 1 else tuple(f(x) for x in xs)


def atleast_1d(*xs: Any) -> Any:
    """x, with an axis if it has none; of several tensors a tuple."""

    def one(x: Any) -> Tensor:
        x = as_tensor(x)
        return _ops.expand_dims(x, 0) if x.ndim == 0 else x

    return _of_each(one, xs)


def atleast_2d(*xs: Any) -> Any:
    """x, with axes added in front until it has two; of several tensors a tuple."""

    def one(x: Any) -> Tensor:
        x = atleast_1d(x)
        return _ops.expand_dims(x, 0) if x.ndim == 1 else x

    return _of_each(one, xs)


def atleast_3d(*xs: Any) -> Any:
    """x, with axes added until it has three, the last one behind."""

    def one(x: Any) -> Tensor:
        x = atleast_2d(x)
        return _ops.expand_dims(x, -1) if x.ndim == 2 else x

    return _of_each(one, xs)


def vstack(xs: Any) -> Tensor:
    """Rows one below the other."""
    return concat([atleast_2d(x) for x in xs])


def hstack(xs: Any) -> Tensor:
    """Along the second axis; vectors along their own."""
    xs = [atleast_1d(x) for x in xs]
    return concat(xs, 0 if xs and xs[0].ndim == 1 else 1)


def _parts(made: Any) -> tuple[Tensor, ...]:
    return (made,) if isinstance(made, Tensor) else tuple(made)


def _known_size(x: Tensor, axis: int, what: str) -> int:
    at = one_axis(axis, _ndim(x, what), what)
    size = x.shape[at]
    if size is None:
        raise ValueError(f"{what}() needs to know the size of axis {axis}")
    return int(size)  # decides it, in a function being recorded


def _open_axis(x: Tensor, axis: int, what: str) -> int | None:
    """The axis, where its size is a SymInt."""
    at = one_axis(axis, _ndim(x, what), what)
    return at if isinstance(x.shape[at], Symbol) else None


def _cut(x: Tensor, axis: int, sizes: list[int]) -> tuple[Tensor, ...]:
    """Parts of these sizes along an axis, as views."""
    at = one_axis(axis, x.ndim, "split")
    before = (slice(None),) * at
    ends = list(accumulate(sizes, initial=0))
    return tuple(x[(*before, slice(a, b))] for a, b in zip(ends, ends[1:]))


def split(
    x: Any, split_size_or_sections: Any, dim: Any = 0, *, axis: Any = NOTHING
) -> tuple[Tensor, ...]:
    """Cut along an axis, as PyTorch does: into parts of one size, or of these sizes."""
    axis = one_of(axis, dim if axis is NOTHING else NOTHING, 0)
    x = as_tensor(x)
    size = split_size_or_sections
    at = _open_axis(x, axis, "split")
    if not _is_int(size):
        if at is not None or has_symbols(size):
            at = one_axis(axis, x.ndim, "split")
            return pieces(x, list(size), at, "split")
        sizes = list(size)
        if by_one_op(x) or sum(sizes) != _known_size(x, axis, "split"):
            return _parts(_ops.split_v(x, sizes, axis=axis))
        views = _cut(x, axis, [whole(n, "split(): a size") for n in sizes])
        return by_one_gradient(x, views, lambda: _ops.split_v(x, sizes, axis=axis))
    if isinstance(size, Symbol) and at is None:
        at = one_axis(axis, x.ndim, "split")
    if at is not None:
        if not isinstance(size, Symbol) and size <= 0:
            raise ValueError(f"split(): split_size is {size}; wanted 1 or more")
        return split_by(x, size, at)
    size = whole(size, "split(): split_size")
    if size <= 0:
        raise ValueError(f"split(): split_size is {size}; wanted 1 or more")
    total = _known_size(x, axis, "split")
    full, rest = divmod(total, size)
    sizes = [size] * full + ([rest] if rest or not full else [])

    def cut_all() -> Any:
        if rest == 0 and full > 0:
            return _ops.split(x, full, axis=axis)
        return _ops.split_v(x, sizes, axis=axis)

    if by_one_op(x):
        return _parts(cut_all())
    return by_one_gradient(x, _cut(x, axis, sizes), cut_all)


def chunk(
    x: Any, chunks: int, dim: Any = 0, *, axis: Any = NOTHING
) -> tuple[Tensor, ...]:
    """Cut along an axis into at most `chunks` parts, the last maybe smaller."""
    axis = one_of(axis, dim if axis is NOTHING else NOTHING, 0)
    x = as_tensor(x)
    if whole(chunks, "chunk(): chunks") <= 0:
        raise ValueError(f"chunk(): chunks is {chunks}; wanted 1 or more")
    at = _open_axis(x, axis, "chunk")
    if at is not None:
        return chunks_of(x, int(chunks), at)
    total = _known_size(x, axis, "chunk")
    return split(x, max(-(-total // chunks), 1), axis)


def unbind(x: Any, dim: Any = 0, *, axis: Any = NOTHING) -> tuple[Tensor, ...]:
    """The slices along an axis, one by one."""
    axis = one_of(axis, dim if axis is NOTHING else NOTHING, 0)
    x = as_tensor(x)
    size = _known_size(x, axis, "unbind")
    if by_one_op(x):
        return _parts(_ops.unstack(x, size, axis=axis)) if size else ()
    at = one_axis(axis, x.ndim, "unbind")
    views = tuple(x[(slice(None),) * at + (i,)] for i in range(size))
    return by_one_gradient(x, views, lambda: _ops.unstack(x, size, axis=axis))


unstack = unbind


def flip(
    x: Any, *places: Any, axis: Any = None, dims: Any = NOTHING, dim: Any = NOTHING
) -> Tensor:
    """In reverse order along some axes, flip(x, 0, 1) or flip(x, (0, 1)), or all."""
    if places:
        axis = places[0] if len(places) == 1 else places
    axis = one_of(axis, dim if dims is NOTHING else dims)
    x = as_tensor(x)
    ndim = _ndim(x, "flip")
    axes = axes_or_none(list(range(ndim)) if axis is None else axis, ndim, "flip")
    return own_copy(_ops.reverse(x, axes) if axes else x)


def fliplr(x: Any) -> Tensor:
    """In reverse order along the second axis."""
    return flip(x, 1)


def flipud(x: Any) -> Tensor:
    """In reverse order along the first axis."""
    if as_tensor(x).ndim == 0:
        raise ValueError("flipud(): x has no axes; wanted one or more")
    return flip(x, 0)


def rot90(x: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by 90 degrees k times, from the first of two axes to the second."""
    a, b = axes_tuple(dims, _ndim(as_tensor(x), "rot90"), "rot90")
    k = whole(k, "rot90(): k") % 4
    if k == 2:
        return flip(x, (a, b))
    if k == 1:
        return swapaxes(flip(x, b), a, b)
    return flip(swapaxes(x, a, b), b) if k == 3 else own_copy(as_tensor(x))


def roll(
    x: Any, shifts: Any = None, axis: Any = None, *, shift: Any = None,
    dims: Any = NOTHING, dim: Any = NOTHING,
) -> Tensor:
    """Moved along some axes; what leaves at one end comes in at the other."""
    by_torch = dim if dims is NOTHING else dims
    axis = one_of(axis, by_torch)
    if by_torch is not NOTHING and not _is_int(by_torch) and not by_torch:
        axis = None  # PyTorch's dims=() is all elements in order; numpy's axis=() none
    shifts = shift if shifts is None else shifts
    if shifts is None:
        raise TypeError("roll(): no shifts; wanted how far to move")
    shifts = [shifts] if _is_int(shifts) else list(shifts)
    if not shifts:
        raise ValueError("roll(): shift is empty; wanted a number for each axis")
    if axis is None:
        return _ops.roll(x, shifts)
    axes = [axis] if _is_int(axis) else list(axis)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if as_tensor(x).ndim == 0 and axes in ([0], [-1]):
        return own_copy(as_tensor(x))
    return _ops.roll(x, shifts, axes)


def repeat(x: Any, repeats: Any, axis: Any = None, *, dim: Any = NOTHING) -> Tensor:
    """Every element or slice that many times, one after the other: numpy's repeat."""
    axis = one_of(axis, dim)
    if axis is None:
        x, axis = ravel(x), 0
    return _ops.repeat(x, repeats, axis=axis)


repeat_interleave = repeat


def tile(x: Any, *reps: Any, dims: Any = None) -> Tensor:
    """Repeated as a whole along its axes, and along new ones in front."""
    if dims is not None and not reps:
        reps = (dims,)
    counts = list(reps[0] if len(reps) == 1 and not _is_int(reps[0]) else reps)
    x = as_tensor(x)
    extra = len(counts) - _ndim(x, "tile")
    if extra > 0:
        x = _ops.reshape(x, (*[1] * extra, *_sizes(x, 0, x.ndim)))
    counts = [1] * -extra + counts
    return tiled(x, counts) if has_symbols(counts) else _ops.tile(x, counts)
