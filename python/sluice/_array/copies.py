"""PyTorch's names of functions whose result is never a view, and their like."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from . import diagonals, math, shape, windows
from .axes import flag
from .shape import as_tensor, own_copy

__all__ = [
    "alias_copy",
    "conj_physical",
    "constant_pad_nd",
    "diagonal_copy",
    "expand_copy",
    "narrow_copy",
    "permute_copy",
    "resolve_conj",
    "resolve_neg",
    "split_with_sizes",
    "split_with_sizes_copy",
    "squeeze_copy",
    "t_copy",
    "transpose_copy",
    "unbind_copy",
    "unfold_copy",
    "unsafe_chunk",
    "unsafe_split",
    "unsqueeze_copy",
    "view_copy",
]


def _copied(look: Callable[..., Any], name: str) -> Any:
    """The function with results that have elements of their own."""

    @functools.wraps(look)
    def made(*args: Any, **kwargs: Any) -> Any:
        found = look(*args, **kwargs)
        if isinstance(found, tuple):
            return tuple(own_copy(part) for part in found)
        return own_copy(found)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{name.removesuffix('_copy')}() with elements of its own."
    return made


def split_with_sizes(x: Any, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut along an axis into parts of these sizes."""
    return shape.split(x, list(split_sizes), dim)


diagonal_copy = _copied(math.diagonal, "diagonal_copy")
narrow_copy = _copied(shape.narrow, "narrow_copy")
split_with_sizes_copy = _copied(split_with_sizes, "split_with_sizes_copy")
t_copy = _copied(diagonals.t, "t_copy")
unbind_copy = _copied(shape.unbind, "unbind_copy")
unsqueeze_copy = _copied(shape.unsqueeze, "unsqueeze_copy")
unfold_copy = _copied(windows.unfold, "unfold_copy")
unsafe_chunk = shape.chunk


def alias_copy(x: Any) -> Tensor:
    """The same elements again."""
    return own_copy(as_tensor(x))


def expand_copy(x: Any, size: Any, *, implicit: bool = False) -> Tensor:
    """Stretched to a shape, with elements of its own."""
    flag(implicit, "implicit")
    return own_copy(shape.expand(x, size))


def transpose_copy(x: Any, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped, with elements of its own."""
    x = as_tensor(x)
    return own_copy(shape.swapaxes(x, dim0, dim1) if x.ndim else x)


def unsafe_split(x: Any, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """split() into parts of one size."""
    return shape.split(x, split_size, dim)


def permute_copy(x: Any, dims: Any) -> Tensor:
    """With the axes in this order, and elements of its own."""
    return own_copy(shape.permute(x, dims))


def squeeze_copy(x: Any, dim: Any = None) -> Tensor:
    """Without axes of size 1, all or those named, with elements of its own."""
    return own_copy(shape.squeeze(x) if dim is None else shape.squeeze(x, dim))


def view_copy(x: Any, size: Any) -> Tensor:
    """The same elements under another shape, or as another type, again."""
    if isinstance(size, _core.dtype):
        raise TypeError("view_copy(): a dtype; wanted a shape")
    return own_copy(_ops.reshape(x, size))


def constant_pad_nd(x: Any, pad: Any, value: Any = 0) -> Tensor:
    """A border of one value: (before, after) of the last axis, then the one before."""
    from ..nn.functional import pad as with_border

    return with_border(x, pad, "constant", value)


def conj_physical(x: Any) -> Tensor:
    """Complex numbers conjugated; real ones are their own."""
    return math.conj(x)


def resolve_conj(x: Any) -> Tensor:
    """x itself: conjugates are computed at once."""
    return as_tensor(x)


def resolve_neg(x: Any) -> Tensor:
    """x itself: negatives are computed at once."""
    return as_tensor(x)
