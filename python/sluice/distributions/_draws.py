"""Draws of the gamma distribution with gradients by its shape."""

from __future__ import annotations

from .. import _ops
from .._core import Tensor
from .._custom_vjp import custom_vjp

__all__: list[str] = []


def _same(alpha: Tensor, drawn: Tensor) -> Tensor:
    return drawn + 0.0


def _forward(
    alpha: Tensor, drawn: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    return _same(alpha, drawn), (alpha, drawn)


def _backward(
    kept: tuple[Tensor, Tensor], g: Tensor
) -> tuple[Tensor, None]:
    """The draw stays at its share P(alpha, x) of the distribution while alpha moves:
    dx = -(dP / dalpha) / density."""
    alpha, drawn = kept
    x = _moving(alpha, drawn)  # which has a gradient by alpha again
    log = _ops.xlogy(alpha - 1, x) - x - _ops.lgamma(alpha)
    return -g * _ops.igamma(alpha, x, order=1) * _ops.exp(-log), None


_moving = custom_vjp(_same)
_moving.defvjp(_forward, _backward)


def gamma_draws(alpha: Tensor) -> Tensor:
    """A positive number for every shape, with the gradient by it."""
    drawn = _ops.random_gamma(_ops.stop_gradient(alpha))
    tiny = {"float64": 2.3e-308, "float16": 6.2e-5}.get(alpha.dtype.name, 1.2e-38)
    made: Tensor = _moving(alpha, _ops.maximum(drawn, tiny))
    return made
