"""The dict of a module's named parts, which reports its changes."""

from __future__ import annotations

from typing import Any

from .. import _core


class Table(dict):  # type: ignore[type-arg]
    """Parameters, buffers or modules by name.

    Functions that were recorded with them look again after every change
    (docs/capture.md); one that is being recorded undoes and repeats it.
    """

    __slots__ = ()

    def _changes(self, *names: Any) -> None:
        _core.bump_epoch()
        recorder = _core.recorder()
        if recorder is not None:
            recorder.table_changes(self, names)

    def __setitem__(self, name: Any, value: Any) -> None:
        self._changes(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: Any) -> None:
        self._changes(name)
        super().__delitem__(name)

    def pop(self, name: Any, *default: Any) -> Any:
        if name in self:
            self._changes(name)
        return super().pop(name, *default)

    def popitem(self) -> Any:
        self._changes(*self)
        return super().popitem()

    def clear(self) -> None:
        self._changes(*self)
        super().clear()

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self
