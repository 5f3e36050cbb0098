"""Fourier transforms with PyTorch's names and arguments.

Of float32 and complex64; integers are taken as float32. float64 is refused: the result
would be complex128, which Sluice does not have. `sluice.array_api.fft` has the array
standard's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _core, _ops
from ._array.axes import axes_tuple
from ._array.shape import as_tensor
from ._core import Tensor
from .array_api import fft as _standard

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

Plan = list[tuple[int, "int | None"]]
One = Callable[..., Tensor]


def _numbers(x: Any) -> Tensor:
    x = as_tensor(x)
    whole = not (x.dtype.is_floating_point or x.dtype.is_complex)
    return _ops.cast(x, _core.float32) if whole else x


def _along(
    f: One, x: Any, n: int | None, dim: int, norm: str | None
) -> Tensor:
    return f(_numbers(x), n=n, axis=dim, norm=norm or "backward")


def _plan(x: Tensor, s: Any, dim: Any, what: str) -> Plan:
    """Axes and how many points along each; -1 and None: as many as there are."""
    sizes = None if s is None else [s] if isinstance(s, int) else list(s)
    if dim is None:
        axes = range(x.ndim) if sizes is None else range(x.ndim - len(sizes), x.ndim)
        dim = tuple(axes)
    over = axes_tuple(dim if isinstance(dim, int) else tuple(dim), x.ndim, what)
    if sizes is None:
        return [(a, None) for a in over]
    if len(sizes) != len(over):
        raise ValueError(f"{what}(): {len(sizes)} sizes for {len(over)} axes")
    return [(a, None if n in (-1, None) else n) for a, n in zip(over, sizes)]


def _over(
    x: Any, s: Any, dim: Any, norm: str | None, others: One, last: One, first: bool,
    what: str,
) -> Tensor:  # fmt: skip
    """`last` along the last axis named, before or after `others` along the rest."""
    x = _numbers(x)
    plan = _plan(x, s, dim, what)
    if not plan:
        if last is not others:
            raise ValueError(f"{what}(): no axes; wanted one or more")
        return x if x.dtype.is_complex else _ops.cast(x, _core.complex64)
    steps = [(others, a, n) for a, n in plan[:-1]]
    steps.insert(0 if first else len(steps), (last, *plan[-1]))
    for f, axis, n in steps:
        x = f(x, n=n, axis=axis, norm=norm or "backward")
    return x


def fft(x: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The transform along an axis, cut or filled up with zeros to n points."""
    return _along(_standard.fft, x, n, dim, norm)


def ifft(
    x: Any, n: int | None = None, dim: int = -1, norm: str | None = None
) -> Tensor:
    """The inverse of fft."""
    return _along(_standard.ifft, x, n, dim, norm)


def rfft(
    x: Any, n: int | None = None, dim: int = -1, norm: str | None = None
) -> Tensor:
    """The transform of real numbers: n // 2 + 1 points, the rest mirrors them."""
    return _along(_standard.rfft, x, n, dim, norm)


def irfft(
    x: Any, n: int | None = None, dim: int = -1, norm: str | None = None
) -> Tensor:
    """The inverse of rfft: n real numbers, by default an even count."""
    return _along(_standard.irfft, x, n, dim, norm)


def hfft(
    x: Any, n: int | None = None, dim: int = -1, norm: str | None = None
) -> Tensor:
    """The transform, real, of numbers of which the second half mirrors the first."""
    return _along(_standard.hfft, x, n, dim, norm)


def ihfft(
    x: Any, n: int | None = None, dim: int = -1, norm: str | None = None
) -> Tensor:
    """The inverse of hfft."""
    return _along(_standard.ihfft, x, n, dim, norm)


def fftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The transform along several axes, by default all."""
    return _over(x, s, dim, norm, _standard.fft, _standard.fft, True, "fftn")


def ifftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of fftn."""
    return _over(x, s, dim, norm, _standard.ifft, _standard.ifft, True, "ifftn")


def rfftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The transform of real numbers along several axes; the last one is halved."""
    return _over(x, s, dim, norm, _standard.fft, _standard.rfft, True, "rfftn")


def irfftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of rfftn."""
    return _over(x, s, dim, norm, _standard.ifft, _standard.irfft, False, "irfftn")


def hfftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """hfft along the last of several axes, fft along the others."""
    return _over(x, s, dim, norm, _standard.fft, _standard.hfft, False, "hfftn")


def ihfftn(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of hfftn."""
    return _over(x, s, dim, norm, _standard.ifft, _standard.ihfft, True, "ihfftn")


_LAST_TWO = (-2, -1)


def fft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """fftn along two axes."""
    return fftn(x, s, dim, norm)


def ifft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """ifftn along two axes."""
    return ifftn(x, s, dim, norm)


def rfft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """rfftn along two axes."""
    return rfftn(x, s, dim, norm)


def irfft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """irfftn along two axes."""
    return irfftn(x, s, dim, norm)


def hfft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """hfftn along two axes."""
    return hfftn(x, s, dim, norm)


def ihfft2(
    x: Any, s: Any = None, dim: Sequence[int] = _LAST_TWO, norm: str | None = None
) -> Tensor:
    """ihfftn along two axes."""
    return ihfftn(x, s, dim, norm)


def fftshift(x: Any, dim: Any = None) -> Tensor:
    """With the frequency 0 in the middle."""
    return _standard.fftshift(as_tensor(x), axes=dim)


def ifftshift(x: Any, dim: Any = None) -> Tensor:
    """The inverse of fftshift."""
    return _standard.ifftshift(as_tensor(x), axes=dim)


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of fft's points, for samples at distance d."""
    return _standard.fftfreq(n, d=d, dtype=dtype, device=device)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """The frequencies of rfft's points, for samples at distance d."""
    return _standard.rfftfreq(n, d=d, dtype=dtype, device=device)
