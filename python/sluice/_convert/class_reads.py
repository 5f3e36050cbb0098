"""What only functions tell about classes and objects: isinstance() of classes that
decide themselves, registered classes, weak references."""

from __future__ import annotations

import abc
import types
from typing import Any

from .object_reads import in_class, is_library_class, is_users


class Referred:
    """Whether what a weak reference refers to is still there."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference
        self._alive = reference() is not None

    def holds(self) -> bool:
        """Whether it is as it was."""
        return (self._reference() is not None) == self._alive


class Registered:
    """Whether no class was registered with another since."""

    def __init__(self) -> None:
        self._token = abc.get_cache_token()

    def holds(self) -> bool:
        """Whether it is as it was."""
        return abc.get_cache_token() == self._token


def checked(recorder: Any, value: Any, classes: Any) -> bool | None:
    """isinstance(value, classes) by code of the user's; None where it is Python's."""
    if isinstance(classes, tuple):
        found = [checked(recorder, value, one) for one in classes]
        if all(one is None for one in found):
            return None
        made = zip(found, classes)
        return any(isinstance(value, c) if f is None else f for f, c in made)
    meta = type(classes)
    if isinstance(classes, abc.ABCMeta) and not is_library_class(classes):
        if not any(isinstance(kept, Registered) for kept in recorder.caches):
            recorder.caches.append(Registered())
    own = in_class(meta, "__instancecheck__")
    if not is_users(own) or type(value) is classes:
        return None
    recorder.special(meta, "__instancecheck__")
    recorder.value(own, "__instancecheck__")
    return bool(recorder.call(types.MethodType(own, classes))(value))
