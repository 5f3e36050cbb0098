"""What PyTorch lets programs set for all: the default type, the threads."""

from __future__ import annotations

from typing import Any

from . import _core

__all__ = [
    "get_default_dtype",
    "get_num_threads",
    "set_default_dtype",
    "set_num_threads",
]


def get_default_dtype() -> _core.dtype:
    """The type of floats that nobody gave one: float32."""
    return _core.float32


def set_default_dtype(d: Any) -> None:
    """Takes float32 alone, which the default type always is."""
    if _core.find_dtype(d) != _core.float32:
        raise NotImplementedError(
            f"set_default_dtype(): {_core.find_dtype(d).name}; the default is always "
            "float32; wanted dtype= where a tensor is made, or module.to(dtype)"
        )


def get_num_threads() -> int:
    """How many threads compute."""
    return int(_core.build_info()["threads"])


def set_num_threads(n: int) -> None:
    """Takes the number there is alone: threads are started once for a process."""
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 1:
        raise ValueError(f"set_num_threads(): {n!r}; wanted an int of 1 or more")
    if n.__index__() != get_num_threads():
        raise NotImplementedError(
            f"set_num_threads(): {n}, while {get_num_threads()} threads compute; "
            f"wanted SLUICE_THREADS={n} in the environment when the program starts"
        )
