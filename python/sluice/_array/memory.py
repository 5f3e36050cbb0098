"""Elements shared with numpy and other libraries, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Tensor

if TYPE_CHECKING:
    import numpy

__all__: list[str] = []


def numpy_array(self: Tensor, *, force: bool = False) -> numpy.ndarray:
    """The elements as a numpy array that shares them: writes show on both sides.

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


Tensor.numpy = numpy_array
Tensor.__array__ = array_protocol
# np_array * tensor is the tensor's business.
Tensor.__array_ufunc__ = None
Tensor.__array_priority__ = 1000
