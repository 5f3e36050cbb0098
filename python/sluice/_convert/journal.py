"""A journal of writes to places, each with the value before.

Frames are nested: one for the recording, and one for each path of a branch and each
body of a loop that is being recorded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .places import Place
from .values import MISSING

Noted = tuple[Place, Any]


class Journal:
    """Earlier values, by place and frame."""

    def __init__(self) -> None:
        self.frames: list[dict[Any, Noted]] = [{}]
        self.told = 0  # the number of noted writes
        self._existing: dict[int, Any] = {}  # containers from before the frame

    @property
    def depth(self) -> int:
        """The number of open frames."""
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
        """The place has received its first value."""
        for frame in self.frames:
            frame.setdefault(place.key, (place, MISSING))

    def exists(self, container: Any) -> None:
        """Notes that the container was made before the innermost frame."""
        self._existing[id(container)] = container

    def existed(self, container: Any) -> bool:
        """Whether exists() was called for the container."""
        return id(container) in self._existing

    @contextlib.contextmanager
    def frame(self) -> Iterator[dict[Any, Noted]]:
        """Opens a frame. Its writes are undone when it ends."""
        frame: dict[Any, Noted] = {}
        self.frames.append(frame)
        depth = len(self.frames)
        try:
            yield frame
        finally:
            while len(self.frames) >= depth:
                put_back(self.frames.pop())

    def rollback(self) -> None:
        """Undoes all writes."""
        while self.frames[1:]:
            put_back(self.frames.pop())
        put_back(self.frames[0])
        self.frames[0] = {}


def put_back(frame: dict[Any, Noted]) -> None:
    """Restores earlier values, starting with the last written place."""
    for place, value in reversed(frame.values()):
        place.back(value)
