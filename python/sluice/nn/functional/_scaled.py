"""Lines and images of another size, where a factor says how places correspond."""

from __future__ import annotations

import struct
from typing import Any

from ... import _core, _ops
from ..._array.device import beside
from ..._core import Tensor

__all__: list[str] = []


def _float32(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


def _along(x: Tensor, axis: int, size: int, factor: float, nearest: bool) -> Tensor:
    """One axis with `size` elements, 1 / factor of the old ones apart."""
    last = x.shape[axis] - 1
    if nearest:
        # PyTorch counts in floats.
        step = _float32(1 / factor)
        at = [min(int(_float32(i * step)), last) for i in range(size)]
        return _ops.gather(x, at, axis=axis)
    places = [min(max((i + 0.5) / factor - 0.5, 0.0), last) for i in range(size)]
    below = [int(p) for p in places]
    parts = _core.tensor([p - b for p, b in zip(places, below)], x.dtype)
    parts = _ops.reshape(beside(x, parts), (size,) + (1,) * (x.ndim - axis - 1))
    low = _ops.gather(x, below, axis=axis)
    high = _ops.gather(x, [min(b + 1, last) for b in below], axis=axis)
    return low * (1 - parts) + high * parts


def scaled(x: Tensor, sizes: list[int], factor: float, mode: str) -> Tensor:
    """All axes behind the first two; mode: nearest, linear of one, bilinear of two."""
    linear: dict[int, Any] = {1: "linear", 2: "bilinear"}
    if mode not in ("nearest", linear.get(len(sizes))):
        raise ValueError(
            f"interpolate: mode is {mode!r}; wanted nearest, linear (of lines) or "
            "bilinear (of images)"
        )
    if mode != "nearest" and not x.dtype.is_floating_point:
        raise ValueError(f"interpolate: input is {x.dtype.name}; wanted floats")
    if not all(sizes):
        raise ValueError(f"interpolate: the result would have sizes {sizes}")
    for i, size in enumerate(sizes):
        x = _along(x, 2 + i, size, factor, mode == "nearest")
    return x
