"""Sums and differences with a factor: add and sub with alpha."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .shape import as_tensor
from .types import result_type

__all__ = ["add", "sub", "subtract"]

_add, _sub = _ops.add, _ops.sub
_ONE = 1  # which alpha is where nobody gives another
_HALVES = (_core.bfloat16, _core.float16)


def _times(b: Any, alpha: Any, kind: Any) -> Tensor:
    b = _ops.cast(as_tensor(b), kind)
    return _ops.logical_and(b, alpha) if kind == _core.bool else _ops.mul(b, alpha)


def _scaled(op: Any, what: str, a: Any, b: Any, alpha: Any, name: Any) -> Tensor:
    """op(a, alpha b) in the type of a and b, which alpha does not change."""
    how = {} if name is None else {"name": name}
    if alpha is _ONE:
        return op(a, b, **how)
    if not isinstance(alpha, (bool, int, float, complex, Tensor)):
        raise TypeError(f"{what}(): alpha is a {type(alpha).__name__}; wanted a number")
    kind = result_type(a, b)
    factor = as_tensor(alpha)
    if factor.ndim:
        raise ValueError(f"{what}(): alpha is {list(factor.shape)}; wanted a number")
    higher = factor.dtype.is_complex and not kind.is_complex
    whole = not (kind.is_floating_point or kind.is_complex)
    if higher or (whole and factor.dtype.is_floating_point):
        raise TypeError(
            f"{what}(): alpha is {factor.dtype.name}; wanted a number that a result "
            f"of {kind.name} can hold"
        )
    if factor.dtype == _core.bool and kind != _core.bool:
        raise TypeError(f"{what}(): alpha is a bool; wanted it for bools alone")
    if whole and not isinstance(alpha, Tensor):
        # The number as it is: one that the type does not hold is refused.
        return op(_ops.cast(as_tensor(a), kind), _times(b, alpha, kind), **how)
    # Of half precision rounded once, at the end.
    wide = _core.float32 if kind in _HALVES else kind
    a, b, factor = (_ops.cast(as_tensor(v), wide) for v in (a, b, factor))
    if kind == _core.bool:
        made = op(a, _ops.logical_and(b, factor), **how)
    else:
        made = op(a, _ops.mul(b, factor), **how)
    return made if made.dtype == kind else _ops.cast(made, kind)


def add(x: Any, other: Any, *, alpha: Any = 1, name: Any = None) -> Tensor:
    """x + other, or x + alpha other, elementwise; integers wrap."""
    if alpha is _ONE and name is None:
        return _add(x, other)
    return _scaled(_add, "add", x, other, alpha, name)


def sub(x: Any, other: Any, *, alpha: Any = 1, name: Any = None) -> Tensor:
    """x - other, or x - alpha other, elementwise; integers wrap."""
    if alpha is _ONE and name is None:
        return _sub(x, other)
    return _scaled(_sub, "sub", x, other, alpha, name)


subtract = sub
