"""Ctrl-C and SIGTERM as requests to stop at the next suitable point."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

__all__ = ["StopSignals"]


class StopSignals:
    """Within it, the first Ctrl-C or SIGTERM is noted in ``caught``; a Ctrl-C
    after that does what it would have done without. A second SIGTERM does
    nothing: a scheduler may tell a launcher and its ranks, and the launcher tells
    them again. In other threads than the main one it does nothing.

        with train.StopSignals() as signals:
            while not signals.caught:
                step()
    """

    def __init__(self) -> None:
        self.caught = 0  # the number of the signal
        self._before: dict[int, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.caught = self.caught or number
        self._put_back(signal.SIGINT)

    def _put_back(self, *numbers: int) -> None:
        for number in numbers:
            if number in self._before:
                signal.signal(number, self._before.pop(number))

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.signal(number, self._note)
                self._before[number] = signal.SIG_DFL if before is None else before
        return self

    def __exit__(self, *error: object) -> None:
        self._put_back(*list(self._before))
