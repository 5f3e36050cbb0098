"""Containers that a way through a branch or loop changes, and nobody has noted.

What code assigns to variables, and what it does to containers from outside, is noted
and merged. A list, dict or set of the function's own may be changed in ways that only
Python sees: `seen.pop()`, `table.update(...)`, a helper that sorts what it is given.
Such code is recorded again, for the values of its call to decide.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from typing import Any

from .. import _core
from .construct import Construct
from .errors import StagingError
from .object_reads import CONTAINERS, is_plain
from .places import refill, same_contents, taken
from .refusals import values_may_decide
from .variables import Variables


class Untouched:
    """The containers that blocks can reach, as they are before these run."""

    def __init__(self, variables: Variables) -> None:
        self._before: list[tuple[Any, Any]] = []
        self._seen: dict[int, Any] = {}
        for value in variables.values():
            self._see(value)

    def _see(self, value: Any) -> None:
        if is_plain(value) or id(value) in self._seen:
            return
        if isinstance(value, types.FunctionType):
            self._seen[id(value)] = value
            for inner in Variables(value).values():
                self._see(inner)
        elif isinstance(value, (*CONTAINERS, tuple)):
            self._seen[id(value)] = value
            parts = value.values() if isinstance(value, dict) else value
            if not isinstance(value, tuple):
                self._before.append((value, taken(value)))
            for part in () if isinstance(value, bytearray) else list(parts):
                self._see(part)

    def check(self, construct: Construct) -> None:
        """Throws when a way, which is over, has changed one of them; puts it back."""
        changed = [
            (container, before)
            for container, before in self._before
            if not same_contents(taken(container), before)
        ]
        if not changed:
            return
        for container, before in changed:
            refill(container, before)
        values_may_decide()
        kind = type(changed[0][0]).__name__
        raise StagingError(
            f"{construct.place}: this {construct.kind} depends on a tensor, and a way "
            f"through it changes a {kind} of the function's own in place; wanted an "
            "assignment, such as x = x + [y]"
        )


def _holders(variables: Variables, name: str) -> int:
    return sys.getrefcount(variables.get(name))


def _alone() -> int:
    """The same of a container that only its variable holds."""
    own: list[Any] = []
    return _holders(Variables(lambda: own), "own")


_ALONE = _alone()


def refuse_shared(
    construct: Construct, variables: Variables, names: Iterable[str]
) -> None:
    """Throws when a container that ways change, of which each has a copy, is known by
    another name, too: the change would not be seen there."""
    recorder = _core.recorder()
    for name in names:
        value = variables.get(name)
        if not isinstance(value, CONTAINERS):
            continue
        if recorder is not None and recorder.knows(value):
            continue  # it is changed itself
        del value
        if _holders(variables, name) <= _ALONE:
            continue
        values_may_decide()
        raise StagingError(
            f"{construct.place}: this {construct.kind} depends on a tensor and changes "
            f"{name}, a container that is known by another name, too; wanted one name, "
            "or a copy"
        )
