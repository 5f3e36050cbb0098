"""Classes that recorded code makes, and objects of theirs that it raises."""

from __future__ import annotations

from typing import Any

from .. import _core
from .calls import callee
from .object_reads import is_library_class


def defined(cls: Any) -> None:
    """The code has made a class: what it has is the code's own."""
    recorder = _core.recorder()
    if recorder is not None and id(cls) not in recorder.old:
        recorder.made(cls)


def raised(error: Any) -> Any:
    """What is raised: of a class of the user's, an object that the code makes."""
    if _core.recorder() is None or not isinstance(error, type):
        return error
    own = issubclass(error, BaseException) and not is_library_class(error)
    return callee(error)() if own else error
