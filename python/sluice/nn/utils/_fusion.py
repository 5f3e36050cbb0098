"""Batch norms made part of the layer before them, for use after training."""

from __future__ import annotations

import copy
from typing import Any

from ..._autograd import no_grad
from ..._core import Tensor
from .._batch_norm import _BatchNorm
from .._module import Module
from .._parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def _fused(
    weight: Tensor, bias: Any, mean: Tensor, var: Tensor, eps: float, scale: Any,
    offset: Any, axis: int,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    with no_grad():
        factor = (var + eps).rsqrt()
        factor = factor if scale is None else factor * scale
        shape = [1] * weight.ndim
        shape[axis] = -1
        made = weight * factor.to(weight.dtype).reshape(*shape)
        shift = -mean if bias is None else bias - mean
        shift = shift * factor
        shift = shift if offset is None else shift + offset
    learns = bool(weight.requires_grad)
    other = learns if bias is None else bool(bias.requires_grad)
    return Parameter(made, learns), Parameter(shift.to(weight.dtype), other)


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Any, bn_b: Any, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Filters and offsets of a convolution with its batch norm in them."""
    axis = 1 if transpose else 0
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, axis)


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Any, bn_b: Any,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Weights and offsets of a linear layer with its batch norm in them."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _whole(layer: Any, bn: Any, transpose: bool) -> Any:
    if not isinstance(bn, _BatchNorm):
        raise TypeError(f"bn is a {type(bn).__name__}; wanted a batch norm to fuse")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError("wanted a batch norm with running statistics to fuse")
    if layer.training or bn.training:
        raise ValueError("a layer to fuse is training; wanted eval() of both")
    groups = getattr(layer, "groups", 1)
    if transpose and groups != 1:
        raise NotImplementedError(
            f"a transposed convolution of {groups} groups; wanted 1 to fuse"
        )
    made = copy.deepcopy(layer)
    axis = 1 if transpose else 0
    weight, bias = _fused(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight,
        bn.bias, axis,
    )  # fmt: skip
    made.weight, made.bias = weight, bias
    return made


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Module:
    """One convolution for a convolution and the batch norm behind it, in eval()."""
    made: Module = _whole(conv, bn, transpose)
    return made


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Module:
    """One linear layer for a linear layer and the batch norm behind it, in eval()."""
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise ValueError(
            f"linear has {linear.out_features} features, bn {bn.num_features}; wanted "
            "as many"
        )
    made: Module = _whole(linear, bn, False)
    return made
