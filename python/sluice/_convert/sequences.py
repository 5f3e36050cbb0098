"""range, len, zip and others for iterables of a graph."""

from __future__ import annotations

from typing import Any

from .._symbols.numbers import Symbol
from .answers import length
from .handed import asked, hand_over, is_known, iterated
from .iterables import (
    Enumerate,
    Range,
    Reversed,
    Rows,
    Zip,
    as_number,
    beside,
    size,
    staged,
)
from .refusals import values_may_decide
from .values import Tensor, decided, in_graph, refuse_number


def range_(*args: Any) -> Any:
    if any(isinstance(arg, Symbol) or in_graph(arg) is not None for arg in args):
        return Range(*args)
    return range(*args)


def enumerate_(items: Any, start: Any = 0) -> Any:
    known = staged(items)
    if known is None:
        return enumerate(iterated(items), start)
    return Enumerate(known, start)


def _goes_along(items: Any) -> bool:
    """Whether a graph can loop over it together with a tensor."""
    if staged(items) is not None or isinstance(items, range):
        return True
    return hasattr(items, "__array__")


def _rows(items: Any) -> Any:
    """An iterable of a graph as a Python list, if its size is known."""
    known = staged(items)
    if known is None:
        return items
    count = decided(known.size())
    if not isinstance(count, int):
        values_may_decide()
        beside(())  # raises the error
    return [known.get(i) for i in range(int(count))]


def zip_(*items: Any, strict: bool = False) -> Any:
    if any(staged(item) is not None for item in items):
        if strict or not all(map(_goes_along, items)):
            items = tuple(map(_rows, items))  # Python loops over them
        else:
            return Zip(*map(beside, items))
    items = tuple(map(iterated, items))
    return zip(*items, strict=strict) if strict else zip(*items)


def reversed_(items: Any) -> Any:
    if isinstance(items, Tensor):
        refuse_number(items, reversed)
        return reversed(items)
    known = staged(items)
    if known is not None:
        return Reversed(known)
    own = asked(items, "__reversed__")
    if own is not None:
        return own()
    hand_over(items)
    return reversed(items)


def len_(items: Any) -> Any:
    tensor = in_graph(items)
    if tensor is not None:
        refuse_number(tensor, len)
        return as_number(size(tensor))
    known = staged(items)
    if isinstance(known, (Rows, Range)):
        return as_number(known.size())
    if known is not None:
        name = type(known).__name__.lower()
        raise TypeError(f"object of type {name!r} has no len()")
    own = asked(items, "__len__")
    if own is not None:
        return length(own())
    if not is_known(items):
        hand_over(items, whole=False)
    return len(items)
