"""Elements held between bounds, of which none may wrap in the array's type."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.shape import own_copy
from .._array.types import iinfo
from .._core import Tensor
from ._operands import array, common, is_number, kind_rank, of_kind

__all__ = ["clip"]


def _bound(x: Tensor, bound: Any, name: str) -> Tensor:
    """A bound as an array; one of another kind than x has no meaning."""
    if is_number(bound):
        if isinstance(bound, float) and kind_rank(x.dtype) < 2:
            raise TypeError(f"clip(): {name} is {bound!r}, x {x.dtype.name}; "
                            "wanted an integer")  # fmt: skip
        return _core.tensor(bound, x.dtype)
    bound = array(bound, "clip", name)
    if kind_rank(bound.dtype) != kind_rank(x.dtype):
        raise TypeError(f"clip(): {name} is {bound.dtype.name}, x {x.dtype.name}; "
                        "wanted types of one kind")  # fmt: skip
    return bound


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """x held between min and max, of x's type; either may be None."""
    x = of_kind(array(x, "clip"), "clip", 1, 2)
    made = own_copy(x)
    for bound, name, op in ((min, "min", _ops.maximum), (max, "max", _ops.minimum)):
        if bound is None:
            continue
        other = _bound(x, bound, name)
        its = common(made.dtype, other.dtype, "clip")
        made = op(_ops.cast(made, its), _ops.cast(other, its))
    if made.dtype == x.dtype:
        return made
    if kind_rank(x.dtype) == 1:  # a bound that x's type does not hold is its end
        limits = iinfo(x.dtype)
        for end, op in ((limits.min, _ops.maximum), (limits.max, _ops.minimum)):
            made = op(made, _core.tensor(end, made.dtype))
    return _ops.cast(made, x.dtype)
