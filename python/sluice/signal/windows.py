"""Windows that weigh the samples of a signal, by PyTorch's names and arguments.

sym=True: as long on both sides of the middle; False: one period of a wave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .. import _core, _ops
from .._array.axes import flag
from .._array.device import placed
from .._core import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _places(M: int, what: str) -> Tensor:
    """0, 1, ... of M samples, in float64."""
    if M < 0:
        raise ValueError(f"{what}(): M is {M}; wanted 0 or more")
    return _ops.cast(_ops.range(0, M, 1), _core.float64)


def _span(M: int, sym: bool) -> int:
    """From the first sample to the last, or to the one after it."""
    return max(M - 1 if sym else M, 1)


def _finished(window: Tensor, dtype: Any, requires_grad: bool, what: str) -> Tensor:
    kind = _core.default_float() if dtype is None else _core.find_dtype(dtype)
    if not kind.is_floating_point:
        raise TypeError(f"{what}(): dtype is {kind.name}; wanted real floats")
    # One sample alone weighs all.
    made = _ops.cast(_ops.ones_like(window) if window.shape[0] == 1 else window, kind)
    return made.requires_grad_() if flag(requires_grad, "requires_grad") else made


@placed
def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """a0 - a1 cos(t) + a2 cos(2 t) - ..., t from 0 to 2 pi."""
    weights = list(a)
    if not weights:
        raise ValueError("general_cosine(): a is empty; wanted weights")
    places = _places(M, "general_cosine")
    turn = _ops.mul(places, 2 * math.pi / _span(M, sym))
    window = _ops.zeros_like(places)
    for i, weight in enumerate(weights):
        wave = _ops.cos(_ops.mul(turn, float(i)))
        window = _ops.add(window, _ops.mul(wave, (-1) ** i * weight))
    return _finished(window, dtype, requires_grad, "general_cosine")


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any
) -> Tensor:
    """alpha - (1 - alpha) cos(t), t from 0 to 2 pi."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """0.54 - 0.46 cos(t), t from 0 to 2 pi."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """(1 - cos(t)) / 2, t from 0 to 2 pi."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """0.42 - 0.5 cos(t) + 0.08 cos(2 t), t from 0 to 2 pi."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Nuttall's sum of four cosines, which falls off fast."""
    weights = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return general_cosine(M, a=weights, sym=sym, **options)


@placed
def cosine(
    M: int, *, sym: bool = True, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Half a wave: sin(pi (n + 1/2) / M)."""
    places = _places(M, "cosine")
    step = math.pi / (M if sym else M + 1) if M else 1.0
    window = _ops.sin(_ops.mul(_ops.add(places, 0.5), step))
    return _finished(window, dtype, requires_grad, "cosine")


@placed
def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True,
    dtype: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-|n - center| / tau)."""
    if not tau > 0:
        raise ValueError(f"exponential(): tau is {tau}; wanted it above 0")
    if sym and center is not None:
        raise ValueError("exponential(): center with sym=True; wanted one of them")
    places = _places(M, "exponential")
    middle = (M - 1 if sym else M) / 2 if center is None else center
    apart = _ops.abs(_ops.sub(places, float(middle)))
    window = _ops.exp(_ops.mul(apart, -1 / tau))
    return _finished(window, dtype, requires_grad, "exponential")


@placed
def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-(n - middle)^2 / (2 std^2))."""
    if not std > 0:
        raise ValueError(f"gaussian(): std is {std}; wanted it above 0")
    places = _places(M, "gaussian")
    apart = _ops.sub(places, (M - 1 if sym else M) / 2)
    window = _ops.exp(_ops.mul(_ops.square(apart), -0.5 / std**2))
    return _finished(window, dtype, requires_grad, "gaussian")


@placed
def bartlett(
    M: int, *, sym: bool = True, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A triangle from 0 to 1 and back."""
    places = _places(M, "bartlett")
    rise = _ops.sub(_ops.mul(places, 2.0 / _span(M, sym)), 1.0)
    window = _ops.sub(1.0, _ops.abs(rise))
    return _finished(window, dtype, requires_grad, "bartlett")


@placed
def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """i0(beta sqrt(1 - t^2)) / i0(beta), t from -1 to 1."""
    from ..special import i0

    if beta < 0:
        raise ValueError(f"kaiser(): beta is {beta}; wanted 0 or more")
    places = _places(M, "kaiser")
    t = _ops.sub(_ops.mul(places, 2.0 / _span(M, sym)), 1.0)
    inside = _ops.maximum(_ops.sub(1.0, _ops.square(t)), 0.0)
    whole = i0(_core.full((), float(beta), _core.float64))
    window = _ops.div(i0(_ops.mul(_ops.sqrt(inside), float(beta))), whole)
    return _finished(window, dtype, requires_grad, "kaiser")
