"""Operands as the standard has them: types that meet by its table, Python's numbers.

At the top of the package tensors without axes give way to those with axes, as in
PyTorch; here a type counts the same whatever the shape.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.create import full
from .._array.device import device_like
from .._core import Tensor, dtype

__all__: list[str] = []

_NUMBERS = (bool, int, float, complex)


def is_number(x: Any) -> bool:
    return isinstance(x, _NUMBERS)


def array(x: Any, what: str, name: str = "x") -> Tensor:
    """x, which is to be an array: the standard converts nothing by itself."""
    if isinstance(x, Tensor):
        return x
    raise TypeError(f"{what}(): {name} is a {type(x).__name__}; wanted an array")


def kind_rank(t: dtype) -> int:
    """Kinds of numbers in order: bools, integers, floats, complex numbers."""
    if t == _core.bool:
        return 0
    return 3 if t.is_complex else 2 if t.is_floating_point else 1


def common(a: dtype, b: dtype, what: str) -> dtype:
    """The type two types have together, in which no value of theirs is lost."""
    if a == b:
        return a
    names = {a.name, b.name}
    if names == {"complex64", "float64"}:
        raise TypeError(
            f"{what}(): complex64 and float64 meet in complex128, which Sluice does "
            "not have; wanted one of them converted"
        )
    if "uint64" in names and any(t.is_signed and kind_rank(t) == 1 for t in (a, b)):
        raise TypeError(
            f"{what}(): no integer type holds all values of {a.name} and {b.name}; "
            "wanted one of them converted"
        )
    return _core.promote_types(a, b)


def _number_type(x: Any, its: dtype, what: str) -> dtype:
    """The type in which a number meets an array of some type."""
    wanted = kind_rank(_core.tensor(x).dtype) if not isinstance(x, bool) else 0
    if isinstance(x, complex) and its.name == "float64":
        return common(its, _core.complex64, what)
    if wanted == 3 and kind_rank(its) == 2:
        return _core.complex64
    if wanted > kind_rank(its) or (its == _core.bool) != isinstance(x, bool):
        raise TypeError(
            f"{what}(): an array of {its.name} and the {type(x).__name__} {x!r}; "
            f"wanted a number of the array's kind"
        )
    return its


def pair(x1: Any, x2: Any, what: str) -> tuple[Tensor, Tensor]:
    """Two operands in the type they have together; one of them may be a number."""
    if isinstance(x1, Tensor) and isinstance(x2, Tensor):
        its = common(x1.dtype, x2.dtype, what)
        return as_type(x1, its), as_type(x2, its)
    if isinstance(x1, Tensor) and is_number(x2):
        its = _number_type(x2, x1.dtype, what)
        return as_type(x1, its), _core.tensor(x2, its)
    if isinstance(x2, Tensor) and is_number(x1):
        its = _number_type(x1, x2.dtype, what)
        return _core.tensor(x1, its), as_type(x2, its)
    wrong, name = (x1, "x1") if not isinstance(x1, Tensor) else (x2, "x2")
    raise TypeError(
        f"{what}(): {name} is a {type(wrong).__name__}; wanted an array, "
        "or a number beside one"
    )


def as_type(x: Tensor, its: dtype) -> Tensor:
    return x if x.dtype == its else _ops.cast(x, its)


def filled(like: Tensor, shape: Any, value: Any, its: Any = None) -> Tensor:
    """A new array of that shape where another one is, of its type or a given one."""
    made: Tensor = full(shape, value, dtype=its or like.dtype,
                        device=device_like(like, None))  # fmt: skip
    return made


def of_kind(x: Tensor, what: str, lowest: int, highest: int) -> Tensor:
    """x, of a type the function has a meaning for."""
    if lowest <= kind_rank(x.dtype) <= highest:
        return x
    kinds = ("bools", "integers", "real floating point numbers", "complex numbers")
    wanted = " or ".join(kinds[lowest : highest + 1])
    raise TypeError(f"{what}(): x is {x.dtype.name}; wanted {wanted}")
