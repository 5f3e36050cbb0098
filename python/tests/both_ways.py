"""A program run as it is and captured: what both give must be equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sluice as sl


def plain(f: Any) -> Any:
    return f


def both(program: Callable[[Any], Any]) -> Any:
    """program(wrap) defines a function with `wrap` and returns what it saw."""
    wanted, got = program(plain), program(sl.function)
    assert got == wanted
    return wanted
