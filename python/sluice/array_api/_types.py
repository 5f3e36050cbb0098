"""The standard's functions of element types: what they promote to, their limits."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import types as _top
from .._array.device import check_device
from .._core import Tensor, dtype as DType
from ._operands import array, common, is_number, kind_rank

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

finfo = _top.finfo
iinfo = _top.iinfo
isdtype = _top.isdtype


def astype(
    x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None
) -> Tensor:
    """x as another type; a new array, unless copy=False and it has the type."""
    x, its = array(x, "astype"), _core.find_dtype(dtype)
    if x.dtype.is_complex and not its.is_complex:
        raise TypeError(
            f"astype(): {x.dtype.name} as {its.name} would lose the imaginary parts; "
            "wanted real(x) or abs(x) first"
        )
    name = check_device(device)
    moved = x if name is None else x.to(device=name)
    if moved.dtype != its:
        return _ops.cast(moved, its)
    return _top.astype(moved, its, copy=copy and moved is x)


def _dtype_of(x: Any) -> DType:
    return x.dtype if isinstance(x, Tensor) else _core.find_dtype(x)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether values of one type become the other when the two meet."""
    source, target = _dtype_of(from_), _core.find_dtype(to)
    try:
        return bool(common(source, target, "can_cast") == target)
    except TypeError:
        return False


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type these are computed in together; Python's numbers take that of the
    arrays, or a type of the same precision of their own kind."""
    full = [x for x in arrays_and_dtypes if not is_number(x)]
    if not full:
        raise ValueError("result_type(): wanted at least one array or type")
    found = _dtype_of(full[0])
    for x in full[1:]:
        found = common(found, _dtype_of(x), "result_type")
    for x in arrays_and_dtypes:
        if not is_number(x):
            continue
        its = _core.bool if isinstance(x, bool) else _core.tensor(x).dtype
        if kind_rank(its) > kind_rank(found):
            found = common(its, found, "result_type")
    return found
