"""Elements shared with numpy and other libraries, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core, _ops
from .._core import Tensor
from .device import placed

if TYPE_CHECKING:
    import numpy

__all__ = ["as_tensor", "asarray", "from_dlpack", "from_numpy", "frombuffer"]

from_dlpack = _core.from_dlpack


@placed
def asarray(
    data: Any,
    dtype: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """data as a tensor, sharing its elements where it can.

    Tensors are returned as they are. Arrays of numpy, PyTorch, JAX and others are
    shared, not copied: writes show on both sides. copy=True copies always,
    copy=False raises ValueError where that would be needed.
    """
    # A number that a captured function computes is none of its tensors.
    if copy or (isinstance(data, Tensor) and data._number):
        return _core.tensor(data, dtype, requires_grad)
    made = data if isinstance(data, Tensor) else _core.shared_tensor(data)
    if made is None or (dtype is not None and made.dtype != dtype):
        if copy is False:
            raise ValueError("asarray(): data cannot be shared, and copy is False")
        source = data if made is None else made
        if isinstance(source, Tensor):
            made = _ops.cast(source, dtype)
        else:
            made = _core.tensor(source, dtype)
    if requires_grad and not made.requires_grad:
        made = made.detach().requires_grad_()
    return made


as_tensor = asarray


def from_numpy(array: Any) -> Tensor:
    """A tensor over the elements of a numpy array: writes show on both sides.

    Of an array that may not be written, the tensor may not be either.
    """
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"from_numpy(): got a {type(array).__name__}; wanted a numpy array"
        )
    return _core.shared_tensor(array)


def frombuffer(
    buffer: Any, dtype: Any = "uint8", count: int = -1, offset: int = 0
) -> Tensor:
    """A tensor over the bytes of a buffer: bytes, bytearray, mmap, memoryview."""
    import numpy as np

    kind = _core.find_dtype(dtype)
    name = bfloat16_type() if kind == _core.bfloat16 else kind.name
    return from_numpy(np.frombuffer(buffer, name, count, offset))



def numpy_array(self: Tensor, *, force: bool = False) -> numpy.ndarray:
    """The elements as a numpy array that shares them: writes show on both sides.

    Of a tensor on a device it is a copy, which cannot be written.
    Refused for tensors that require gradients, which would not know of such
    writes: wanted t.detach().numpy(), or force=True, which does that.
    """
    import numpy as np

    if self.dtype == _core.string:
        return np.array(self.tolist(), dtype=object).reshape(self.shape)
    made = np.asarray(self._elements(force))
    if self.dtype == _core.bfloat16:
        made = made.view(bfloat16_type())
    return made


def bfloat16_type() -> Any:
    """numpy's bfloat16, which the package ml_dtypes has."""
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            "numpy has no bfloat16 of its own; wanted the package ml_dtypes "
            "installed, or t.float().numpy()"
        ) from None
    return ml_dtypes.bfloat16


def array_protocol(self: Tensor, dtype: Any = None, copy: Any = None) -> numpy.ndarray:
    """For np.asarray(t)."""
    import numpy as np

    made = numpy_array(self)
    if dtype is not None and made.dtype != dtype:
        if copy is False:
            raise ValueError("another type needs a copy, and copy=False was asked for")
        return made.astype(dtype)
    return np.array(made) if copy else made


def _as_numpy(value: Any) -> Any:
    if isinstance(value, Tensor):
        return numpy_array(value)
    if type(value) in (tuple, list):
        return type(value)(_as_numpy(v) for v in value)
    return value


def array_ufunc(
    self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    """For np.sin(t), array * t: ours of that name, which gives a tensor.

    What we have no function for is numpy's to compute, on the same elements.
    """
    if method == "__call__" and not kwargs:
        import sluice

        ours = getattr(sluice, ufunc.__name__, None)
        if callable(ours):
            return ours(*inputs)
    named = {name: _as_numpy(value) for name, value in kwargs.items()}
    return getattr(ufunc, method)(*map(_as_numpy, inputs), **named)


def array_function(
    self: Tensor, function: Any, types: Any, args: Any, kwargs: Any
) -> Any:
    """For np.mean(t) and other functions of numpy: on the same elements."""
    named = {name: _as_numpy(value) for name, value in kwargs.items()}
    return function(*map(_as_numpy, args), **named)


setattr(Tensor, "numpy", numpy_array)
setattr(Tensor, "__array__", array_protocol)
# np_array * tensor is the tensor's business.
setattr(Tensor, "__array_ufunc__", array_ufunc)
setattr(Tensor, "__array_function__", array_function)
setattr(Tensor, "__array_priority__", 1000)
