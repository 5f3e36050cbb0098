"""Python lists that grow, where a graph needs a List."""

from __future__ import annotations

from typing import Any

from .. import _core
from .errors import StagingError
from .refusals import values_may_decide
from .values import Tensor, as_tensor, is_number, number_dtype, python_number


def grown(before: Any, after: Any) -> Any:
    """The type of the elements, when a Python list has had tensors appended."""
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
        # As elements of a tensor.
        return _core.default_float() if dtype == _core.float64 else dtype
    return element.dtype if isinstance(element, Tensor) else None


def note_element(value: Any) -> None:
    """Remembers what a Python list that grows holds: outside it is one again."""
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
    _core.may_be(made.tensor, before.tensor)
    if isinstance(value, Tensor):
        _core.may_be(made.tensor, value)


def stands_for_list(value: Any) -> bool:
    """Whether a List is a list of Python's in the program."""
    recorder = _core.recorder()
    if recorder is None or not isinstance(value, _core.List):
        return False
    return bool(recorder.grown) and not recorder.own_lists


def refuse_grown(what: str, value: Any) -> None:
    """Throws for one of which Python is asked what a List does not tell as a list."""
    if stands_for_list(value):
        values_may_decide()
        raise StagingError(
            f"{what} of a list that grew in a branch or loop that a tensor decides; "
            "wanted sl.stack() of it"
        )


def element(value: Any) -> Any:
    """What was taken from a List: a number where the list that grew holds numbers."""
    recorder = _core.recorder()
    if recorder is None or recorder.own_lists or not isinstance(value, Tensor):
        return value
    kinds = recorder.grown
    if len(kinds) > 1:  # of this list or of others
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
    return made
