"""Element types: what they promote to, and their limits."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._closed import closed
from .._core import Tensor, dtype

__all__ = [
    "astype",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "promote_types",
    "result_type",
]

_FLOATS = {
    # name: bits, largest, smallest normal, distance from 1 to the next
    "float16": (16, 65504.0, 2.0**-14, 2.0**-10),
    "bfloat16": (16, 3.3895313892515355e38, 2.0**-126, 2.0**-7),
    "float32": (32, 3.4028234663852886e38, 2.0**-126, 2.0**-23),
    "float64": (64, 1.7976931348623157e308, 2.0**-1022, 2.0**-52),
}
_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": tuple(_FLOATS),
    "complex floating": ("complex64",),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = (
    _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
)


def _dtype_of(x: Any) -> dtype:
    return x.dtype if isinstance(x, Tensor) else _core.find_dtype(x)


@closed
class finfo:  # noqa: N801: numpy's name
    """The limits of a floating point type."""

    def __init__(self, type: Any) -> None:
        self.dtype = _dtype_of(type)
        if self.dtype == _core.complex64:
            self.dtype = _core.default_float()
        if self.dtype.name not in _FLOATS:
            raise TypeError(f"finfo(): {self.dtype.name} is no floating point type")
        limits = _FLOATS[self.dtype.name]
        self.bits, self.max, self.smallest_normal, self.eps = limits
        self.min = -self.max
        self.tiny = self.smallest_normal
        self.resolution = 10.0 ** -int(-_log10(self.eps))

    def __repr__(self) -> str:
        return (
            f"finfo(bits={self.bits}, eps={self.eps}, max={self.max}, "
            f"min={self.min}, dtype={self.dtype.name})"
        )


def _log10(x: float) -> float:
    import math

    return math.log10(x)


@closed
class iinfo:  # noqa: N801: numpy's name
    """The limits of an integer type."""

    def __init__(self, type: Any) -> None:
        self.dtype = _dtype_of(type)
        if self.dtype.name not in _KINDS["integral"]:
            raise TypeError(f"iinfo(): {self.dtype.name} is no integer type")
        self.bits = 8 * self.dtype.itemsize
        signed = self.dtype.is_signed
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype.name})"


def promote_types(a: Any, b: Any) -> dtype:
    """The type two types are computed in."""
    return _core.promote_types(a, b)


def result_type(*operands: Any) -> dtype:
    """The type these are computed in together: tensors, types and numbers.

    Tensors without axes, and then Python's numbers, take the type of what they meet,
    unless they are of a higher kind: 2.5 makes floats of integers.
    """
    if not operands:
        raise ValueError("result_type(): wanted at least one operand")
    full: list[Any] = []  # tensors with axes, types
    single: list[Any] = []  # tensors without
    numbers: list[Any] = []
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            numbers.append(_core.tensor(x).dtype)
            continue
        array = hasattr(x, "__dlpack__")
        its = _core.find_dtype(x.dtype) if array else _dtype_of(x)
        (single if array and getattr(x, "ndim", 1) == 0 else full).append(its)
    found: dtype | None = None
    # What comes later counts only where its numbers are of a higher kind.
    for group in (full, single, numbers):
        if not group:
            continue
        its = group[0]
        for other in group[1:]:
            its = _core.promote_types(its, other)
        if found is None or _rank(its) > _rank(found):
            found = its
    assert found is not None
    return found


def _rank(t: dtype) -> int:
    if t == _core.bool:
        return 0
    return 3 if t.is_complex else 2 if t.is_floating_point else 1


def can_cast(from_: Any, to: Any) -> bool:
    """Whether values of one type are converted to another when they meet."""
    to = _core.find_dtype(to)
    return bool(_core.promote_types(_dtype_of(from_), to) == to)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind ("real floating", ...), or one of several."""
    its = _core.find_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(its, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return its.name in _KINDS[kind]
    try:
        return bool(its == _core.find_dtype(kind))
    except TypeError:
        raise ValueError(
            f"isdtype(): kind is {kind!r}; wanted a type or one of: "
            + ", ".join(_KINDS)
        ) from None


def astype(x: Any, dtype: Any, *, copy: bool = True) -> Tensor:
    """x as another type; a new tensor, unless copy=False and it has the type."""
    its = _core.find_dtype(dtype)
    if isinstance(x, Tensor) and x.dtype == its:
        return x.clone() if copy and not x.symbolic else x
    return _ops.cast(x, its)
