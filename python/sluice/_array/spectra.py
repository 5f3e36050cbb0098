"""Spectra of short pieces of a signal, and the signal of such spectra."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import flags, whole
from .complex_parts import view_as_real
from .device import beside
from .shape import as_tensor, matrix_transpose, moveaxis
from .windows import unfold

__all__ = ["istft", "stft"]


def _window(
    like: Tensor, window: Any, n_fft: int, win_length: Any, what: str
) -> Tensor:
    """As long as a piece: given, or ones, in the middle of zeros."""
    length = n_fft if win_length is None else int(win_length)
    if not 0 < length <= n_fft:
        raise ValueError(f"{what}(): win_length is {length}; wanted 1 to n_fft, "
                         f"{n_fft}")  # fmt: skip
    kind = _core.float32
    made = beside(like, _core.full((length,), 1, kind)) if window is None else window
    made = as_tensor(made)
    if made.ndim != 1 or int(made.shape[0]) != length:
        raise ValueError(f"{what}(): window is {list(made.shape)}; wanted [{length}]")
    before = (n_fft - length) // 2
    return _ops.pad(made, [before, n_fft - length - before])


def _hop(hop_length: Any, n_fft: int, what: str) -> int:
    hop = n_fft // 4 if hop_length is None else whole(
        hop_length, f"{what}(): hop_length")  # fmt: skip
    if hop <= 0:
        raise ValueError(f"{what}(): hop_length is {hop}; wanted 1 or more")
    return hop


def stft(
    x: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Any = None, center: bool = True, pad_mode: str = "reflect",
    normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:  # fmt: skip
    """The spectra of pieces of n_fft samples, hop_length apart: [..., bins, pieces].

    center: pieces around places 0, hop, ... of a signal continued at both ends.
    return_complex=False: both parts along a last axis.
    """
    from .. import fft as transforms
    from ..nn.functional import pad

    flags(center=center, normalized=normalized,
          onesided=onesided is not None and onesided,
          return_complex=return_complex is not None and return_complex)  # fmt: skip
    x = as_tensor(x)
    if x.ndim not in (1, 2):
        raise ValueError(f"stft(): x has {x.ndim} axes; wanted a signal, or a batch")
    complex_in = x.dtype.is_complex
    if return_complex is None:
        given = window is not None and as_tensor(window).is_complex()
        if not complex_in and not given:
            raise ValueError(
                "stft(): return_complex is not given; wanted True or False"
            )
        return_complex = True
    one_side = not complex_in if onesided is None else bool(onesided)
    weights = _window(x, window, n_fft, win_length, "stft")
    single = x.ndim == 1
    rows = _ops.expand_dims(x, 0) if single else x
    if center:
        side = n_fft // 2
        rows = pad(_ops.expand_dims(rows, 0), (side, side), pad_mode)[0]
    pieces = _ops.mul(unfold(rows, -1, n_fft, _hop(hop_length, n_fft, "stft")), weights)
    norm = "ortho" if normalized else "backward"
    made = (transforms.rfft if one_side else transforms.fft)(pieces, norm=norm)
    made = matrix_transpose(made)
    made = made[0] if single else made
    return made if return_complex else view_as_real(made)


def istft(
    x: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Any = None, center: bool = True, normalized: bool = False,
    onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal of spectra that stft gave, by adding pieces up."""
    from .. import fft as transforms

    flags(center=center, normalized=normalized, return_complex=return_complex,
          onesided=onesided is not None and onesided)  # fmt: skip
    x = as_tensor(x)
    if not x.dtype.is_complex or x.ndim not in (2, 3):
        raise ValueError(f"istft(): x is {x.dtype.name} of {list(x.shape)}; wanted "
                         "complex numbers [bins, pieces], or a batch")  # fmt: skip
    single = x.ndim == 2
    rows = _ops.expand_dims(x, 0) if single else x
    one_side = int(rows.shape[1]) != n_fft if onesided is None else bool(onesided)
    weights = _window(x, window, n_fft, win_length, "istft")
    hop = _hop(hop_length, n_fft, "istft")
    norm = "ortho" if normalized else "backward"
    turned = moveaxis(rows, 1, 2)
    if return_complex and not one_side:
        pieces = transforms.ifft(turned, norm=norm)
    else:  # of a real signal, the first half of all bins says it
        pieces = transforms.irfft(turned[..., : n_fft // 2 + 1], n_fft, norm=norm)
    count = int(rows.shape[2])
    total = n_fft + hop * (count - 1)
    places = _ops.add(_ops.expand_dims(_ops.mul(_ops.range(0, count, 1), hop), 1),
                      _ops.range(0, n_fft, 1))  # fmt: skip
    places = _ops.reshape(beside(x, places), (-1,))

    def added(parts: Tensor) -> Tensor:
        flat = _ops.reshape(parts, (parts.shape[0], -1))
        line = beside(x, _core.full((parts.shape[0], total), 0, parts.dtype))
        return _ops.index_add(line, places, flat, axis=1)

    signal = added(_ops.mul(pieces, weights))
    shares = _ops.broadcast_to(_ops.square(weights), (1, count, n_fft))
    weight = added(shares)
    first = n_fft // 2 if center else 0
    last = total - (n_fft // 2 if center else 0)
    last = last if length is None else min(first + length, total)
    signal, weight = signal[:, first:last], weight[:, first:last]
    if not weight.symbolic and bool(_ops.any_of(_ops.less(_ops.abs(weight), 1e-11))):
        raise ValueError("istft(): the windows add up to 0 somewhere; wanted windows "
                         "that overlap")  # fmt: skip
    made = _ops.div(signal, weight)
    if length is not None and length > last - first:
        made = _ops.pad(made, [0, 0, 0, length - (last - first)])
    return made[0] if single else made
