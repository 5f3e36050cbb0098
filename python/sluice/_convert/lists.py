"""Python lists that grow in a graph, which needs a List for them."""

from __future__ import annotations

from typing import Any

from .. import _core
from .errors import StagingError
from .refusals import values_may_decide
from .values import Tensor, as_tensor, is_number, number_dtype, python_number


def grown(before: Any, after: Any) -> Any:
    """The dtype of the elements, if tensors were appended to a Python list."""
    if type(before) is not list:
        return None
    if isinstance(after, _core.List):
        return after.dtype
    if type(after) is not list or len(after) <= len(before):
        return None
    dtypes = [_dtype(element) for element in after]
    same = all(dtype == dtypes[0] for dtype in dtypes)
    return dtypes[0] if same else None


def _dtype(element: Any) -> Any:
    if is_number(element):
        dtype = number_dtype(element)
        # The default dtype, as for elements of a tensor.
        return _core.default_float() if dtype == _core.float64 else dtype
    return element.dtype if isinstance(element, Tensor) else None


def note_element(value: Any) -> None:
    """Remembers the class of elements of a growing Python list, which is a Python list
    again outside the graph."""
    recorder = _core.recorder()
    if recorder is None:
        return
    kind: Any = Tensor
    if not isinstance(value, Tensor):
        kind = value.__class__
    elif python_number(value) is not None:
        kind = python_number(value)
    recorder.grown.add(kind)


def note_shown(made: Any, before: Any, value: Any) -> None:
    """A list shows what is written to its elements later, which a List does not: it
    is unknown then, and so is what the list before it shows."""
    if made is not before:
        _core.may_be(made.tensor, before.tensor)
    if isinstance(value, Tensor):
        _core.may_be(made.tensor, value)


def stands_for_list(value: Any) -> bool:
    """Whether a List is a Python list in the program."""
    recorder = _core.recorder()
    if recorder is None or not isinstance(value, _core.List):
        return False
    return bool(recorder.grown) and not recorder.own_lists


def refuse_grown(what: str, value: Any) -> None:
    """Throws for such a List where its answer would differ from a Python list's."""
    if stands_for_list(value):
        values_may_decide()
        raise StagingError(
            f"{what} of a list that grew in a branch or loop that a tensor decides; "
            "wanted sl.stack() of it"
        )


def element(value: Any) -> Any:
    """An element read from a List: a number if the Python list held numbers."""
    recorder = _core.recorder()
    if recorder is None or recorder.own_lists or not isinstance(value, Tensor):
        return value
    kinds = recorder.grown
    if len(kinds) > 1:  # in this list or in others
        values_may_decide()
        raise StagingError(
            "an element of a list that grows where a tensor decides may be a tensor or "
            "a number of some class; wanted lists of one kind"
        )
    if kinds and Tensor not in kinds:
        value._number = True
    return value


def as_list(values: Any, dtype: Any) -> Any:
    """A List of the same elements."""
    made = _core.List(dtype)
    for value in values:
        note_element(value)
        made = made.append(as_tensor(value, dtype))
    for value in values:
        note_shown(made, made, value)
    return made
