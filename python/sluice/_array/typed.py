"""PyTorch's older names: tensors made by type, windows, small functions at the top."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor, tensor
from . import shape
from .axes import flag
from .create import check_held
from .device import device_like
from .draws import randint
from .generators import drawn
from .shape import as_tensor, own_copy

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "bartlett_window",
    "blackman_window",
    "clone",
    "detach",
    "hamming_window",
    "hann_window",
    "is_nonzero",
    "kaiser_window",
    "poisson",
    "select",
]

select = shape.select


def _made(dtype: Any, given: tuple[Any, ...]) -> Tensor:
    """Of data, or zeros of sizes."""
    if all(type(size) is int for size in given):
        return _core.full(given or (0,), 0, dtype)
    return tensor(*given, dtype=dtype)


def FloatTensor(*data: Any) -> Tensor:
    """A tensor of float32, of data or of zeros: FloatTensor([1, 2]), (2, 3)."""
    return _made(_core.float32, data)


def DoubleTensor(*data: Any) -> Tensor:
    """A tensor of float64, of data or of zeros."""
    return _made(_core.float64, data)


def HalfTensor(*data: Any) -> Tensor:
    """A tensor of float16, of data or of zeros."""
    return _made(_core.float16, data)


def BFloat16Tensor(*data: Any) -> Tensor:
    """A tensor of bfloat16, of data or of zeros."""
    return _made(_core.bfloat16, data)


def LongTensor(*data: Any) -> Tensor:
    """A tensor of int64, of data or of zeros."""
    return _made(_core.int64, data)


def IntTensor(*data: Any) -> Tensor:
    """A tensor of int32, of data or of zeros."""
    return _made(_core.int32, data)


def ShortTensor(*data: Any) -> Tensor:
    """A tensor of int16, of data or of zeros."""
    return _made(_core.int16, data)


def CharTensor(*data: Any) -> Tensor:
    """A tensor of int8, of data or of zeros."""
    return _made(_core.int8, data)


def ByteTensor(*data: Any) -> Tensor:
    """A tensor of uint8, of data or of zeros."""
    return _made(_core.uint8, data)


def BoolTensor(*data: Any) -> Tensor:
    """A tensor of bools, of data or of False."""
    return _made(_core.bool, data)


def clone(x: Tensor) -> Tensor:
    """A tensor of its own with the same elements; gradients flow through."""
    return own_copy(as_tensor(x))


def detach(x: Tensor) -> Tensor:
    """The same elements, cut off from what computed them."""
    return x.detach()


def is_nonzero(x: Tensor) -> bool:
    """Whether the one element is not 0."""
    x = as_tensor(x)
    if x.numel() != 1:
        raise ValueError(f"is_nonzero(): {x.numel()} elements; wanted one")
    return bool(x)


@drawn
def poisson(x: Any, *, generator: Any = None) -> Tensor:
    """How many events come to pass, for every mean in x."""
    x = as_tensor(x)
    return _ops.random_poisson(x)


def _window(name: str, length: int, periodic: bool, how: dict[str, Any]) -> Tensor:
    from ..signal import windows

    whole = not flag(periodic, "periodic")
    made: Tensor = getattr(windows, name)(length, sym=whole, **how)
    return made


def hann_window(window_length: int, periodic: bool = True, **how: Any) -> Tensor:
    """(1 - cos(t)) / 2, by default one period of it; dtype=, device= as elsewhere."""
    return _window("hann", window_length, periodic, how)


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46,
    **how: Any,
) -> Tensor:  # fmt: skip
    """alpha - beta cos(t), by default one period of it."""
    weights = {"a": [alpha, beta]} | how
    return _window("general_cosine", window_length, periodic, weights)


def blackman_window(window_length: int, periodic: bool = True, **how: Any) -> Tensor:
    """0.42 - 0.5 cos(t) + 0.08 cos(2 t), by default one period of it."""
    return _window("blackman", window_length, periodic, how)


def bartlett_window(window_length: int, periodic: bool = True, **how: Any) -> Tensor:
    """A triangle from 0 to 1 and back, by default one period of it."""
    return _window("bartlett", window_length, periodic, how)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **how: Any
) -> Tensor:
    """i0(beta sqrt(1 - t^2)) / i0(beta), by default one period of it."""
    return _window("kaiser", window_length, periodic, {"beta": beta} | how)


@drawn
def random_(
    self: Tensor, first: Any = None, to: Any = None, *, generator: Any = None
) -> Tensor:
    """Overwrites the elements with whole numbers: random_(10), random_(5, 10).

    Without an end: all that the type holds from 0 on, and exactly.
    """
    low, high = (0, first) if to is None else (first, to)
    if high is None:
        whole = {"float32": 24, "float64": 53, "float16": 11, "bfloat16": 8}
        bits = whole.get(self.dtype.name)
        high = 2**bits + 1 if bits else 2 ** min(8 * self.dtype.itemsize - 1, 62)
        high = 2 if self.dtype == _core.bool else high
    elif self.dtype != _core.bool and not self.dtype.is_floating_point:
        check_held(range(int(low), int(high)), self.dtype, "random_")
    drawn_numbers = randint(int(low), int(high), self.shape,
                            device=device_like(self, None))  # fmt: skip
    return self.copy_(_ops.cast(drawn_numbers, self.dtype))


def inverse(self: Tensor) -> Tensor:
    """The inverses of square matrices."""
    return _ops.inverse(self)


def pin_memory(self: Tensor) -> Tensor:
    """This tensor: copies to a GPU take it from where it is."""
    return self


for _method in (inverse, is_nonzero, pin_memory, random_):
    setattr(Tensor, _method.__name__, _method)
