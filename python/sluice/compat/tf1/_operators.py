"""Python's operators for Tensors and Variables."""

from __future__ import annotations

from typing import Any

__all__ = ["Operand"]


class Operand:
    """Anything that operators make operations of."""

    __slots__ = ()
    # numpy arrays defer to these operators.
    __array_priority__ = 100

    def __add__(self, other: Any) -> Any:
        return _call("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _back("add", self, other)

    def __sub__(self, other: Any) -> Any:
        return _call("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _back("sub", self, other)

    def __mul__(self, other: Any) -> Any:
        return _call("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _back("mul", self, other)

    def __truediv__(self, other: Any) -> Any:
        return _call("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _back("truediv", self, other)

    def __floordiv__(self, other: Any) -> Any:
        return _call("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _back("floordiv", self, other)

    def __mod__(self, other: Any) -> Any:
        return _call("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _back("mod", self, other)

    def __pow__(self, other: Any) -> Any:
        return _call("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _back("pow", self, other)

    def __matmul__(self, other: Any) -> Any:
        return _call("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _back("matmul", self, other)

    def __and__(self, other: Any) -> Any:
        return _call("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _back("and", self, other)

    def __or__(self, other: Any) -> Any:
        return _call("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _back("or", self, other)

    def __xor__(self, other: Any) -> Any:
        return _call("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _back("xor", self, other)

    def __lt__(self, other: Any) -> Any:
        return _call("Less", self, other)

    def __le__(self, other: Any) -> Any:
        return _call("LessEqual", self, other)

    def __gt__(self, other: Any) -> Any:
        return _call("Greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _call("GreaterEqual", self, other)

    def __neg__(self) -> Any:
        from . import _math

        return _math.negative(self)

    def __abs__(self) -> Any:
        from . import _math

        return _math.abs(self)

    def __invert__(self) -> Any:
        from . import _math

        return _math.inverted(self)

    def __getitem__(self, slice_spec: Any) -> Any:
        from ._indexing import item

        return item(self, slice_spec)


def _call(name: str, x: Any, y: Any) -> Any:
    from . import _math

    return _math.operator(name, x, y)


def _back(name: str, x: Any, y: Any) -> Any:
    """The operands the other way round; the one that is no tensor has our type."""
    from . import _math

    return _math.operator_back(name, y, x)
