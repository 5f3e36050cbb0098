"""stack and concat of Python lists that have become Lists of a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import StagingError


def _joined(function: Callable[..., Any], stacks: bool) -> Callable[..., Any]:
    """stack or concat, of a Python list that has become a List, too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], _core.List):
            return function(*args, **kwargs)
        axis = args[1] if len(args) > 1 else kwargs.get("axis", kwargs.get("dim", 0))
        if axis != 0:
            raise StagingError(
                f"{function.__name__} of a list that grew in a graph, along axis "
                f"{axis}; wanted axis 0"
            )
        return args[0].stack() if stacks else args[0].concat()[0]

    return call


@functools.cache
def joins() -> dict[int, Callable[..., Any]]:
    import sluice

    made = {}
    for name in ("stack", "cat", "concat", "concatenate"):
        function = getattr(sluice, name, None)
        if function is not None:
            made[id(function)] = _joined(function, name == "stack")
    return made
