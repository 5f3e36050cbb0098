"""Gradients by functions, and functions with gradients of their own."""

from __future__ import annotations

from .._autograd import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    why_no_grad,
)
from .._jacobian import hessian, jacobian
from . import _function as function
from . import functional
from ._check import gradcheck, gradgradcheck
from ._function import Function, FunctionCtx, once_differentiable
from ._grad import backward, grad

__all__ = [
    "Function",
    "FunctionCtx",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "hessian",
    "inference_mode",
    "jacobian",
    "no_grad",
    "once_differentiable",
    "set_grad_enabled",
    "why_no_grad",
]
