"""Small methods of tensors that programs for PyTorch ask for."""

from __future__ import annotations

import math
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


def _chances(self: Tensor) -> Tensor:
    """Numbers uniform in (0, 1] of the type that the elements are computed in."""
    wide = _core.float64 if self.dtype == _core.float64 else _core.float32
    return _ops.sub(1.0, draws.rand(self.shape, dtype=wide))


def _want_floats(self: Tensor, what: str, name: str, value: Any, least: float) -> None:
    if not self.dtype.is_floating_point:
        raise TypeError(f"{what}(): {self.dtype.name}; wanted a tensor of floats")
    if not value > least:
        raise ValueError(f"{what}(): {name} is {value}; wanted it above {least:g}")


@drawn
def exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Overwrites the elements with waiting times of a rate."""
    _want_floats(self, "exponential_", "lambd", lambd, 0.0)
    return self.copy_(_ops.div(_ops.neg(_ops.log(_chances(self))), lambd))


@drawn
def cauchy_(
    self: Tensor, median: float = 0, sigma: float = 1, *, generator: Any = None
) -> Tensor:
    """Overwrites the elements with numbers of Cauchy's distribution."""
    _want_floats(self, "cauchy_", "sigma", sigma, 0.0)
    turned = _ops.tan(_ops.mul(_ops.sub(_chances(self), 0.5), math.pi))
    return self.copy_(_ops.add(_ops.mul(turned, sigma), median))


@drawn
def log_normal_(
    self: Tensor, mean: float = 1, std: float = 2, *, generator: Any = None
) -> Tensor:
    """Overwrites the elements with numbers whose logarithms are normal."""
    _want_floats(self, "log_normal_", "std", std, 0.0)
    wide = _core.float64 if self.dtype == _core.float64 else _core.float32
    return self.copy_(_ops.exp(draws.normal(mean, std, self.shape, dtype=wide)))


@drawn
def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Overwrites the elements with how many tries of chance p it takes to succeed."""
    if not 0 < p < 1:
        raise ValueError(f"geometric_(): p is {p}; wanted it between 0 and 1")
    tries = _ops.ceil(_ops.div(_ops.log(_chances(self)), math.log1p(-p)))
    return self.copy_(_ops.cast(_ops.maximum(tries, 1.0), self.dtype))


_bytes: Any = Tensor.__dict__["nbytes"]


def _nbytes(self: Tensor) -> Any:
    """Bytes of all elements."""
    found = _bytes.__get__(self)
    if found is None and _core.recorder() is not None:
        found = self.numel() * self.itemsize  # of sizes that calls decide
    return found


for _method in (
    cauchy_, exponential_, geometric_, log_normal_,
    bernoulli, bernoulli_, get_device, is_same_size, multinomial, ndimension, nelement,
    normal_, put_, uniform_,
):  # fmt: skip
    setattr(Tensor, _method.__name__, _method)
for _name, _getter in {
    "is_quantized": _is_quantized,
    "layout": _layout,
    "mH": methods._adjoint,
    "nbytes": _nbytes,
}.items():
    setattr(Tensor, _name, property(_getter))
