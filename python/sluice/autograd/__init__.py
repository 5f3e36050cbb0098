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

__all__ = [
    "detect_anomaly",
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "why_no_grad",
]
