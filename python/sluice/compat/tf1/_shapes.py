"""TensorShape and Dimension: what is known of a shape while a graph is built.

Immutable values. A size that is not known is `Dimension(None)`; of a
`TensorShape(None)` not even the number of axes is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Dimension", "TensorShape"]


class Dimension:
    """A size: a number, or not known. Comparing with what is not known is None."""

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        if value is not None:
            value = value.__index__()
            if value < 0:
                raise ValueError(f"Dimension {value} must be >= 0")
        self.value: int | None = value

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("__index__ returned non-int: the size is not known")
        return self.value

    def _compared(self, other: Any, decide: Any) -> Any:
        try:
            other = Dimension(other)
        except (AttributeError, TypeError, ValueError):
            return NotImplemented
        if self.value is None or other.value is None:
            return None
        return decide(self.value, other.value)

    def __eq__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a != b)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a >= b)

    def __hash__(self) -> int:
        return hash(self.value)

    def _with(self, other: Any, give: Any) -> Any:
        try:
            other = Dimension(other)
        except (AttributeError, TypeError, ValueError):
            return NotImplemented
        if self.value is None or other.value is None:
            return Dimension(None)
        return Dimension(give(self.value, other.value))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b * a)

    def __floordiv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b // a)

    def __mod__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a % b)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            "unsupported operand type(s) for /: a Dimension is divided by //"
        )

    __rtruediv__ = __truediv__

    def is_compatible_with(self, other: Any) -> bool:
        """Whether they may be equal."""
        other = Dimension(other)
        return self.value is None or other.value is None or self.value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError unless they may be equal."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """What is known of either."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self.value is None else self


class TensorShape:
    """The sizes of a tensor, as far as they are known."""

    def __init__(self, dims: Any) -> None:
        if isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        else:
            if isinstance(dims, int) or hasattr(dims, "__index__"):
                dims = [dims]
            self._dims = tuple(Dimension(d).value for d in dims)

    _dims: tuple[int | None, ...] | None

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes, or None."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def ndims(self) -> int | None:
        """How many axes there are, or None."""
        return None if self._dims is None else len(self._dims)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes, None where one is not known."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The product of the sizes, when all are known."""
        if self._dims is None or None in self._dims:
            return None
        count = 1
        for size in self._dims:
            count *= size or 0
        return count

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """ValueError unless all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a shape may be both."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError unless a shape may be both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """What is known of either."""
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        return TensorShape(
            [b if a is None else a for a, b in zip(self._dims, other._dims)]
        )

    def concatenate(self, other: Any) -> TensorShape:
        """These sizes, then those."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """Itself with so many axes; ValueError when it has others."""
        try:
            return self.merge_with([None] * rank)
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Itself; ValueError when it has fewer axes."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Itself; ValueError when it has more axes."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """ValueError when it has other than so many axes."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else Dimension(None)
        found = self._dims[key]
        return TensorShape(found) if isinstance(key, slice) else Dimension(found)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: Any) -> Any:
        try:
            other = TensorShape(other)
        except TypeError:
            return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        if self._dims is None:
            return "TensorShape(None)"
        return f"TensorShape([{', '.join(repr(Dimension(d)) for d in self._dims)}])"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inside = ", ".join("?" if d is None else str(d) for d in self._dims)
        return f"({inside},)" if len(self._dims) == 1 else f"({inside})"
