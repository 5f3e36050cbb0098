"""Numbers of a run: in a file, and on the terminal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._closed import closed

__all__ = ["MetricsLog", "Progress"]


def _say(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def _numbers(metrics: Mapping[str, Any] | None) -> list[tuple[str, float]]:
    return [(name, float(value)) for name, value in (metrics or {}).items()]


@closed
class MetricsLog:
    """Numbers by step in a file: CSV where the path ends in .csv, else one JSON
    object per line.

    A file that was there is kept beside, unless the run goes on after
    ``resume_step``: then later lines are dropped and the rest goes on.
    """

    def __init__(self, path: Any, resume_step: int = -1) -> None:
        self._core = _core.MetricsLog(path, resume_step, _say)

    def write(self, step: int, metrics: Mapping[str, Any]) -> None:
        """One line; it is in the file when this returns."""
        self._core.write(step, _numbers(metrics))

    @property
    def path(self) -> str:
        """The file."""
        return str(self._core.path)


@closed
class Progress:
    """How far training is: one line that is drawn over on a terminal, and a
    plain line now and then anywhere else (standard error).

        progress = report.Progress(total=len(loader), unit="images",
                                   items_per_step=64)
        for images, labels in loader:
            progress.update(step(images, labels))
    """

    def __init__(
        self,
        total: int = 0,
        start: int = 0,
        label: str = "",
        items_per_step: float = 1,
        unit: str = "steps",
        loss_name: str = "loss",
        smoothing: float = 0.9,
    ) -> None:
        self._core = _core.Progress(
            total, start, label, items_per_step, unit, loss_name, smoothing
        )

    def update(self, loss: Any, metrics: Mapping[str, Any] | None = None) -> None:
        """One more step, with its loss."""
        self._core.update(loss, _numbers(metrics))

    def advance(self, steps: int = 1, metrics: Mapping[str, Any] | None = None) -> None:
        """Steps without a loss."""
        self._core.advance(steps, _numbers(metrics))

    def note(self, text: str) -> None:
        """A line of text above the bar."""
        self._core.note(text)

    def finish(self) -> None:
        """The last line. Nothing is shown afterwards."""
        self._core.finish()

    @property
    def loss(self) -> float:
        """The loss as shown; NaN before the first."""
        return float(self._core.loss)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self.finish()
