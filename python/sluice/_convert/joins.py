"""stack, concat and tensor of Lists and ranges of a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import StagingError
from .iterables import Range
from .lists import stands_for_list
from .mixed import unmixed
from .values import Tensor


def _check_not_empty(size: Any, name: str) -> None:
    """Checks at run time that a Python list is not empty. If it is, the code runs
    imperatively and raises the error."""
    if isinstance(size, Tensor):
        _core.op_function("Assert")(
            _core.op_function("Greater")(size, 0),
            [size],
            message=f"{name} of an empty list",
        )


def _joined(function: Callable[..., Any], stacks: bool) -> Callable[..., Any]:
    """Wraps stack or concat to accept a Python list that has become a List."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], _core.List):
            return function(*args, **kwargs)
        axis = args[1] if len(args) > 1 else kwargs.get("axis", kwargs.get("dim", 0))
        if axis != 0:
            raise StagingError(
                f"{function.__name__} of a list that grew in a graph, along axis "
                f"{axis}; wanted axis 0"
            )
        if stands_for_list(args[0]):
            _check_not_empty(args[0].size(), function.__name__)
        return args[0].stack() if stacks else args[0].concat()[0]

    return call


def _of_elements(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps tensor and asarray to accept a List, or a range with unknown bounds."""

    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(data, _core.List):
            data = data.stack()
        elif type(data) is Range:
            data = data.tensor()
        return function(data, *args, **kwargs)

    return call


@functools.cache
def joins() -> dict[int, Callable[..., Any]]:
    import sluice

    made = {}
    for name in ("stack", "cat", "concat", "concatenate"):
        function = getattr(sluice, name, None)
        if function is not None:
            made[id(function)] = _joined(function, name == "stack")
    for function in (_core.tensor, sluice.asarray):
        made[id(function)] = _of_elements(unmixed(function))
    return made
