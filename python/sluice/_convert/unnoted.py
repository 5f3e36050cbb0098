"""What a way through a branch or loop changes, and nobody has noted.

What code assigns to variables, and what it does to containers and objects from
outside, is noted and merged. What is of the function's own may be changed in ways that
only Python sees: `seen.pop()`, `table.update(...)`, a helper that sorts what it is
given, a function inside that counts in a variable around it. Such code is recorded
again, for the values of its call to decide.
"""

from __future__ import annotations

import copy
import io
import sys
import types
from collections.abc import Iterable
from typing import Any

from .. import _core
from .construct import Construct
from .errors import StagingError
from .object_reads import CONTAINERS, is_array, is_plain, module_class, package_of
from .places import (
    Cell,
    Contents,
    Instance,
    Item,
    elements,
    refill,
    same_contents,
    taken,
)
from .refusals import values_may_decide
from .values import MISSING
from .variables import Variables

_OPAQUE = (types.ModuleType, type, types.CodeType)
# Of these what they have in them says nothing, or changes by being looked at.
_PACKAGES = frozenset({"sluice", "numpy", "logging", "weakref", "threading"})


class Untouched:
    """What blocks can reach of the function's own, as it is before these run."""

    def __init__(self, variables: Variables, modified: Iterable[str] = ()) -> None:
        self._before: list[tuple[Any, Any]] = []  # containers and their elements
        self._cells: list[tuple[types.CellType, Any]] = []
        self._fields: list[tuple[Any, dict[str, Any]]] = []  # of objects
        self._arrays: list[tuple[Any, Any]] = []
        self._texts: list[tuple[Any, Any, int]] = []
        self._iterator: Any = None
        self._grad_mode = _core.is_grad_enabled()
        self._seen: dict[int, Any] = {}
        # Those that blocks assign are merged.
        self._merged = {id(variables.cell(name)) for name in modified}
        for name, cell in variables.cells():
            self._see_cell(name, cell)
        self._see_places()

    def _see_places(self) -> None:
        """What this recording has left in places of the program around."""
        recorder = _core.recorder()
        for place, _ in list(recorder.frames[0].values()) if recorder else ():
            if isinstance(place, Contents):
                held = elements(place.owner)
                is_dict = isinstance(place.owner, dict)
                parts = [part for _, part in held] if is_dict else list(held)
            elif isinstance(place, (Item, Instance, Cell)):
                parts = [place.get()]
            else:
                continue
            for part in parts:
                if isinstance(part, (*CONTAINERS, tuple)) and not recorder.knows(part):
                    self._see(part)

    def _see_cell(self, name: str, cell: types.CellType) -> None:
        value = _content(cell)
        if id(cell) not in self._merged and not name.startswith("__sl_"):
            self._cells.append((cell, value))
        if value is not MISSING:
            self._see(value)

    def _see(self, value: Any) -> None:
        if isinstance(value, types.BuiltinFunctionType):
            self._see(value.__self__)  # seen.append, kept under a name
            return
        if is_plain(value) or id(value) in self._seen:
            return
        if isinstance(value, types.FunctionType):
            self._seen[id(value)] = value
            for name, cell in Variables(value).cells():
                if id(cell) not in self._seen:
                    self._seen[id(cell)] = cell
                    self._see_cell(name, cell)
        elif isinstance(value, (*CONTAINERS, tuple)):
            self._seen[id(value)] = value
            parts = value.values() if isinstance(value, dict) else value
            if not isinstance(value, tuple):
                self._before.append((value, taken(value)))
            for part in () if isinstance(value, bytearray) else list(parts):
                self._see(part)
        elif not isinstance(value, (*_OPAQUE, module_class())):
            self._seen[id(value)] = value
            self._see_object(value)

    def _see_object(self, value: Any) -> None:
        recorder = _core.recorder()
        if recorder is not None and id(value) in recorder.old:
            return  # its changes are noted
        if isinstance(value, (io.StringIO, io.BytesIO)):
            self._texts.append((value, value.getvalue(), value.tell()))
        elif is_array(value):
            self._arrays.append((value, copy.copy(value)))
        elif hasattr(type(value), "__next__"):
            self._iterator = self._iterator or value
        elif package_of(type(value)) not in _PACKAGES:
            fields = getattr(value, "__dict__", None)
            if type(fields) is dict:
                self._fields.append((value, dict(fields)))
                for part in list(fields.values()):
                    self._see(part)

    def knows(self, value: Any) -> bool:
        """Whether blocks could reach it."""
        return self._seen.get(id(value)) is value

    def refuse_iterator(self, construct: Construct) -> None:
        """Throws when blocks can take from an iterator: nobody can put it back."""
        if self._iterator is not None:
            self._refuse(construct, "takes from", self._iterator)

    def check(self, construct: Construct) -> None:
        """Throws when a way, which is over, has changed something; puts it back."""
        changed: Any = None
        if _core.is_grad_enabled() != self._grad_mode:
            _core.set_grad_mode(self._grad_mode)
            changed = _core
        for container, before in self._before:
            if not same_contents(taken(container), before):
                refill(container, before)
                changed = container
        for cell, value in self._cells:
            if _content(cell) is not value:
                _fill(cell, value)
                changed = value
        for owner, fields in self._fields:
            if not same_contents(dict(owner.__dict__), fields):
                refill(owner.__dict__, fields)
                changed = owner
        for array, elements in self._arrays:
            if array.tobytes() != elements.tobytes():
                array[:] = elements
                changed = array
        for stream, text, place in self._texts:
            if stream.getvalue() != text or stream.tell() != place:
                stream.seek(0)
                stream.truncate()
                stream.write(text)
                stream.seek(place)
                changed = stream
        if changed is not None:
            self._refuse(construct, "changes", changed)

    def _refuse(self, construct: Construct, does: str, what: Any) -> None:
        values_may_decide()
        kind = type(what).__name__
        raise StagingError(
            f"{construct.place}: this {construct.kind} depends on a tensor, and a way "
            f"through it {does} a {kind} of the function's own in place; wanted an "
            "assignment, such as x = x + [y]"
        )


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _fill(cell: types.CellType, value: Any) -> None:
    if value is not MISSING:
        cell.cell_contents = value
    elif _content(cell) is not MISSING:
        del cell.cell_contents


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
