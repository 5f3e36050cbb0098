"""Special functions, by the names of torch.special and scipy."""

from __future__ import annotations

import math
from typing import Any

from . import _core, _ops
from ._array import bessel as _bessel, orthogonal as _orthogonal
from ._array.bessel import *  # noqa: F403
from ._array.error_functions import (
    erfinv,
    floats,
    inverse_erfc,
    mvlgamma,
    with_gradient,
)
from ._array.orthogonal import *  # noqa: F403
from ._array.layers import log_softmax, softmax
from ._array.math import polygamma, round
from ._array.reduce import logsumexp
from ._array.scalars import logit, sinc
from ._array.shape import as_tensor
from ._core import Tensor

__all__ = [
    "airy_ai",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
]

__all__ += _bessel.__all__
__all__ += _orthogonal.__all__

airy_ai = _ops.airy_ai
digamma = psi = _ops.digamma
erf = _ops.erf
erfc = _ops.erfc
exp2 = _ops.exp2
expit = _ops.sigmoid
expm1 = _ops.expm1
gammainc = _ops.igamma
gammaincc = _ops.igammac
gammaln = _ops.lgamma
log1p = _ops.log1p
multigammaln = mvlgamma
xlogy = _ops.xlogy


def entr(x: Any) -> Tensor:
    """-x log(x), elementwise: 0 at 0, -inf below."""
    x = floats(x, "entr")
    return _ops.where(_ops.less(x, 0), -math.inf, _ops.neg(_ops.xlogy(x, x)))


def xlog1py(x: Any, other: Any) -> Tensor:
    """x log(1 + other), and 0 where x is 0 and other is not NaN."""
    x, y = as_tensor(x), as_tensor(other)
    made = _ops.mul(x, _ops.log1p(floats(y, "xlog1py")))
    if x.dtype.is_floating_point and not y.dtype.is_floating_point:
        made = _ops.mul(x, _ops.log1p(_ops.cast(y, x.dtype)))
    zero = _ops.logical_and(
        _ops.equal(x, 0), _ops.logical_not(_ops.isnan(_ops.cast(y, made.dtype)))
    )
    return _ops.where(zero, _ops.zeros_like(made), made)


def ndtr(x: Any) -> Tensor:
    """The chance that a normal number is below x."""
    x = floats(x, "ndtr")
    return _ops.mul(_ops.erfc(_ops.mul(x, -math.sqrt(0.5))), 0.5)


def _ndtri_values(p: Tensor) -> Tensor:
    wide = _ops.cast(p, _core.float64)
    low = _ops.less_equal(wide, 0.5)
    tail = _ops.mul(_ops.where(low, wide, _ops.sub(1.0, wide)), 2.0)
    size = _ops.mul(inverse_erfc(tail, _ops.sub(1.0, tail)), math.sqrt(2))
    size = _ops.where(_ops.equal(tail, 0.0), math.inf, size)
    size = _ops.where(_ops.greater_equal(tail, 0.0), size, math.nan)
    return _ops.cast(_ops.where(low, _ops.neg(size), size), p.dtype)


def _ndtri_slope(p: Tensor, y: Tensor) -> Tensor:
    return _ops.mul(_ops.exp(_ops.mul(_ops.square(y), 0.5)), math.sqrt(2 * math.pi))


def ndtri(p: Any) -> Tensor:
    """The x that normal numbers are below with chance p: the inverse of ndtr."""
    made: Tensor = with_gradient(_ndtri_values, _ndtri_slope)(floats(p, "ndtri"))
    return made


_FAR = 20.0  # from here on a few terms of erfcx's series for large x are exact


def _tail(x: Tensor) -> Tensor:
    """x sqrt(pi) erfcx(x) for large x: 1 - 1 / (2 x^2) + 1 * 3 / (2 x^2)^2 - ..."""
    x = _ops.maximum(x, _FAR)
    step = _ops.div(-0.5, _ops.square(x))
    made = _ops.ones_like(x)
    for odd in (9.0, 7.0, 5.0, 3.0, 1.0):
        made = _ops.add(_ops.mul(_ops.mul(made, step), odd), 1.0)
    return made


def _erfcx_values(x: Tensor) -> Tensor:
    wide = _ops.cast(x, _core.float64)
    near = _ops.minimum(wide, _FAR)
    near = _ops.mul(_ops.exp(_ops.square(near)), _ops.erfc(near))
    far = _ops.div(_tail(wide), _ops.mul(wide, math.sqrt(math.pi)))
    return _ops.cast(_ops.where(_ops.greater(wide, _FAR), far, near), x.dtype)


def _erfcx_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.sub(_ops.mul(_ops.mul(x, y), 2.0), 2 / math.sqrt(math.pi))


def erfcx(x: Any) -> Tensor:
    """exp(x^2) erfc(x), which is neither too large nor too small for large x."""
    made: Tensor = with_gradient(_erfcx_values, _erfcx_slope)(floats(x, "erfcx"))
    return made


def _log_ndtr_values(x: Tensor) -> Tensor:
    wide = _ops.mul(_ops.cast(x, _core.float64), -math.sqrt(0.5))
    half = _ops.mul(_ops.erfc(_ops.minimum(wide, _FAR)), 0.5)
    other = _ops.mul(_ops.erfc(_ops.abs(wide)), 0.5)
    near = _ops.where(_ops.less(wide, 0.0), _ops.log1p(_ops.neg(other)), _ops.log(half))
    scale = _ops.mul(_ops.maximum(wide, _FAR), 2 * math.sqrt(math.pi))
    far = _ops.sub(_ops.log(_ops.div(_tail(wide), scale)), _ops.square(wide))
    return _ops.cast(_ops.where(_ops.greater(wide, _FAR), far, near), x.dtype)


def _log_ndtr_slope(x: Tensor, y: Tensor) -> Tensor:
    return _ops.div(math.sqrt(2 / math.pi), erfcx(_ops.mul(x, -math.sqrt(0.5))))


def log_ndtr(x: Any) -> Tensor:
    """log(ndtr(x)), exact far below 0, too."""
    made: Tensor = with_gradient(_log_ndtr_values, _log_ndtr_slope)(
        floats(x, "log_ndtr")
    )
    return made
