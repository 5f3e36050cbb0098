"""How a run of the Trainer ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .._closed import closed

__all__ = ["EXIT_LATER", "FitResult"]

# EX_TEMPFAIL: the progress is saved, and the rest is for a later run.
EXIT_LATER = 75


@closed
@dataclass
class FitResult:
    """How a run ended: "done", "early" or "signal"; "nothing" where all epochs and
    steps were done before."""

    end: str = "done"
    steps: int = 0  # in total, including those before a resume
    resumed: int | None = None  # the step that it resumed from
    loss: float = math.nan  # of the last step; the mean over ranks
    metrics: dict[str, float] = field(default_factory=dict)
    curve: list[tuple[int, float]] = field(default_factory=list)
    # From the last log: steps per second, tail latency, and the straggling rank.
    speed: dict[str, float] = field(default_factory=dict)
