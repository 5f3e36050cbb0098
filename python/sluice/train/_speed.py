"""The speed of steps, and the rank that the others wait for."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from .. import _core
from ._ranks import Ranks

__all__ = ["Speed"]

_KEPT = 200  # steps in the tail statistics


class Speed:
    """Times the steps of a run.

    ``since_last()`` gives, for the log: steps per second since the last call; the
    median and the 99th percentile of the last 200 steps in milliseconds; on ranks
    the share of the time that ranks waited for the one that came last
    (``wait_share``), the rank that was waited for most (``straggler``), and how
    many milliseconds of a step it cost the others (``straggler_ms``).
    """

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._steps: deque[float] = deque(maxlen=_KEPT)
        self._count = 0
        self._last = self._logged = time.perf_counter()
        self._since = 0
        self.report: Any = None  # the last StragglerReport

    def skip(self) -> None:
        """Excludes the time since the last step."""
        self._last = time.perf_counter()

    def step(self) -> None:
        """A step has ended."""
        now = time.perf_counter()
        self._steps.append(now - self._last)
        self._last = now
        self._count += 1

    def since_last(self) -> dict[str, float]:
        """The numbers for the log. All ranks must call it after the same step."""
        now = time.perf_counter()
        seconds, steps = max(now - self._logged, 1e-9), self._count
        self._logged, self._count = now, 0
        times = sorted(self._steps)
        numbers = {"steps_per_second": steps / seconds}
        if times:
            numbers["step_ms"] = times[len(times) // 2] * 1e3
            numbers["step_ms_p99"] = times[int(0.99 * (len(times) - 1))] * 1e3
        if self._ranks.size > 1:
            numbers.update(self._waits(max(steps, 1)))
        return numbers

    def _waits(self, steps: int) -> dict[str, float]:
        from ..distributed import straggler_report

        # Collectives from before the run do not count.
        if self.report is None and not self._since:
            self._since = self._first
        report = straggler_report(since=self._since)
        self.report, self._since = report, report.last_number
        worst = report.straggler()
        if worst is None:
            return {"wait_share": 0.0}
        costs = [report.kept_waiting(rank) for rank in range(self._ranks.size)]
        return {
            "wait_share": sum(costs) / max(report.seconds, 1e-9),
            "straggler": float(worst),
            "straggler_ms": costs[worst] / steps * 1e3,
        }

    def begin(self) -> None:
        """The first step begins."""
        self._last = self._logged = time.perf_counter()
        self._first = 0
        if self._ranks.size > 1:
            times = _core.dist_times("world")
            self._first = times[-1][0] if times else 0

    def in_words(self) -> str:
        """The straggling rank in words, if waiting took a tenth of the time or more."""
        report = self.report
        worst = None if report is None else report.straggler()
        if worst is None or report.seconds <= 0:
            return ""
        share = report.kept_waiting(worst) / report.seconds
        if share < 0.1:
            return ""
        name = report.ranks[worst]
        return f"others waited {100 * share:.0f} % of the time for {name}"
