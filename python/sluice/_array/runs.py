"""Equal elements along an axis, counted: the most frequent one."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple, flag, one_axis
from .device import device_like
from .pick import sort_with_indices
from .reduce import ValuesAndIndices
from .shape import as_tensor, moveaxis, own_copy

__all__ = ["mode"]


def _places(x: Tensor) -> Tensor:
    """0, 1, ... along the last axis, where x is."""
    made = _ops.cast(_ops.range(0, x.shape[-1], 1), _core.int64)
    device = device_like(x, None)
    return made if device is None else made.to(device=device)


def _begins(x: Tensor, places: Tensor) -> Tensor:
    """Whether an element differs from the one before it, along the last axis: the
    first one does, and every NaN."""
    new = _ops.not_equal(x[..., 1:], x[..., :-1])
    first = _ops.broadcast_to(_ops.equal(places[:1], 0), (*x.shape[:-1], 1))
    return _ops.concat([first, new], axis=-1)


def mode(x: Any, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
    """The most frequent element along an axis, of several the smallest, and the last
    place where it is."""
    x = as_tensor(x)
    if x.ndim == 0:
        axes_tuple(dim, 1, "mode")
        return ValuesAndIndices(own_copy(x), _core.tensor(0))
    at = one_axis(dim, x.ndim, "mode")
    line, order = sort_with_indices(moveaxis(x, at, -1), -1)
    places = _places(line)
    starts = _ops.cum_max(_ops.where(_begins(line, places), places, 0), line.ndim - 1)
    longest = _ops.argmax(_ops.sub(places, starts), -1, True)
    made = [_ops.take_along(part, longest, axis=-1) for part in (line, order)]
    made = [moveaxis(part, -1, at) for part in made]
    if not flag(keepdim, "keepdim"):
        made = [_ops.squeeze(part, (at,)) for part in made]
    return ValuesAndIndices(*made)
