"""The standard's extension for Fourier transforms.

Of float32 and complex64, with results in those; float64 would need complex128, which
Sluice does not have, and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core, _ops
from .._array.axes import axes_tuple, one_axis
from .._array.shape import moveaxis
from .._core import Tensor
from ._complex import Parts, joined, parts
from ._creation import asarray
from ._fourier import transform
from ._manipulation import roll
from ._operands import array, filled, of_kind

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def _operand(x: Any, what: str, lowest: int, highest: int) -> Tensor:
    x = of_kind(array(x, what), what, lowest, highest)
    if x.dtype.name not in ("float32", "complex64"):
        raise TypeError(
            f"{what}(): x is {x.dtype.name}; wanted float32 or complex64 (the result "
            "would be complex128, which Sluice does not have)"
        )
    return x


def _scale(n: int, norm: str, inverse: bool, what: str) -> float:
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(
            f"{what}(): norm is {norm!r}; wanted backward, ortho or forward"
        )
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    return 1.0 / n if inverse == (norm == "backward") else 1.0


def _fit(x: Tensor, n: int) -> Tensor:
    """Cut, or filled up with zeros, to n along the last axis."""
    have = x.shape[-1]
    if have >= n:
        return x[..., :n]
    zeros = filled(x, (*x.shape[:-1], n - have), 0)
    return _ops.concat([x, zeros], axis=-1)


def _points(n: int | None, x: Tensor, axis: int, what: str) -> tuple[int, int]:
    at = one_axis(axis, x.ndim, what)
    count = x.shape[at] if n is None else n
    if count < 1:
        raise ValueError(f"{what}(): {count} points along axis {axis}; wanted some")
    return count, at


def _split(x: Tensor) -> Parts:
    if x.dtype.is_complex:
        return parts(x)
    re = _ops.cast(x, _core.float64)
    return re, _ops.zeros_like(re)


def _along(
    x: Tensor, n: int | None, axis: int, norm: str, inverse: bool, what: str
) -> Tensor:
    count, at = _points(n, x, axis, what)
    scale = _core.tensor(_scale(count, norm, inverse, what), _core.float64)
    given = _split(_fit(moveaxis(x, at, -1), count))
    re, im = transform(given, 1 if inverse else -1)
    return moveaxis(joined(_ops.mul(re, scale), _ops.mul(im, scale)), -1, at)


def fft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The transform along an axis, cut or filled up with zeros to n points."""
    return _along(_operand(x, "fft", 2, 3), n, axis, norm, False, "fft")


def ifft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The inverse of fft."""
    return _along(_operand(x, "ifft", 2, 3), n, axis, norm, True, "ifft")


def _plan(
    x: Tensor, s: Sequence[int] | None, axes: Sequence[int] | None, what: str
) -> list[tuple[int, int | None]]:
    """Axes, and how many points along each."""
    if s is not None and axes is None:
        raise ValueError(f"{what}(): s without axes; wanted both")
    over = axes_tuple(tuple(range(x.ndim) if axes is None else axes), x.ndim, what)
    if s is not None and len(s) != len(over):
        raise ValueError(f"{what}(): {len(s)} sizes for {len(over)} axes")
    return list(zip(over, [None] * len(over) if s is None else s))


def fftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The transform along several axes, by default all."""
    x = _operand(x, "fftn", 2, 3)
    for axis, n in _plan(x, s, axes, "fftn"):
        x = _along(x, n, axis, norm, False, "fftn")
    return x


def ifftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of fftn."""
    x = _operand(x, "ifftn", 2, 3)
    for axis, n in _plan(x, s, axes, "ifftn"):
        x = _along(x, n, axis, norm, True, "ifftn")
    return x


def _half(x: Tensor, axis: int, what: str) -> Tensor:
    """The first half of what is its own mirror image."""
    at = one_axis(axis, x.ndim, what)
    return x[(*(slice(None),) * at, slice(x.shape[at] // 2 + 1))].clone()


def rfft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The transform of real numbers: n // 2 + 1 points, the rest mirrors them."""
    x = _operand(x, "rfft", 2, 2)
    return _half(_along(x, n, axis, norm, False, "rfft"), axis, "rfft")


def _real_from_half(
    x: Tensor, n: int | None, axis: int, norm: str, inverse: bool, what: str
) -> Tensor:
    at = one_axis(axis, x.ndim, what)
    count = 2 * (x.shape[at] - 1) if n is None else n
    if count < 1:
        raise ValueError(f"{what}(): {count} points along axis {axis}; wanted some")
    half = _fit(moveaxis(x, at, -1), count // 2 + 1)
    mirrored = half[..., 1 : (count + 1) // 2]
    if mirrored.shape[-1]:
        image = _ops.conj(_ops.reverse(mirrored, (mirrored.ndim - 1,)))
        half = _ops.concat([half, image], axis=-1)
    made = _ops.real(_along(half, None, -1, norm, inverse, what))
    return moveaxis(made, -1, at)


def irfft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The inverse of rfft: n real numbers, by default an even count."""
    x = _complex(_operand(x, "irfft", 2, 3))
    return _real_from_half(x, n, axis, norm, True, "irfft")


def _complex(x: Tensor) -> Tensor:
    return x if x.dtype.is_complex else _ops.cast(x, _core.complex64)


def rfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The transform of real numbers along several axes; the last one is halved."""
    x = _operand(x, "rfftn", 2, 2)
    *others, (last, points) = _plan(x, s, axes, "rfftn")
    made = rfft(x, n=points, axis=last, norm=norm)
    for axis, n in others:
        made = _along(made, n, axis, norm, False, "rfftn")
    return made


def irfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of rfftn."""
    x = _complex(_operand(x, "irfftn", 2, 3))
    *others, (last, points) = _plan(x, s, axes, "irfftn")
    for axis, n in others:
        x = _along(x, n, axis, norm, True, "irfftn")
    return _real_from_half(x, points, last, norm, True, "irfftn")


def hfft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The transform, real, of numbers of which the second half mirrors the first."""
    x = _complex(_operand(x, "hfft", 2, 3))
    return _real_from_half(x, n, axis, norm, False, "hfft")


def ihfft(
    x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """The inverse of hfft."""
    x = _operand(x, "ihfft", 2, 2)
    return _half(_along(x, n, axis, norm, True, "ihfft"), axis, "ihfft")


def _frequencies(
    places: list[int], n: int, d: float, dtype: Any, device: Any
) -> Tensor:
    its = _core.float32 if dtype is None else _core.find_dtype(dtype)
    return asarray([k / (n * d) for k in places] or _core.full((0,), 0, its),
                   dtype=its, device=device)  # fmt: skip


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None
) -> Tensor:
    """The frequencies of fft's points, for samples at distance d."""
    places = [*range((n + 1) // 2), *range(-(n // 2), 0)]
    return _frequencies(places, n, d, dtype, device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None
) -> Tensor:
    """The frequencies of rfft's points, for samples at distance d."""
    return _frequencies(list(range(n // 2 + 1)), n, d, dtype, device)


def _shift(x: Tensor, axes: Any, back: bool, what: str) -> Tensor:
    x = array(x, what)
    over = axes_tuple(tuple(range(x.ndim)) if axes is None else axes, x.ndim, what)
    halves = [-(x.shape[a] // 2) if back else x.shape[a] // 2 for a in over]
    return roll(x, tuple(halves), axis=over)


def fftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    """With the frequency 0 in the middle."""
    return _shift(x, axes, False, "fftshift")


def ifftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    """The inverse of fftshift."""
    return _shift(x, axes, True, "ifftshift")
