"""Values from PyTorch to Sluice and back, so that both sides see one input."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch

import sluice as sl


class CannotCross(Exception):
    """The value has no form on the other side: nothing to compare."""


def dtype_name(dtype: Any) -> str:
    """ "float32" of either side's type."""
    return re.sub(r"^(torch|sluice)\.", "", str(dtype))


# Where a keyword has one meaning only, it says nothing to compare.
_PLAIN = {torch.strided, torch.device("cpu"), torch.contiguous_format}


def to_sluice(value: Any) -> Any:
    """A sample's argument as Sluice takes it: tensors, types, containers."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized:
            raise CannotCross(str(value.layout))
        if not hasattr(sl, dtype_name(value.dtype)) or value.device.type != "cpu":
            raise CannotCross(f"{value.dtype} on {value.device}")
        try:
            made = sl.from_dlpack(_laid_out_alike(value.detach().resolve_conj()))
        except BufferError as error:  # more axes than we have
            raise CannotCross(str(error)) from error
        if value.requires_grad:
            made.requires_grad_()
        return made
    if isinstance(value, torch.dtype):
        if not hasattr(sl, dtype_name(value)):
            raise CannotCross(str(value))
        return getattr(sl, dtype_name(value))
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, (list, tuple)):
        made = [to_sluice(v) for v in value]
        return made if isinstance(value, list) else tuple(made)
    if isinstance(value, dict):
        return {k: to_sluice(v) for k, v in value.items()}
    if isinstance(value, (torch.memory_format, torch.layout, torch.Generator,
                          torch.nn.Module)):  # fmt: skip
        raise CannotCross(type(value).__name__)
    if callable(value) and getattr(torch.nn.functional, _name(value), None) is value:
        return getattr(sl.nn.functional, _name(value))
    return value


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")


def _laid_out_alike(value: torch.Tensor) -> torch.Tensor:
    """A copy with the same strides: kernels for such must be right, too."""
    if value.is_contiguous() or value.numel() == 0:
        return value.clone(memory_format=torch.contiguous_format)
    try:
        made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        return made.copy_(value)
    except RuntimeError:  # elements that share a place
        return value.contiguous()


def options(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keywords without those that name what there is only one of."""
    kept = {}
    for name, value in kwargs.items():
        if isinstance(value, (torch.device, torch.layout)) and value in _PLAIN:
            continue
        if name in ("device", "layout", "pin_memory") and value in (
            None, "cpu", False, torch.strided):  # fmt: skip
            continue
        kept[name] = value
    return kept


def to_torch(value: Any) -> Any:
    """A result of ours as PyTorch has it."""
    if isinstance(value, sl.Tensor):
        dense = value.detach()
        if dtype_name(dense.dtype) == "bfloat16":
            return torch.from_numpy(
                np.array(dense.astype(sl.float32).numpy())
            ).to(torch.bfloat16)
        array = np.array(dense.numpy())
        return torch.from_numpy(array.reshape(dense.shape))
    if isinstance(value, (list, tuple)):
        return [to_torch(v) for v in value]
    return value
