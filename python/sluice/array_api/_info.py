"""What the namespace says of itself: its types, defaults and devices."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._array.device import CPU, Device, check_device
from .._array.types import isdtype
from . import _constants

__all__ = ["__array_namespace_info__"]

_TYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64"
).split()


class Info:
    """What __array_namespace_info__() gives."""

    def capabilities(self) -> dict[str, Any]:
        """What is optional in the standard, and whether it is here."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": 8,
        }

    def default_device(self) -> Device:
        """Where arrays are made."""
        return CPU

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The types of arrays made of Python's numbers."""
        check_device(device)
        return {
            "real floating": _core.float32,
            "complex floating": _core.complex64,
            "integral": _core.int64,
            "indexing": _core.int64,
        }

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, Any]:
        """The types by name: all, or those of a kind ("real floating", ...)."""
        check_device(device)
        types = {name: getattr(_constants, name) for name in _TYPES}
        if kind is None:
            return types
        return {name: t for name, t in types.items() if isdtype(t, kind)}

    def devices(self) -> list[Device]:
        """The devices there are."""
        return [Device(name) for name in _core.device_names()]


def __array_namespace_info__() -> Info:
    """The namespace's types, defaults and devices."""
    return Info()
