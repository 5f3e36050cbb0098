"""Finds the ranks that others wait for, from the times that ranks spend in collectives.

No clocks are compared. The last rank to enter a collective spends the shortest time in
it, and the extra time of every other rank is its waiting time.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ._group import get_rank, get_world_size, group_name
from ._objects import all_gather_object

__all__ = ["StragglerReport", "straggler_report"]


@dataclass
class StragglerReport:
    """Of some collectives: who came last how often, and how long others waited for
    it. Printed, it says that in words."""

    collectives: int  # the number of collectives
    last_number: int  # the index of the last one, for ``since`` of the next report
    seconds: float  # from the first to the end of the last one, on the slowest rank
    ranks: list[str] = field(repr=False)  # "rank 2 (host, process 123)"
    came_last: list[int] = field(repr=False)  # how often each rank came last
    waited: list[list[float]] = field(repr=False)  # [r][s]: seconds of r for s

    def kept_waiting(self, rank: int) -> float:
        """The average seconds that the others waited for a rank."""
        others = max(len(self.ranks) - 1, 1)
        return sum(row[rank] for row in self.waited) / others

    def straggler(self) -> int | None:
        """The rank that the others waited for most; None if nobody waited."""
        costs = [self.kept_waiting(rank) for rank in range(len(self.ranks))]
        most = max(costs, default=0.0)
        return costs.index(most) if most > 0 else None

    def __str__(self) -> str:
        lines = [f"{self.collectives} collectives in {self.seconds:.3f} s"]
        order = sorted(range(len(self.ranks)), key=lambda r: -self.kept_waiting(r))
        for rank in order:
            share = 100 * self.kept_waiting(rank) / max(self.seconds, 1e-9)
            waits = ", ".join(
                f"rank {r} {row[rank]:.3f} s"
                for r, row in enumerate(self.waited)
                if r != rank and row[rank] > 0
            )
            lines.append(
                f"  {self.ranks[rank]} came last {self.came_last[rank]} times, and the "
                f"others waited {share:.1f} % of the time for it"
                + (f": {waits}" if waits else "")
            )
        return "\n".join(lines)


def straggler_report(group: Any = None, since: int = 0) -> StragglerReport:
    """Who waited for whom in the last collectives (up to 1,000), or in those after
    number ``since``. Every rank calls it, and all get the same."""
    import numpy as np

    rank = get_rank(group)
    times = [t for t in _core.dist_times(group_name(group)) if t[0] > since]
    name = f"rank {rank} ({socket.gethostname()}, process {os.getpid()})"
    found: list[Any] = [None] * get_world_size(group)
    all_gather_object(found, (name, np.array(times, dtype=np.int64)), group)
    names = [one[0] for one in found]
    known = [{int(n): (a, b) for n, a, b in one[1]} for one in found]
    numbers = sorted(set.intersection(*(set(one) for one in known)))
    size = len(known)
    came_last, waited = [0] * size, [[0.0] * size for _ in range(size)]
    for number in numbers:
        spent = [int(one[number][1] - one[number][0]) for one in known]
        last = spent.index(min(spent))
        came_last[last] += 1
        for r in range(size):
            waited[r][last] += (spent[r] - spent[last]) * 1e-9
    seconds = 0.0
    if numbers:
        spans = [one[numbers[-1]][1] - one[numbers[0]][0] for one in known]
        seconds = float(max(spans)) * 1e-9
    return StragglerReport(
        len(numbers), max(numbers, default=since), seconds, names, came_last, waited
    )
