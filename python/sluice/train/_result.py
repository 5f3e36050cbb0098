"""How a run of the Trainer ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .._closed import closed

__all__ = ["EXIT_LATER", "FitResult"]

# EX_TEMPFAIL: what was done is saved, and the rest is for another time.
EXIT_LATER = 75


@closed
@dataclass
class FitResult:
    """How a run ended: "done", "early" or "signal"; "nothing" where all epochs and
    steps were done before."""

    end: str = "done"
    steps: int = 0  # in all, those before a resume included
    resumed: int | None = None  # the step it went on from
    loss: float = math.nan  # of the last step; on ranks, the mean of all
    metrics: dict[str, float] = field(default_factory=dict)
    curve: list[tuple[int, float]] = field(default_factory=list)
    # Of the last log: steps per second, tail, and on ranks who was waited for.
    speed: dict[str, float] = field(default_factory=dict)
