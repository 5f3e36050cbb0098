"""custom_fwd, custom_bwd: an autograd.Function under mixed precision."""

from __future__ import annotations

import functools
from typing import Any, Callable

from . import _core

__all__ = ["custom_bwd", "custom_fwd"]

KINDS = ("cpu", "cuda", "gpu")


def _kind_of(device_type: str, what: str) -> None:
    if device_type not in KINDS:
        raise ValueError(
            f'{what}(): device_type is "{device_type}"; wanted "cuda" or "cpu"'
        )


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, _core.Tensor) and value.dtype.is_floating_point:
        # PyTorch does not cast float64 either.
        return value if value.dtype == _core.float64 else value.to(dtype)
    if isinstance(value, dict):
        return {key: _cast(each, dtype) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_cast(each, dtype) for each in value)
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None
) -> Any:
    """For the forward of an autograd.Function that is called under autocast().

    cast_inputs: the dtype to which floating-point tensors are cast before the call;
    autocast is then off inside. Calls are cast on any device.
    """
    _kind_of(device_type, "custom_fwd")
    if fwd is None:
        return functools.partial(
            custom_fwd, device_type=device_type, cast_inputs=cast_inputs
        )
    forward = fwd

    @functools.wraps(forward)
    def under(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        now = _core.exchange_autocast(None)
        _core.exchange_autocast(now)
        ctx._autocast = now if cast_inputs is None else None
        if cast_inputs is None or now is None:
            return forward(ctx, *args, **kwargs)
        _core.exchange_autocast(None)
        try:
            return forward(ctx, *_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))
        finally:
            _core.exchange_autocast(now)

    return under


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """For the backward beside it, which computes as the forward did."""
    _kind_of(device_type, "custom_bwd")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    backward = bwd

    @functools.wraps(backward)
    def under(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        now = _core.exchange_autocast(ctx._autocast)
        try:
            return backward(ctx, *args, **kwargs)
        finally:
            _core.exchange_autocast(now)

    return under
