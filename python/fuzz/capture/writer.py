"""The writer of one program: random choices, features, lines.

Each program uses a random subset of the features (swarm testing): few features
together reach deeper than all of them at once, and what fails has fewer suspects.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from .scope import Scope


class Writer:
    def __init__(self, rng: random.Random, features: set[str]) -> None:
        self.rng = rng
        self.features = features
        self.scope = Scope(rng)
        self.torch = True  # PyTorch gives the same numbers
        self.depth = 0
        self.in_loop = False
        self.no_grad = False
        self.binds_nothing = False  # inside a nested function
        self.may_return = True
        self.returned: list[str] = []  # what `return` in the middle gives

    def has(self, feature: str) -> bool:
        return feature in self.features

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def number(self, low: float = -1.0, high: float = 1.0) -> str:
        return repr(round(self.rng.uniform(low, high), 2))

    def choose(self, ways: Sequence[tuple[float, Callable[[], list[str] | None]]]
               ) -> list[str]:
        """The lines of one of some weighted ways; those that cannot be say None."""
        left = [(weight, way) for weight, way in ways if weight > 0]
        while left:
            i = self.rng.choices(range(len(left)), [weight for weight, _ in left])[0]
            lines = left.pop(i)[1]()
            if lines is not None:
                return lines
        return ["pass"]


def indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line if line else line for line in lines]


def literal(rng: random.Random, shape: Sequence[int], scale: float = 1.0) -> str:
    """Numbers of a shape, as a list of a program. None of them near 0."""
    if not shape:
        size = rng.uniform(0.1, 1.0) * scale
        return repr(round(size if rng.random() < 0.5 else -size, 2))
    parts = (literal(rng, shape[1:], scale) for _ in range(shape[0]))
    return "[" + ", ".join(parts) + "]"
