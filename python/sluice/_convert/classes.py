"""Classes that recorded code makes, and exceptions that it raises."""

from __future__ import annotations

from typing import Any

from .. import _core
from .calls import callee
from .object_reads import is_library_class


def defined(cls: Any) -> None:
    """Notes that the code has made a class, so that its attributes need no guard."""
    recorder = _core.recorder()
    if recorder is not None and id(cls) not in recorder.old:
        recorder.made(cls)


def raised(error: Any) -> Any:
    """The object to raise. For a user class it is an instance that the code makes."""
    if _core.recorder() is None or not isinstance(error, type):
        return error
    own = issubclass(error, BaseException) and not is_library_class(error)
    return callee(error)() if own else error
