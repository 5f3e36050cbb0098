"""Python lists that grow, where a graph needs a List."""

from __future__ import annotations

from typing import Any

from .. import _core
from .values import Tensor, as_tensor, is_number, number_dtype


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


def as_list(values: Any, dtype: Any) -> Any:
    """A List of the same elements."""
    made = _core.List(dtype)
    for value in values:
        made = made.append(as_tensor(value, dtype))
    return made
