"""Writes to places, each with what was there before.

Frames are opened one inside the other: one for the recording, one for each way
of a branch and each body of a loop that is being recorded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .places import Place
from .values import MISSING

Noted = tuple[Place, Any]


class Journal:
    """What was there before, by place and frame."""

    def __init__(self) -> None:
        self.frames: list[dict[Any, Noted]] = [{}]
        self.told = 0  # how often something was about to be written
        self._existing: dict[int, Any] = {}  # containers that are not new

    @property
    def depth(self) -> int:
        """How many frames are open."""
        return len(self.frames)

    def note(self, place: Place) -> None:
        """The place is about to be written."""
        self.told += 1
        value: Any = None
        taken = False
        for frame in reversed(self.frames):
            if place.key in frame:
                return
            if not taken:
                value, taken = place.get(), True
            frame[place.key] = place, value

    def came(self, place: Place) -> None:
        """The place has a value now, and had none before."""
        for frame in self.frames:
            frame.setdefault(place.key, (place, MISSING))

    def exists(self, container: Any) -> None:
        """The container is not made by the innermost frame."""
        self._existing[id(container)] = container

    def existed(self, container: Any) -> bool:
        """Whether that was said of it."""
        return id(container) in self._existing

    @contextlib.contextmanager
    def frame(self) -> Iterator[dict[Any, Noted]]:
        """A frame; what is written in it is put back at its end."""
        frame: dict[Any, Noted] = {}
        self.frames.append(frame)
        depth = len(self.frames)
        try:
            yield frame
        finally:
            while len(self.frames) >= depth:
                put_back(self.frames.pop())

    def rollback(self) -> None:
        """Puts everything back."""
        while self.frames[1:]:
            put_back(self.frames.pop())
        put_back(self.frames[0])
        self.frames[0] = {}


def put_back(frame: dict[Any, Noted]) -> None:
    """The values before, the last written place first."""
    for place, value in reversed(frame.values()):
        place.back(value)
