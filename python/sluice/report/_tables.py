"""Text in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .. import _core
from .._closed import closed

__all__ = ["ConfusionMatrix", "Table"]


@closed
class Table:
    """Plain text in columns: numbers to the right, others to the left."""

    def __init__(self, head: Sequence[Any] = ()) -> None:
        self._core = _core.Table([str(cell) for cell in head])

    def row(self, cells: Iterable[Any]) -> Table:
        """One more row."""
        self._core.row([str(cell) for cell in cells])
        return self

    def line(self) -> Table:
        """A line of dashes."""
        self._core.line()
        return self

    def __len__(self) -> int:
        return len(self._core)

    def __str__(self) -> str:
        return str(self._core.text())


@closed
class ConfusionMatrix:
    """Which classes a classifier takes for which; ``classes`` is their number,
    or their names.

        seen = report.ConfusionMatrix(10)
        seen.add(labels, net(images))        # of every batch
        print(seen)
    """

    def __init__(self, classes: int | Sequence[str]) -> None:
        if isinstance(classes, int):
            classes = [str(i) for i in range(classes)]
        self._classes = list(classes)
        self._core = _core.ConfusionMatrix(self._classes)

    def __getstate__(self) -> dict[str, Any]:
        places = range(len(self._classes))
        counts = [(i, j, self.count(i, j)) for i in places for j in places]
        return {"classes": self._classes, "counts": [c for c in counts if c[2]]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ConfusionMatrix.__init__(self, state["classes"])
        for truth, predicted, count in state["counts"]:
            self.add([truth] * count, [predicted] * count)

    def add(self, truth: Any, predicted: Any) -> None:
        """``truth``: n integers. ``predicted``: n integers, or [n, classes]
        scores, the highest of which is the prediction."""
        self._core.add(truth, predicted)

    @property
    def total(self) -> int:
        """How many were added."""
        return int(self._core.total)

    def count(self, truth: int, predicted: int) -> int:
        """How many of ``truth`` were taken for ``predicted``."""
        return int(self._core.count(truth, predicted))

    @property
    def accuracy(self) -> float:
        """Of all, how many are right; NaN when there are none."""
        return float(self._core.accuracy)

    def precision(self, cls: int) -> float:
        """Of those taken for ``cls``, how many are."""
        return float(self._core.precision(cls))

    def recall(self, cls: int) -> float:
        """Of those that are ``cls``, how many are taken for it."""
        return float(self._core.recall(cls))

    def f1(self, cls: int) -> float:
        """Of both: 2 p r / (p + r)."""
        return float(self._core.f1(cls))

    def __str__(self) -> str:
        return str(self._core.text())
