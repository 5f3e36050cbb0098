"""The variables of a running function, read and written from outside.

The blocks of a construct are functions whose closures hold the cells of the
variables around them. "self.h" is an attribute of what is in such a cell.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Iterable
from typing import Any

from .values import MISSING, copied


class Variables:
    """Those that some blocks of one construct share."""

    def __init__(self, *blocks: Any) -> None:
        self._cells: dict[str, types.CellType] = {}
        self._globals: dict[str, Any] = {}
        for block in blocks:
            if block is not None:
                names = block.__code__.co_freevars
                self._cells.update(zip(names, block.__closure__ or ()))
                self._globals = block.__globals__

    def _root(self, name: str) -> Any:
        cell = self._cells.get(name)
        try:
            if cell is not None:
                return cell.cell_contents
        except ValueError:
            return MISSING
        return self._globals.get(name, getattr(builtins, name, MISSING))

    def _owner(self, name: str) -> tuple[Any, str]:
        first, *path, last = name.split(".")
        owner = self._root(first)
        for part in path:
            owner = getattr(owner, part, MISSING)
        return owner, last

    def get(self, name: str) -> Any:
        """Its value, or MISSING."""
        if "." in name:
            owner, last = self._owner(name)
            return getattr(owner, last, MISSING)
        cell = self._cells.get(name)
        if cell is None:
            return MISSING
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING

    def set(self, name: str, value: Any) -> None:
        """Assigns it; MISSING takes its value away."""
        if "." in name:
            owner, last = self._owner(name)
            if value is not MISSING:
                setattr(owner, last, value)
            elif hasattr(owner, last):
                delattr(owner, last)
            return
        cell = self._cells.get(name)
        if cell is None:
            return
        if value is not MISSING:
            cell.cell_contents = value
        else:
            try:
                del cell.cell_contents
            except ValueError:
                pass

    def taken(self, names: Iterable[str]) -> dict[str, Any]:
        """The values they have now."""
        return {name: self.get(name) for name in names}

    def put(self, values: dict[str, Any]) -> None:
        """Gives them these values."""
        for name, value in values.items():
            if "." not in name or self.get(name) is not value:
                self.set(name, value)

    def put_copies(self, values: dict[str, Any]) -> None:
        """The same; containers are copied, so that their owner sees no change."""
        self.put({name: copied(value) for name, value in values.items()})
