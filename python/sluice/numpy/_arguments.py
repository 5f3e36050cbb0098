"""Checks of arguments for functions with numpy's names."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.shape import as_tensor
from .._core import Tensor

__all__: list[str] = []


def no_out(out: Any, what: str) -> None:
    """numpy's place for an array to write to, which is to stay empty."""
    if out is not None:
        raise TypeError(
            f"{what}(): out is a {type(out).__name__}; wanted None, results are new "
            "tensors"
        )


def unused(value: Any, usual: Any, name: str, what: str) -> None:
    """numpy's place for what has no meaning for tensors."""
    if value != usual:
        raise TypeError(f"{what}(): {name} is {value!r}; wanted {usual!r}")


def floats(x: Any) -> Tensor:
    """As floats, real or complex."""
    x = as_tensor(x)
    there = x.dtype.is_floating_point or x.dtype.is_complex
    return x if there else _ops.cast(x, _core.default_float())


def listed(value: Any) -> Any:
    """Numbers, or nested lists of them, of what a program wrote down."""
    if isinstance(value, (list, tuple, range)):
        return [listed(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
