"""Iterables whose length is known only at run time."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._symbols.numbers import Symbol, choose
from .errors import StagingError
from .lists import element
from .refusals import values_may_decide
from .texts import needed
from .values import Tensor, as_tensor, decided, in_graph, number_of, refuse_number

_gather = _core.op_function("Gather")
_shape = _core.op_function("Shape")
_cast = _core.op_function("Cast")
_minimum = _core.op_function("Minimum")
_maximum = _core.op_function("Maximum")


def size(tensor: Any, axis: int = 0) -> Any:
    """A size of a tensor: a number where it is known, else an int64 tensor."""
    shape = tensor.shape
    if shape is not None:
        if not shape:
            raise TypeError("a tensor without axes has no rows to loop over")
        if shape[axis] is not None:
            return shape[axis]
        axis %= len(shape)
    return _gather(_cast(_shape(tensor), dtype=_core.int64), axis)


class Staged:
    """An iterable that gives elements by index."""

    def size(self) -> Any:
        """The number of elements."""
        raise NotImplementedError

    def get(self, index: Any) -> Any:
        """The element at an index."""
        raise NotImplementedError

    def described(self) -> str:
        """A description for messages."""
        raise NotImplementedError

    def __iter__(self) -> Any:
        count = decided(self.size())
        if isinstance(count, int):  # a size, decided by int()
            return iter([self.get(i) for i in range(int(count))])
        values_may_decide()
        raise StagingError(
            f"{self.described()} has as many elements as a tensor says, so that "
            "only a for loop of a converted function can go over it; elsewhere use "
            "sl.map_fn or sl.while_loop"
        )


class Rows(Staged):
    """The rows of a tensor, or the elements of a List."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def described(self) -> str:
        return "a tensor"

    def size(self) -> Any:
        if isinstance(self._tensor, Tensor):
            return size(self._tensor)
        return self._tensor.size()

    def get(self, index: Any) -> Any:
        if isinstance(self._tensor, Tensor):
            return self._tensor[index]  # a view, as imperatively
        if type(index) is int:
            return element(self._tensor[index])
        return element(self._tensor.get(index))


def as_number(value: Any) -> Any:
    """The value, marked as a Python number: nothing writes to it in place."""
    if isinstance(value, Tensor):
        value._number = True
    return value


class Range(Staged):
    """range() of tensors."""

    def __init__(self, *args: Any) -> None:
        if not 1 <= len(args) <= 3:
            raise TypeError(f"range takes 1 to 3 arguments, got {len(args)}")
        for arg in args:
            if isinstance(arg, float) or (
                isinstance(arg, Tensor) and "int" not in str(arg.dtype)
            ):
                if isinstance(arg, Tensor):
                    refuse_number(arg, range)
                raise TypeError(f"range of {arg!r}; wanted whole numbers")
        start, stop, step = 0, args[0], 1
        if len(args) > 1:
            start, stop = args[:2]
        if len(args) == 3:
            step = args[2]
        if type(step) is int and step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self._start, self._stop, self._step = start, stop, step

    def described(self) -> str:
        return "range() of a tensor"

    def size(self) -> Any:
        start, stop, step = self._start, self._stop, self._step
        if isinstance(step, int):
            away = stop - start if step > 0 else start - stop
            width = abs(step)
            count = away if width == 1 else (away + (width - 1)) // width
        else:  # the sign of the step is known only at run time
            count = -((start - stop) // step)
        if isinstance(count, Symbol):
            return choose("max", (count, 0))
        if isinstance(count, int):
            return max(count, 0)
        return _maximum(_cast(count, dtype=_core.int64), 0)

    def get(self, index: Any) -> Any:
        if type(self._step) is int and self._step == 1:
            if type(self._start) is int and self._start == 0:
                return as_number(index)
            return as_number(self._start + index)
        return as_number(self._start + index * self._step)

    def __iter__(self) -> Any:
        left = self.unrolled()
        return super().__iter__() if left is None else iter(left)

    def tensor(self) -> Any:
        """The numbers of the range as one tensor."""
        from .. import arange

        return arange(self._start, self._stop, self._step, dtype=_core.int64)

    def unrolled(self) -> range | None:
        """The range of this call, decided; None if tensors bound it."""
        parts = (self._start, self._stop, self._step)
        if any(in_graph(part) is not None for part in parts):
            return None
        return range(*map(int, parts))

    # ---- The interface of Python's range ----

    __class__ = property(lambda self: range)  # type: ignore[assignment]
    start = property(lambda self: _whole(self._start))
    stop = property(lambda self: _whole(self._stop))
    step = property(lambda self: _whole(self._step))

    def now(self) -> range:
        """The range of the call being recorded, where its values decide."""
        parts = []
        for part in (self._start, self._stop, self._step):
            tensor = in_graph(part)
            parts.append(part if tensor is None else needed(tensor, "range() takes"))
        return range(*map(int, parts))

    def __len__(self) -> int:
        return len(self.now())

    def __getitem__(self, key: Any) -> Any:
        return self.now()[key]

    def __contains__(self, value: Any) -> bool:
        return value in self.now()

    def __eq__(self, other: Any) -> bool:
        return self.now() == (other.now() if type(other) is Range else other)

    def __hash__(self) -> int:
        return hash(self.now())

    def __repr__(self) -> str:
        return repr(self.now())

    def index(self, value: Any) -> int:
        return self.now().index(value)

    def count(self, value: Any) -> int:
        return self.now().count(value)


def _whole(value: Any) -> Any:
    """A bound of a range as a Python number."""
    tensor = in_graph(value)
    return value if tensor is None else number_of(tensor, int)


class Enumerate(Staged):
    """enumerate() of one of these."""

    def __init__(self, items: Staged, start: Any = 0) -> None:
        self._items, self._start = items, start

    def described(self) -> str:
        return f"enumerate() of {self._items.described()}"

    def size(self) -> Any:
        return self._items.size()

    def get(self, index: Any) -> Any:
        return index + self._start, self._items.get(index)


class Zip(Staged):
    """zip() of several."""

    def __init__(self, *items: Staged) -> None:
        self._items = items

    def described(self) -> str:
        return "zip() of tensors"

    def size(self) -> Any:
        sizes = [item.size() for item in self._items]
        least = sizes[0]
        for other in sizes[1:]:
            if isinstance(least, int) and isinstance(other, int):
                chosen = choose("min", (least, other))
                least = min(least, other) if chosen is None else chosen
            else:
                least = _minimum(least, other)
        return least

    def get(self, index: Any) -> Any:
        return tuple(item.get(index) for item in self._items)


class Reversed(Staged):
    """reversed() of one."""

    def __init__(self, items: Staged) -> None:
        self._items = items

    def described(self) -> str:
        return f"reversed() of {self._items.described()}"

    def size(self) -> Any:
        return self._items.size()

    def get(self, index: Any) -> Any:
        return self._items.get(self.size() - 1 - index)


def staged(items: Any) -> Staged | None:
    """The iterable for a loop of the graph; None if Python loops."""
    if isinstance(items, Staged):
        return items
    tensor = in_graph(items)
    if tensor is not None:
        refuse_number(tensor, iter)
        return Rows(items if isinstance(items, Tensor) else tensor)
    if isinstance(items, _core.List) and items.symbolic:
        return Rows(items)
    return None


def written_out(items: Staged) -> tuple[Any, Staged | None]:
    """Where the values of the call decide the length: the elements for Python to loop
    over, and None. Else the iterable of the graph, twice."""
    count = decided(items.size()) if _core.decides() else None
    if count is None or isinstance(count, Tensor):
        return items, items
    return [items.get(i) for i in range(int(count))], None


def beside(items: Any) -> Staged:
    """The same for an iterable that is zipped with a tensor."""
    made = staged(items)
    if made is not None:
        return made
    if isinstance(items, range):
        return Range(items.start, items.stop, items.step)
    if hasattr(items, "__array__"):
        return Rows(as_tensor(items))
    raise StagingError(
        f"zip() of a tensor and a {type(items).__name__}: a graph loops over "
        "tensors and ranges only; stack it into a tensor"
    )
