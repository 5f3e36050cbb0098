"""PyTorch's global settings: the default dtype, the number of threads."""

from __future__ import annotations

from typing import Any

from . import _core
from ._recorded import Watched

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_default_dtype",
    "get_num_threads",
    "set_default_dtype",
    "set_num_threads",
    "use_deterministic_algorithms",
]


def _outside(what: str) -> None:
    """Refuses to change a process setting in a captured function."""
    if _core.recorder() is not None:
        raise NotImplementedError(
            f"{what} in a captured function, whose graph would not do it; wanted it "
            "before the call"
        )


def get_default_dtype() -> _core.dtype:
    """The type of floats that nobody gave one: float32, unless it was set."""
    found: _core.dtype = _core.default_float()
    return found


def set_default_dtype(d: Any) -> None:
    """From now on floats that nobody gives a type are of this one.

    This applies to Python floats, to tensors and layers made without dtype=, and to
    integers in floating-point computations. Complex numbers stay complex64. Captured
    functions are recorded again for another default.
    """
    _outside("set_default_dtype()")
    kind = _core.find_dtype(d)
    if not kind.is_floating_point:
        raise TypeError(f"set_default_dtype(): {kind.name}; wanted a type of floats")
    _core.set_default_float(kind)


def get_num_threads() -> int:
    """How many threads compute."""
    return int(_threads.read("get_num_threads()"))


_threads = Watched(lambda: int(_core.build_info()["threads"]))


def set_num_threads(n: int) -> None:
    """From now on so many threads compute; results do not depend on how many.

    Sessions and captured functions that ran before keep the threads they have.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__") or not 1 <= n <= 1024:
        raise ValueError(f"set_num_threads(): {n!r}; wanted an int from 1 to 1024")
    _outside("set_num_threads()")
    _core.set_threads(n.__index__())


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Takes either: results are the same every time, whatever the threads."""


def are_deterministic_algorithms_enabled() -> bool:
    """Always."""
    return True
