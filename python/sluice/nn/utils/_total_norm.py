"""The norm of several tensors together, and gradients held to one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..._array.shape import as_tensor, ravel, stack
from ..._array.spread import norm
from ..._autograd import no_grad
from ..._core import Tensor
from .._value_checks import want_all

__all__ = ["clip_grads_with_norm_", "get_total_norm"]


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all elements of all tensors together."""
    parts = _listed(tensors)
    if not parts:
        return as_tensor(0.0)
    kind = float(norm_type)
    total = norm(stack([norm(ravel(t), kind) for t in parts]), kind)
    if error_if_nonfinite:
        want_all(
            total.isfinite(),
            f"the norm of order {kind} of the tensors is not finite",
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Any,
    foreach: bool | None = None,
) -> None:
    """Scale gradients as if their norm together were total_norm, to max_norm."""
    factor = (float(max_norm) / (as_tensor(total_norm) + 1e-6)).clamp(max=1.0)
    with no_grad():
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.mul_(factor.to(p.grad.dtype))
