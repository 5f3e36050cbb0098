"""Layers as functions at the top of the package, with PyTorch's arguments.

The ops of these names (sluice._ops) have others: conv2d(x, w, None, 2) would say
something else by place.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, one_of
from .reduce import as_floats
from .shape import as_tensor

__all__ = [
    "avg_pool1d",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "dropout",
    "group_norm",
    "index_add",
    "index_copy",
    "layer_norm",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "rms_norm",
    "softmax",
]


def _of_functional(name: str) -> Any:
    """The function of nn.functional, which is loaded when one is first called."""

    def function(*args: Any, **kwargs: Any) -> Tensor:
        from ..nn import functional

        return getattr(functional, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"nn.functional.{name}, by PyTorch's shorter name."
    return function


avg_pool1d = _of_functional("avg_pool1d")
conv1d = _of_functional("conv1d")
conv2d = _of_functional("conv2d")
conv3d = _of_functional("conv3d")
conv_transpose1d = _of_functional("conv_transpose1d")
conv_transpose2d = _of_functional("conv_transpose2d")
conv_transpose3d = _of_functional("conv_transpose3d")
cosine_similarity = _of_functional("cosine_similarity")
group_norm = _of_functional("group_norm")
layer_norm = _of_functional("layer_norm")
max_pool1d = _of_functional("max_pool1d")
max_pool2d = _of_functional("max_pool2d")
max_pool3d = _of_functional("max_pool3d")
rms_norm = _of_functional("rms_norm")


def dropout(input: Any, p: float, train: bool) -> Tensor:
    """In training a share p of the elements set to 0, the rest divided by 1 - p."""
    return _core.nn_dropout(input, p, train)


def _share(op: Any, x: Any, dim: Any, dtype: Any, axis: Any) -> Tensor:
    dim = one_of(axis, dim if axis is NOTHING else NOTHING, -1)
    x = as_floats(x, dtype, "softmax")
    if x.ndim == 0 and dim in (0, -1):
        return _ops.reshape(op(_ops.reshape(x, (1,)), 0), ())
    return op(x, dim)


def softmax(x: Any, dim: Any = -1, dtype: Any = None, *, axis: Any = NOTHING) -> Tensor:
    """Numbers along an axis as probabilities: exp(x) by its sum."""
    return _share(_ops.softmax, x, dim, dtype, axis)


def log_softmax(
    x: Any, dim: Any = -1, dtype: Any = None, *, axis: Any = NOTHING
) -> Tensor:
    """The logarithm of softmax."""
    return _share(_ops.log_softmax, x, dim, dtype, axis)


def index_add(x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Tensor:
    """x with slices of source added along an axis at these indices."""
    more = source if alpha == 1 else _ops.mul(source, alpha)
    return _ops.index_add(x, index, more, axis=dim)


def index_copy(x: Any, dim: int, index: Any, source: Any) -> Tensor:
    """x with slices along an axis at these indices set to those of source."""
    return _ops.index_copy(x, index, source, axis=dim)
