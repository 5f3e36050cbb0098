"""Lines, images and volumes of another size, axis by axis."""

from __future__ import annotations

import math
import struct
from typing import Any

from ... import _core, _ops
from ..._array.device import beside
from ..._core import Tensor

__all__: list[str] = []

# The modes, by the number of axes that they support.
_AXES = {"linear": (1,), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,)}
_LINEAR = ("linear", "bilinear", "trilinear")
NEAREST = ("nearest", "nearest-exact")


def _float32(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


def _step(old: int, new: int, factor: float | None, align: bool) -> float:
    """How far apart results are, in old elements."""
    if align:
        return (old - 1) / (new - 1) if new > 1 else 0.0
    return 1 / factor if factor else old / new


def _nearest(old: int, new: int, step: float, exact: bool) -> list[int]:
    # PyTorch computes this in float32.
    step = _float32(step)
    begin = 0.5 if exact else 0.0
    return [min(int(_float32((i + begin) * step)), old - 1) for i in range(new)]


def _place(i: int, step: float, align: bool) -> float:
    return i * step if align else (i + 0.5) * step - 0.5


Taps = list[tuple[list[int], list[float]]]


def _linear(old: int, new: int, step: float, align: bool) -> Taps:
    """Two elements and their weights for each result."""
    places = [min(max(_place(i, step, align), 0.0), old - 1) for i in range(new)]
    below = [int(p) for p in places]
    parts = [p - b for p, b in zip(places, below)]
    above = [min(b + 1, old - 1) for b in below]
    return [(below, [1 - p for p in parts]), (above, parts)]


def _cubic_weight(x: float, a: float) -> float:
    """The weight of an element at a distance."""
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _cubic(old: int, new: int, step: float, align: bool) -> Taps:
    """Four elements and their weights for each result."""
    places = [_place(i, step, align) for i in range(new)]
    below = [math.floor(p) for p in places]
    taps = []
    for k in (-1, 0, 1, 2):
        at = [min(max(b + k, 0), old - 1) for b in below]
        weights = [_cubic_weight(p - b - k, -0.75) for p, b in zip(places, below)]
        taps.append((at, weights))
    return taps


def _mixed(x: Tensor, axis: int, taps: Taps) -> Tensor:
    """Sums of elements times weights along an axis."""
    total: Any = None
    for at, weights in taps:
        shape = (len(weights),) + (1,) * (x.ndim - axis - 1)
        factor = _ops.reshape(beside(x, _core.tensor(weights, x.dtype)), shape)
        part = _ops.gather(x, at, axis=axis) * factor
        total = part if total is None else total + part
    made: Tensor = total
    return made


def _smooth(x: Tensor, axis: int, new: int, step: float, cubic: bool) -> Tensor:
    """Means over as many elements as a result covers, so that none is left out."""
    old, wide = int(x.shape[axis]), max(step, 1.0)
    reach = (2.0 if cubic else 1.0) * wide
    rows = []
    for i in range(new):
        middle = step * (i + 0.5)
        begin = max(int(middle - reach + 0.5), 0)
        end = min(int(middle + reach + 0.5), old)
        row = [0.0] * old
        for j in range(begin, end):
            at = (j - middle + 0.5) / wide
            row[j] = _cubic_weight(at, -0.5) if cubic else max(1 - abs(at), 0.0)
        total = sum(row)
        rows.append([w / total for w in row] if total else row)
    weights = beside(x, _core.tensor(rows, x.dtype))
    last = x.ndim - 1
    if axis == last:
        return x @ _ops.transpose(weights, (1, 0))
    made: Tensor = weights @ x  # the one before the last
    return made


def _want(x: Tensor, sizes: list[int], mode: str, antialias: bool) -> None:
    axes = len(sizes)
    if x.ndim - 2 != axes or mode not in NEAREST and axes not in _AXES.get(mode, ()):
        raise ValueError(
            f"interpolate: mode is {mode!r} and input has {x.ndim} axes; wanted "
            "nearest, nearest-exact, area, linear (of 3 axes), bilinear, bicubic "
            "(of 4) or trilinear (of 5)"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(f"antialias with mode {mode}; wanted bilinear or bicubic")
    if mode not in NEAREST and not x.dtype.is_floating_point:
        raise ValueError(f"interpolate: input is {x.dtype.name}; wanted floats")
    if not all(n > 0 for n in sizes) or 0 in x.shape[1:]:
        raise ValueError(
            f"interpolate: input is {[int(n) for n in x.shape]}, the result would "
            f"have sizes {sizes}; wanted 1 or more of each"
        )


def scaled(
    x: Tensor,
    sizes: list[int],
    factors: list[float | None],
    mode: str,
    align: bool = False,
    antialias: bool = False,
) -> Tensor:
    """All axes behind the first two; a factor says how places correspond, where
    the sizes do not."""
    _want(x, sizes, mode, antialias)
    kind = x.dtype
    if mode not in NEAREST and kind in (_core.float16, _core.bfloat16):
        x = x.to(_core.float32)
    for i, new in enumerate(sizes):
        axis, old = 2 + i, int(x.shape[2 + i])
        if new == old and (mode in _LINEAR or (mode == "nearest" and len(sizes) == 2)):
            continue  # PyTorch ignores the factor for such an axis
        step = _step(old, new, factors[i], align)
        if mode in NEAREST:
            at = _nearest(old, new, step, mode == "nearest-exact")
            x = _ops.gather(x, at, axis=axis)
        elif antialias:
            x = _smooth(x, axis, new, step, mode == "bicubic")
        elif mode == "bicubic":
            x = _mixed(x, axis, _cubic(old, new, step, align))
        else:
            x = _mixed(x, axis, _linear(old, new, step, align))
    return x.to(kind)
