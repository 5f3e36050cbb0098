"""Seeds of samplers and splits."""

from __future__ import annotations

import operator
from typing import Any

__all__ = ["seed_of"]


def seed_of(generator: Any, seed: int | None = None) -> int:
    """A 64-bit number from a seed or from a generator, which is a number or an
    object with ``initial_seed()`` or ``seed``. None gives 0."""
    given = generator if seed is None else seed
    if given is None:
        return 0
    if hasattr(given, "initial_seed"):
        given = given.initial_seed()
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(
            f"a seed is a {type(given).__name__}; wanted a whole number, or a "
            "generator with initial_seed()"
        ) from None
    return number & (2**64 - 1)
