"""Images and volumes looked at through a grid of places."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import flag
from ..._array.create import arange
from ..._array.device import beside
from ..._array.math import clip
from ..._array.pick import gather
from ..._array.shape import as_tensor, expand_dims, flatten, stack
from ..._core import Tensor

__all__ = ["affine_grid", "grid_sample"]

Op = Callable[..., Tensor]
_broadcast: Op = _core.op_function("BroadcastTo")
_where: Op = _core.op_function("Select")
_fmod: Op = _core.op_function("Fmod")
_floor: Op = _core.op_function("Floor")
_round: Op = _core.op_function("Round")


def _number(x: Tensor, value: Any) -> Tensor:
    made: Tensor = beside(x, as_tensor(value)).to(x.dtype)
    return made


def _held(at: Tensor, size: Any) -> Tensor:
    """Between 0 and size - 1, without a gradient where it is not within."""
    low, high = _number(at, 0), _number(at, size - 1)
    return _where(at > 0, _where(at < high, at, high), low)


def _reflected(at: Tensor, size: Any, align: bool) -> Tensor:
    """Positions reflected at both ends."""
    if align and size == 1:
        return at * 0
    low, span = (0.0, size - 1) if align else (-0.5, size)
    away = (at - low).abs()
    rest = _fmod(away, _number(at, span))
    turns = _floor(away / span).detach()
    odd = _fmod(turns, _number(at, 2)) == 1
    return _where(odd, span - rest, rest) + low


def _bounded(at: Tensor, size: Any, padding: str, align: bool) -> Tensor:
    if padding == "reflection":
        at = _reflected(at, size, align)
    return at if padding == "zeros" else _held(at, size)


def _looked_up(x: Tensor, places: list[Tensor]) -> Tensor:
    """x [N, C, ...] at places [N, P] of each axis; 0 where there is nothing."""
    sizes, inside, flat = x.shape[2:], None, None
    for at, size in zip(places, sizes):
        within = (at >= 0) & (at < _number(at, size))
        inside = within if inside is None else inside & within
        index = _held(at.detach(), size).to(_core.int64)
        flat = index if flat is None else flat * size + index
    assert flat is not None and inside is not None
    index = _broadcast(
        expand_dims(flat, 1), (x.shape[0], x.shape[1], flat.shape[1])
    )
    found = gather(flatten(x, 2), 2, index)
    return _where(expand_dims(inside, 1), found, _number(x, 0))


def _nearest(x: Tensor, places: list[Tensor]) -> Tensor:
    return _looked_up(x, [_round(at) for at in places])


def _linear(x: Tensor, places: list[Tensor]) -> Tensor:
    """Sums over the corners around each place, by how near they are."""
    below = [_floor(at).detach() for at in places]
    total: Any = 0
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight: Any = 1
        for at, low, up in zip(places, below, corner):
            weight = weight * (at - low if up else low + 1 - at)
        found = _looked_up(x, [low + up for low, up in zip(below, corner)])
        total = total + found * expand_dims(weight, 1)
    made: Tensor = total
    return made


def _cubic_weights(t: Tensor) -> list[Tensor]:
    """Of the four elements around a place at t between the middle ones."""
    a = -0.75

    def far(x: Tensor) -> Tensor:
        return (((x - 5) * x + 8) * x - 4) * a

    def near(x: Tensor) -> Tensor:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _cubic(x: Tensor, places: list[Tensor], padding: str, align: bool) -> Tensor:
    below = [_floor(at).detach() for at in places]
    weights = [_cubic_weights(at - low) for at, low in zip(places, below)]
    total: Any = 0
    for i, j in itertools.product(range(4), repeat=2):
        at = [
            _bounded(low + (k - 1), size, padding, align)
            for low, k, size in zip(below, (i, j), x.shape[2:])
        ]
        weight = weights[0][i] * weights[1][j]
        total = total + _looked_up(x, at) * expand_dims(weight, 1)
    made: Tensor = total
    return made


def _want(x: Tensor, grid: Tensor, mode: str, padding: str) -> None:
    axes = x.ndim - 2
    if axes not in (2, 3) or grid.ndim != x.ndim:
        raise ValueError(
            f"grid_sample(): input has {x.ndim} axes, grid {grid.ndim}; wanted 4 or 5 "
            "of both"
        )
    if grid.shape[-1] != axes or grid.shape[0] != x.shape[0]:
        raise ValueError(
            f"grid_sample(): grid is {[int(n) for n in grid.shape]}; wanted "
            f"{int(x.shape[0])} grids of {axes} numbers for each place"
        )
    if mode not in ("bilinear", "nearest", "bicubic") or mode == "bicubic" and axes > 2:
        raise ValueError(
            f"grid_sample(): mode is {mode!r}; wanted bilinear, nearest, or bicubic of "
            "images"
        )
    if padding not in ("zeros", "border", "reflection"):
        raise ValueError(
            f"grid_sample(): padding_mode is {padding!r}; wanted zeros, border or "
            "reflection"
        )
    if x.dtype != grid.dtype:
        raise TypeError(
            f"grid_sample(): input is {x.dtype.name}, grid {grid.dtype.name}; wanted "
            "one type"
        )
    if any(size == 0 for size in x.shape[2:]):
        raise ValueError("grid_sample(): input has no elements along an axis")


def _aligned(align_corners: Any) -> bool:
    return align_corners is not None and flag(align_corners, "align_corners")


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Images [N, C, H, W] at places [N, h, w, 2] = (x, y), or volumes [N, C, D, H, W]
    at [N, d, h, w, 3] = (x, y, z); -1 and 1 are the borders, or with align_corners
    the middle of the elements there."""
    x, g = as_tensor(input), as_tensor(grid)
    _want(x, g, mode, padding_mode)
    if x.dtype in (_core.float16, _core.bfloat16):
        wide, fine = x.to(_core.float32), g.to(_core.float32)
        made = grid_sample(wide, fine, mode, padding_mode, align_corners)
        return made.to(x.dtype)
    axes, align = x.ndim - 2, _aligned(align_corners)
    shape = tuple(g.shape[1:-1])
    flat = g.reshape(g.shape[0], -1, axes)
    places: list[Tensor] = []
    for i, size in enumerate(x.shape[2:]):
        at = flat[:, :, axes - 1 - i] + 1
        at = at * (size - 1) / 2 if align else (at * size - 1) / 2
        if mode != "bicubic":
            at = _bounded(at, size, padding_mode, align)
        places.append(at)
    if mode == "nearest":
        made = _nearest(x, places)
    elif mode == "bilinear":
        made = _linear(x, places)
    else:
        made = _cubic(x, places, padding_mode, align)
    return made.reshape(x.shape[0], x.shape[1], *shape)


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """A grid for grid_sample by matrices [N, 2, 3] (images of size [N, C, H, W]) or
    [N, 3, 4] (volumes) that take a place of the result to one of the input."""
    matrix, sizes, align = as_tensor(theta), list(size)[2:], _aligned(align_corners)
    axes = len(sizes)
    if not matrix.dtype.is_floating_point:
        raise TypeError(f"affine_grid(): theta is {matrix.dtype.name}; wanted floats")
    if axes not in (2, 3) or tuple(matrix.shape[1:]) != (axes, axes + 1):
        raise ValueError(
            f"affine_grid(): theta is {list(matrix.shape)} and size {list(size)}; "
            "wanted [N, 2, 3] with 4 sizes or [N, 3, 4] with 5"
        )
    if matrix.shape[0] != list(size)[0] or any(n <= 0 for n in size):
        raise ValueError(
            f"affine_grid(): size is {list(size)}; wanted {int(matrix.shape[0])} first "
            "and all of them positive"
        )
    parts = []
    for i, n in enumerate(sizes):
        at = beside(matrix, arange(n)).to(matrix.dtype)
        if n == 1:
            at = at * 0
        elif align:
            at = at * 2 / (n - 1) - 1
        else:
            at = (at * 2 + 1) / n - 1
        for _ in range(axes - 1 - i):
            at = expand_dims(at, -1)
        parts.append(_broadcast(at, tuple(sizes)))
    ones = parts[0] * 0 + 1
    places = flatten(stack([*reversed(parts), ones], -1), 0, -2)
    made = places @ matrix.transpose(1, 2)
    return made.reshape(matrix.shape[0], *sizes, axes)
