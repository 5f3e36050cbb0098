"""Names that a program being written may use, by kind.

Tensors have one of few shapes, so that any two of a kind go together:

    S  one element          V  3 elements          P  2 elements
    M  rows of 3            Q  3 rows of 3         B  one element for each row

The number of rows of M and B changes from call to call. `I` is a whole number, `F`
a float, both Python's.
"""

from __future__ import annotations

import dataclasses
import random

TENSORS = "SVPMQB"


@dataclasses.dataclass
class Name:
    text: str  # "t1", "self.h", 'd["a"]'
    kind: str
    leaf: bool = False  # a parameter: written in place under no_grad alone
    assigned: bool = True  # may stand left of `=`
    written: bool = True  # may be written in place


class Scope:
    """Names in reach, innermost last. Blocks drop what they made at their end."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[Name] = []
        self._count = 0

    def add(self, text: str, kind: str, **flags: bool) -> Name:
        made = Name(text, kind, **flags)
        self.names.append(made)
        return made

    def fresh(self, prefix: str = "t") -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def of(self, kinds: str, **flags: bool) -> list[Name]:
        return [
            n for n in self.names
            if n.kind in kinds
            and all(getattr(n, key) == value for key, value in flags.items())
        ]

    def pick(self, kinds: str, **flags: bool) -> Name | None:
        found = self.of(kinds, **flags)
        if not found:
            return None
        # What was made last is more often what matters.
        if len(found) > 3 and self.rng.random() < 0.5:
            found = found[-3:]
        return self.rng.choice(found)

    def mark(self) -> int:
        return len(self.names)

    def release(self, mark: int) -> None:
        del self.names[mark:]
