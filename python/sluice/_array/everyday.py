"""Small methods of tensors that programs for PyTorch ask for."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from . import draws, methods, windows
from .generators import drawn

__all__ = ["layout", "sparse_coo", "strided"]


class layout(str):
    """How elements lie in memory: strided, or sparse_coo."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"sluice.{self}"


strided = layout("strided")
sparse_coo = layout("sparse_coo")


def _layout(self: Tensor) -> layout:
    """How the elements lie in memory."""
    return sparse_coo if self.is_sparse else strided


def _is_quantized(self: Tensor) -> bool:
    """False: types of quantized numbers are plain integers here."""
    return False


def nelement(self: Tensor) -> Any:
    """The number of elements."""
    return self.numel()


def ndimension(self: Tensor) -> int:
    """The number of axes."""
    return self.ndim


def get_device(self: Tensor) -> int:
    """The number of the GPU the elements are on, or -1."""
    index = methods._device(self).index
    return -1 if index is None or not self.is_cuda else index


def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether both have one shape."""
    return bool(self.ndim == other.ndim and self.shape == other.shape)


def bernoulli(self: Tensor, p: Any = None, *, generator: Any = None) -> Tensor:
    """1 with the probability an element is, or p, else 0."""
    if p is None:
        return draws.bernoulli(self, generator=generator)
    chances = _ops.add(_ops.zeros_like(_ops.cast(self, _core.float32)), p)
    return _ops.cast(draws.bernoulli(chances, generator=generator), self.dtype)


def multinomial(
    self: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Classes drawn from rows of weights: indices [..., num_samples]."""
    return draws.multinomial(self, num_samples, replacement, generator=generator)


def put_(self: Tensor, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """Elements, counted over all axes, set to those of source, or added."""
    return self.copy_(windows.put(self, index, source, accumulate))


@drawn
def uniform_(
    self: Tensor, low: Any = 0.0, high: Any = 1.0, *, generator: Any = None
) -> Tensor:
    """Overwrites the elements with numbers uniform in [low, high)."""
    return self.copy_(draws.uniform(low, high, self.shape, dtype=self.dtype))


@drawn
def normal_(
    self: Tensor, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None
) -> Tensor:
    """Overwrites the elements with normal numbers."""
    return self.copy_(draws.normal(mean, std, self.shape, dtype=self.dtype))


@drawn
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Overwrites the elements with 1, with probability p, and 0."""
    chances = _ops.broadcast_to(_ops.cast(p, _core.float32), self.shape)
    return self.copy_(_ops.bernoulli(chances))


for _method in (
    bernoulli, bernoulli_, get_device, is_same_size, multinomial, ndimension, nelement,
    normal_, put_, uniform_,
):  # fmt: skip
    setattr(Tensor, _method.__name__, _method)
for _name, _getter in {
    "is_quantized": _is_quantized,
    "layout": _layout,
    "mH": methods._adjoint,
}.items():
    setattr(Tensor, _name, property(_getter))
