"""Finds changes made by a path of a branch or loop that the recorder did not note.

Assignments to variables, and changes of captured containers and objects, are noted and
merged. The function's own objects may change in ways that only Python sees:
`seen.pop()`, `table.update(...)`, a helper that sorts its argument, an inner function
that counts in an enclosing variable. Such code is recorded again, with the values of
that call deciding its control flow.
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
# Packages whose objects have attributes that are irrelevant, or change when read.
_PACKAGES = frozenset({"sluice", "numpy", "logging", "weakref", "threading"})


class Untouched:
    """A snapshot of the function's own objects that blocks can reach, taken before the
    blocks run."""

    def __init__(self, variables: Variables, modified: Iterable[str] = ()) -> None:
        self._before: list[tuple[Any, Any]] = []  # containers and their elements
        self._cells: list[tuple[types.CellType, Any]] = []
        self._fields: list[tuple[Any, dict[str, Any]]] = []  # of objects
        self._arrays: list[tuple[Any, Any]] = []
        self._texts: list[tuple[Any, Any, int]] = []
        self._iterator: Any = None
        self._grad_mode = _core.is_grad_enabled()
        self._seen: dict[int, Any] = {}
        # Variables that blocks assign are merged.
        self._merged = {id(variables.cell(name)) for name in modified}
        for name, cell in variables.cells():
            self._see_cell(name, cell)
        self._see_places()

    def _see_places(self) -> None:
        """Sees the values that this recording has left in places outside."""
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
        """Whether blocks could reach the value."""
        return self._seen.get(id(value)) is value

    def refuse_iterator(self, construct: Construct) -> None:
        """Throws when blocks can advance an iterator, which cannot be rewound."""
        if self._iterator is not None:
            self._refuse(construct, "takes from", self._iterator)

    def check(self, construct: Construct) -> None:
        """Throws when a path that has ended has changed something, and restores it."""
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
    """The number of holders of a container that only its variable refers to."""
    own: list[Any] = []
    return _holders(Variables(lambda: own), "own")


_ALONE = _alone()


def refuse_shared(
    construct: Construct, variables: Variables, names: Iterable[str]
) -> None:
    """Throws when a container that paths change has another name. Each path changes a
    copy of its own, so the change would not show under that name."""
    recorder = _core.recorder()
    for name in names:
        value = variables.get(name)
        if not isinstance(value, CONTAINERS):
            continue
        if recorder is not None and recorder.knows(value):
            continue  # changed directly, not as a copy
        del value
        if _holders(variables, name) <= _ALONE:
            continue
        values_may_decide()
        raise StagingError(
            f"{construct.place}: this {construct.kind} depends on a tensor and changes "
            f"{name}, a container that is known by another name, too; wanted one name, "
            "or a copy"
        )
