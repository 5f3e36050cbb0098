"""Fourier transforms by numpy's names: sluice.fft with axis for dim."""

from __future__ import annotations

from typing import Any, Callable

from .. import fft as _fft
from ..fft import fftfreq as fftfreq, rfftfreq as rfftfreq
from ._arguments import no_out

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _named(of: Callable[..., Any]) -> Callable[..., Any]:
    def along(
        a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: None = None
    ) -> Any:
        no_out(out, of.__name__)
        return of(a, n, axis, norm)

    along.__name__, along.__doc__ = of.__name__, of.__doc__
    return along


def _over(of: Callable[..., Any], last: Any) -> Callable[..., Any]:
    def over(
        a: Any, s: Any = None, axes: Any = last, norm: Any = None, out: None = None
    ) -> Any:
        no_out(out, of.__name__)
        return of(a, s, axes, norm)

    over.__name__, over.__doc__ = of.__name__, of.__doc__
    return over


def _moved(of: Callable[..., Any]) -> Callable[..., Any]:
    def moved(x: Any, axes: Any = None) -> Any:
        return of(x, axes)

    moved.__name__, moved.__doc__ = of.__name__, of.__doc__
    return moved


fft, ifft, rfft = _named(_fft.fft), _named(_fft.ifft), _named(_fft.rfft)
irfft, hfft, ihfft = _named(_fft.irfft), _named(_fft.hfft), _named(_fft.ihfft)
fft2, ifft2 = _over(_fft.fft2, (-2, -1)), _over(_fft.ifft2, (-2, -1))
rfft2, irfft2 = _over(_fft.rfft2, (-2, -1)), _over(_fft.irfft2, (-2, -1))
fftn, ifftn = _over(_fft.fftn, None), _over(_fft.ifftn, None)
rfftn, irfftn = _over(_fft.rfftn, None), _over(_fft.irfftn, None)
fftshift, ifftshift = _moved(_fft.fftshift), _moved(_fft.ifftshift)
