"""Functions as methods of Tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .device import CPU, Device

__all__: list[str] = []

# Functions of one tensor and more that need nothing else.
_PLAIN = """
abs acos acosh add all_of any_of argmax argmin asin asinh atan atan2 atanh
bitwise_and bitwise_not bitwise_or bitwise_xor ceil cholesky cos cosh cumprod cumsum
det digamma dot equal erf erfc exp exp2 expm1 floor fmod greater greater_equal
hypot isfinite isinf isnan less less_equal lerp lgamma log log10 log1p log2
log_softmax logical_and logical_not logical_or logical_xor masked_select matmul
maximum mean minimum mod mul neg not_equal outer pow reciprocal relu
round rsqrt sigmoid sign sin sinh softmax sqrt square sub tan tanh tile
trace tril triu trunc xlogy
sum prod
""".split()

for _name in _PLAIN:
    setattr(Tensor, _name, _core.method(getattr(_ops, _name)))


def _device(self: Tensor) -> Device:
    """Where the elements are."""
    return CPU


def _size(self: Tensor, dim: int | None = None) -> Any:
    """The number of elements."""
    return self.numel()


def _iter(self: Tensor) -> Iterator[Tensor]:
    return map(self.__getitem__, range(len(self)))


def _contains(self: Tensor, value: Any) -> bool:
    return bool(_ops.any_of(self == value))


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """The same elements under another shape; one size may be -1."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list, Tensor)):
        shape = shape[0]
    return _ops.reshape(self, shape)


Tensor.device = property(_device)
Tensor.size = property(_size)
Tensor.__iter__ = _iter
Tensor.__contains__ = _contains
Tensor.reshape = reshape
