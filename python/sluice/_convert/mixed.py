"""Mixed values: a number on one path of a branch, and on the other a tensor or a number
of another class.

The graph has one tensor for both. It serves wherever both would give the same result:
as a condition, or in an operation with a tensor of no higher precision. Everywhere
else the values of the call decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import StagingError
from .place import user_place
from .refusals import values_may_decide
from .values import Tensor, class_of, is_mixed

_DIGITS = {
    _core.bfloat16: 8, _core.float16: 11, _core.float32: 24, _core.float64: 53,
}  # fmt: skip


def mixed(value: Any) -> bool:
    """Whether the value is mixed."""
    return isinstance(value, Tensor) and value.symbolic and is_mixed(value)


def refuse(what: str, *values: Any) -> None:
    """Throws if one of the values is mixed."""
    if _core.recorder() is None or not any(map(mixed, values)):
        return
    values_may_decide()
    filename, line = user_place()
    raise StagingError(
        f"{filename}:{line}: {what} takes what is a number on one way through a branch "
        "and a tensor, or a number of another class, on the other; wanted one of the "
        "two"
    )


def refuse_operand(op: str, value: Any, other: Any) -> None:
    """The same for an operand of an operator, given the other operand."""
    if not mixed(value) or _is_as_good(value, other):
        return
    refuse(op, value)


def _is_as_good(value: Any, other: Any) -> bool:
    if not isinstance(other, Tensor) or class_of(other) is not Tensor:
        return False
    wanted = _DIGITS.get(other.dtype)
    return wanted is not None and wanted <= _DIGITS.get(value.dtype, 53)


def note(made: Any, *sides: Any) -> None:
    """Marks as mixed what a branch has made of these values."""
    made._sl_mixed = True
    made._sl_rounded = not all(_is_exact(side, made.dtype) for side in sides)


def _is_exact(value: Any, dtype: Any) -> bool:
    """Whether a tensor of that dtype represents the value exactly."""
    if isinstance(value, Tensor):
        return bool(value.dtype == dtype) and not getattr(value, "_sl_rounded", False)
    digits = _DIGITS.get(dtype)
    if digits is None:
        return type(value) in (bool, int)
    if type(value) is float and not math.isfinite(value):
        return True
    if type(value) not in (bool, int, float) or abs(value) > 2**53:
        return False
    # Neither so close to zero nor so large that precision might be lost.
    fraction, exponent = math.frexp(value)
    most = 15 if digits == 11 else 100
    return (fraction * 2**digits).is_integer() and abs(exponent) <= most


def refuse_compared(op: str, a: Any, b: Any) -> None:
    """Throws where numbers would be compared in the tensor's precision."""
    for value, other in ((a, b), (b, a)):
        if not mixed(value) or _is_as_good(value, other):
            continue
        if value._sl_rounded or not _is_exact(other, value.dtype):
            refuse(op, value)


def compared(result: Any, *operands: Any) -> Any:
    """The result of a comparison: a bool for numbers, a tensor for tensors."""
    if any(map(mixed, operands)) and isinstance(result, Tensor):
        if not any(isinstance(v, Tensor) and class_of(v) is Tensor for v in operands):
            note(result)
    return result


def unmixed(function: Any) -> Callable[..., Any]:
    """Wraps a Sluice function. Given only a number, it makes a tensor of its dtype."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if any(map(mixed, given)) and not any(
            isinstance(v, Tensor) and class_of(v) is Tensor for v in given
        ):
            refuse(f"{getattr(function, '__name__', 'it')}()", *given)
        return function(*args, **kwargs)

    return call
