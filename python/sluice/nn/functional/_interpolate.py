"""Lines, images and volumes of another size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _core
from ..._array.axes import flag, whole
from ..._array.shape import as_tensor
from ..._core import Tensor
from ._images import adaptive_pool
from ._scaled import NEAREST, scaled

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]


def _each(value: Any, axes: int, name: str) -> list[Any]:
    given = list(value) if isinstance(value, Sequence) else [value] * axes
    if len(given) != axes:
        raise ValueError(f"interpolate: {name} is {value}; wanted one number or {axes}")
    return given


def _by_one_op(x: Tensor, factors: Any, mode: str, sizes: list[int]) -> bool:
    """Whether the core has an op for it."""
    if mode not in ("nearest", {1: "linear", 2: "bilinear"}.get(x.ndim - 2)):
        return False
    if x.ndim > 4 or not x.dtype.is_floating_point:
        return False
    if factors is None:
        return True
    # Positions follow the given factors where these differ from the ratio of sizes.
    return all(m == n * f for m, n, f in zip(sizes, x.shape[2:], factors))


def interpolate(
    input: Any,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Lines [N, C, L], images [N, C, H, W] or volumes [N, C, D, H, W] of another
    size; mode: nearest, nearest-exact, area, linear (lines), bilinear, bicubic
    (images), trilinear (volumes)."""
    flags = {
        "align_corners": align_corners,
        "antialias": antialias,
        "recompute_scale_factor": recompute_scale_factor,
    }
    for name, given in flags.items():
        if given is not None:
            flag(given, name)
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: wanted either a size or a scale_factor")
    x = as_tensor(input)
    axes = x.ndim - 2
    if axes not in (1, 2, 3):
        raise ValueError(f"interpolate: input has {x.ndim} axes; wanted 3, 4 or 5")
    if align_corners is not None and mode in (*NEAREST, "area"):
        raise ValueError(f"align_corners with mode {mode}; wanted None")
    factors = None
    if scale_factor is not None:
        factors = [float(f) for f in _each(scale_factor, axes, "scale_factor")]
        if not all(f > 0 for f in factors):
            raise ValueError(f"scale_factor is {scale_factor}; wanted it positive")
        if None in x.shape[2:]:
            raise ValueError("interpolate: a size is unknown; wanted size=")
        sizes = [math.floor(n * f) for n, f in zip(x.shape[2:], factors)]
        factors = None if recompute_scale_factor else factors
    else:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor with a size; wanted scale_factor")
        sizes = [whole(n, "interpolate: size") for n in _each(size, axes, "size")]
    if mode == "area":
        if antialias:
            raise ValueError("antialias with mode area; wanted bilinear or bicubic")
        return adaptive_pool(axes, False, x, sizes)
    align = bool(align_corners)
    if not antialias and _by_one_op(x, factors, mode, sizes):
        return _core.nn_interpolate(x, sizes, 0.0, mode, align)
    each: list[Any] = [None] * axes if factors is None else list(factors)
    return scaled(x, sizes, each, mode, align, antialias)


def upsample(
    input: Any,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """interpolate by its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Any, size: Any = None, scale_factor: Any = None
) -> Tensor:
    """interpolate by the nearest elements."""
    return interpolate(input, size, scale_factor)


def upsample_bilinear(
    input: Any, size: Any = None, scale_factor: Any = None
) -> Tensor:
    """interpolate images between four elements; the corners stay where they are."""
    return interpolate(input, size, scale_factor, "bilinear", True)
