"""Where operations should run: device("/cpu:0")."""

from __future__ import annotations

import re
import threading
from typing import Any

from . import _core

_FORM = re.compile(
    r"(?:/job:(?P<job>[A-Za-z_]\w*))?"
    r"(?:/(?:replica:\d+/)?task:(?P<task>\d+))?"
    r"(?:/?(?:device:)?(?P<type>[A-Za-z]+)(?::(?P<index>\d+))?)?"
)
_TYPES = ("cpu", "gpu", "cuda", "sim")


class device:
    """A device, by name: "cpu", "cpu:0", "/cpu:0", "/job:ps/task:0/cpu:0".

    As a scope for `with` it is where operations of a graph made inside should
    run. It is a wish: steps on a machine without that device run on the CPU.
    """

    #: The kind: "cpu"; "" when only a job or task is named.
    type: str
    #: Its number; None when none was said.
    index: int | None

    def __init__(self, name: str | device, index: int | None = None) -> None:
        if isinstance(name, device):
            name = name._text
        if not isinstance(name, str):
            raise TypeError(
                f"the device is a {name.__class__.__name__}; wanted a name like "
                '"cpu" or "/cpu:0"'
            )
        text = name if index is None else f"{name}:{index}"
        found = _FORM.fullmatch(text)
        kind = (found["type"] or "").lower() if found else ""
        if not text or not found or (kind and kind not in _TYPES):
            raise ValueError(
                f'the device is "{text}"; wanted a name like "cpu", "/cpu:0" or '
                '"/job:ps/task:0/cpu:0"'
            )
        self._text = text
        self._scopes: dict[int, list[Any]] = {}  # of each thread
        self.type = kind
        self.index = None if found["index"] is None else int(found["index"])

    def __enter__(self) -> device:
        text = self._text if self._text.startswith("/") else "/" + self._text
        scope = _core.device_scope(text)
        scope.__enter__()
        self._scopes.setdefault(threading.get_ident(), []).append(scope)
        return self

    def __exit__(self, *error: Any) -> None:
        mine = self._scopes.get(threading.get_ident())
        if not mine:
            raise RuntimeError("this scope is not open on this thread")
        mine.pop().__exit__(*error)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f'device("{self._text}")'

    def _same(self) -> tuple[str, str, int]:
        where = self._text.lower().rpartition("/")[0]
        return where, self.type, self.index or 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            try:
                other = device(other)
            except ValueError:
                return False
        if not isinstance(other, device):
            return NotImplemented
        return self._same() == other._same()

    def __hash__(self) -> int:
        return hash(self._same())
