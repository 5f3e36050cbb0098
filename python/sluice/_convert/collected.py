"""Lists, comprehensions and shapes in converted code."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import NumberWanted, StagingError
from .frames import changed
from .handed import iterated, true
from .iterables import Range, Rows, Staged, size, staged, written_out
from .lists import note_element, note_shown, stands_for_list
from .refusals import values_may_decide
from .texts import is_of_graph
from .values import Tensor, decided, flatten, in_graph, is_number, python_number

_SHORT = 8  # at most this many rows are unrolled


def append(items: Any, value: Any) -> Any:
    """Does items.append(value). Gives the list to use from then on."""
    if isinstance(items, _core.List):
        note_element(value)
    add = _core.attr(items, "append")
    if isinstance(add, types.MethodType):  # of a user class
        from .calls import callee

        add = callee(add)
    made = add(value)
    if not isinstance(items, _core.List):
        return items
    if stands_for_list(made):
        note_shown(made, items, value)
    return made


def grow(owner: Any, name: str, adder: str) -> Any:
    """The bound method owner.name.append, to be called."""
    recorder = _core.recorder()
    if recorder is None:
        return getattr(getattr(owner, name), adder)
    return recorder.grow(owner, name, adder)


def adding(target: Any, value: Any) -> Any:
    """The operand of target += value, which may change the target in place."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.adding(target)
    return value


def items(items: Any) -> Any:
    """The items that a comprehension iterates over."""
    known = staged(items)
    if known is None:
        return iterated(items)
    count = decided(known.size())
    if isinstance(count, int):
        # Decides the count where it is a size of a function being recorded.
        return [known.get(i) for i in range(int(count))]
    values_may_decide()
    raise StagingError(
        f"a comprehension goes over {known}, whose size is known when the graph "
        "runs; use sl.map_fn, or a for loop that appends to a list"
    )


def listed(items: Any, element: Callable[[Any], Any]) -> Any:
    """[element(item) for item in items]; a List where a graph computes it."""
    known = staged(items)
    if known is None:
        return [element(item) for item in iterated(items)]
    items, left_to_graph = written_out(known)
    if left_to_graph is None:
        return [element(item) for item in items]
    count = known.size()
    if type(count) is int and isinstance(known, Rows) and count <= _SHORT:
        return [element(known.get(i)) for i in range(count)]
    numbers = _core.op_function("Range")(0, count, 1)

    def one(i: Any) -> Any:
        made = element(known.get(i))
        number = is_number(made) or is_of_graph(made)
        if not (isinstance(made, Tensor) or number) or (
            number and isinstance(count, int)
        ):
            raise NumberWanted("a list of other things than tensors is Python's")
        if number:
            kinds.add(python_number(made) if is_of_graph(made) else made.__class__)
        return made

    kinds: set[Any] = set()
    recorder = _core.recorder()
    try:
        with recorder.frame() if recorder else contextlib.nullcontext({}) as way:
            made = _core.map_fn(one, numbers, "device", "", 10)
            if any(changed(place, before) for place, before in way.values()):
                raise NumberWanted("what the elements do beside is Python's")
    except TypeError:
        # The element expression needs a Python number: an index, a size.
        left = known.unrolled() if isinstance(known, Range) else None
        if left is not None:
            return [element(item) for item in left]
        if not isinstance(count, int):
            raise
        return [element(known.get(i)) for i in range(int(count))]
    if recorder is not None and kinds:
        recorder.grown.update(kinds)
    else:
        note_element(made)
    return _core.List.of(made)


def filter_test(test: Any) -> Any:
    """A condition of a comprehension, any, all or filter. The values of the call decide
    it."""
    test = true(decided(test))
    if in_graph(test) is not None:
        values_may_decide()
        raise StagingError(
            "the if of a comprehension depends on a tensor; use sl.where, or a "
            "for loop that appends to a list"
        )
    return test


def unpacked(items: Any) -> Any:
    """The value assigned to several targets at once."""
    return items if isinstance(items, (Tensor, Staged)) else iterated(items)


def shape(value: Any, index: Any) -> Any:
    """value.shape[index], also where it is known only at run time."""
    shape = value.shape
    if isinstance(value, Tensor) and isinstance(index, int):
        if value.symbolic and shape is not None and shape[index] is None:
            return size(value, index)
    return shape[index]
