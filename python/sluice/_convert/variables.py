"""Reads and writes the variables of a running function from outside.

The blocks of a construct are functions whose closures hold the cells of the enclosing
variables. A variable without a cell is global.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from .. import _core
from .codes import RESULT
from .places import Cell, Item, Place
from .values import MISSING, new_containers


class Variables:
    """The variables that the blocks of one construct share."""

    def __init__(self, *blocks: Any) -> None:
        self._cells: dict[str, types.CellType] = {}
        self._globals: dict[str, Any] = {}
        for block in blocks:
            if block is not None:
                names = block.__code__.co_freevars
                self._cells.update(zip(names, block.__closure__ or ()))
                self._globals = block.__globals__

    def get(self, name: str) -> Any:
        """The value of a variable now; MISSING if it is unbound."""
        cell = self._cells.get(name)
        if cell is None:
            return MISSING if name == RESULT else self._globals.get(name, MISSING)
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING

    def set(self, name: str, value: Any) -> None:
        """Assigns a variable; MISSING unbinds it."""
        cell = self._cells.get(name)
        if cell is None:
            if name == RESULT:
                return
            if value is not MISSING:
                self._globals[name] = value
            else:
                self._globals.pop(name, None)
            return
        if value is not MISSING:
            cell.cell_contents = value
        else:
            try:
                del cell.cell_contents
            except ValueError:
                pass

    def cells(self) -> list[tuple[str, types.CellType]]:
        """The cells of variables that are not global, by name."""
        return list(self._cells.items())

    def cell(self, name: str) -> types.CellType | None:
        """The cell of a variable; None if it is global."""
        return self._cells.get(name)

    def values(self) -> list[Any]:
        """The values in the cells."""
        found = (self.get(name) for name in self._cells)
        return [value for value in found if value is not MISSING]

    def place(self, name: str) -> Place:
        """The place of a variable."""
        cell = self._cells.get(name)
        return Item(self._globals, name, name) if cell is None else Cell(cell, name)

    def taken(self, names: Iterable[str]) -> dict[str, Any]:
        """The current values of some variables."""
        return {name: self.get(name) for name in names}

    def put(self, values: dict[str, Any]) -> None:
        """Assigns these values."""
        for name, value in values.items():
            self.set(name, value)

    def put_copies(self, values: dict[str, Any]) -> None:
        """The same, but copies containers of the function, so that their owner sees no
        change. Containers from outside are not copied: the recorder tracks them."""
        recorder = _core.recorder()
        for name, value in values.items():
            if recorder is None or not recorder.knows(value):
                value = new_containers(value)
            self.set(name, value)
