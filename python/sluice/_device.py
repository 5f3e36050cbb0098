"""Where operations should run: device("/cpu:0"), colocate_with(weights)."""

from __future__ import annotations

import re
import threading
from typing import Any

from . import _core
from ._array.device import Device
from ._closed import closed

_FORM = re.compile(
    r"(?P<where>(?:/job:[A-Za-z_]\w*)?(?:/(?:replica:\d+/)?task:\d+)?)"
    r"(?:/?(?:device:)?(?P<kind>[A-Za-z]+)(?P<index>:\d+)?)?"
)
_KINDS = ("cpu", "gpu", "cuda", "sim")


@closed
class device(Device):
    """A device, by name: "cpu", "cpu:0", "/cpu:0", "/job:ps/task:0/cpu:0".

    In a `with` statement it selects where graph operations made inside run, and where
    tensors are created. A graph step that names a missing device fails.
    """

    _scopes: dict[int, list[Any]]  # open scopes of each thread

    def __new__(cls, name: str, index: int | None = None) -> device:
        if not isinstance(name, str):
            raise TypeError(
                f"the device is a {name.__class__.__name__}; wanted a name like "
                '"cpu" or "/cpu:0"'
            )
        text = name if index is None else f"{name}:{index}"
        found = _FORM.fullmatch(text)
        kind = (found["kind"] or "").lower() if found else ""
        if not found or not text or (kind and kind not in _KINDS):
            raise ValueError(
                f'the device is "{text}"; wanted a name like "cpu", "/cpu:0" or '
                '"/job:ps/task:0/cpu:0"'
            )
        plain = kind + (found["index"] or "")
        if found["where"]:
            plain = "/".join([found["where"], plain]) if plain else found["where"]
        made = super().__new__(cls, plain)
        made._scopes = {}
        return made

    @property
    def type(self) -> str:
        """The kind of device, such as "cpu"; "" if the name has only a job or task."""
        last = self.rpartition("/")[2].partition(":")[0]
        return last if last in _KINDS else ""

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """The index of the device, if the name has one."""
        number = self.rpartition("/")[2].partition(":")[2]
        return int(number) if self.type and number else None

    def __enter__(self) -> device:
        text = str(self) if self.startswith("/") else "/" + str(self)
        scope = _core.device_scope(text)
        scope.__enter__()
        self._scopes.setdefault(threading.get_ident(), []).append(scope)
        return self

    def __exit__(self, *error: Any) -> None:
        mine = self._scopes.get(threading.get_ident())
        if not mine:
            raise RuntimeError("this scope is not open on this thread")
        mine.pop().__exit__(*error)

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (str(self),)


def colocate_with(op: Any) -> Any:
    """A scope: operations made inside run on the device of this one.

    `op` is a tensor, a variable or an operation, whose device may still be undecided.
    Imperatively, new tensors are created on its device.
    """
    return _core.colocate_scope(op)
