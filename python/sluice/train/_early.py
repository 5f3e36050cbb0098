"""Whether a metric has stopped getting better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._closed import closed

__all__ = ["EarlyStopping"]


@closed
class EarlyStopping:
    """Ends a run when ``metric`` of the evaluation was no better, by more than
    ``min_delta``, for more than ``patience`` evaluations."""

    def __init__(
        self,
        metric: str = "loss",
        patience: int = 3,
        min_delta: float = 0.0,
        mode: str = "min",
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode is {mode!r}; wanted 'min' or 'max'")
        self.metric, self.patience, self.min_delta = metric, patience, min_delta
        self.mode = mode
        self._best = math.inf  # stored so that smaller is better
        self._bad = 0

    def step(self, value: Any) -> bool:
        """True if the run should stop. NaN never counts as better."""
        patience = _core.Patience(self.patience, self.min_delta, self.mode == "max")
        patience.restore(self._best, self._bad)
        over: bool = patience.tell(float(value))
        self._best, self._bad = patience.best, patience.bad
        return over

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers; ``best`` is None before the first step."""
        return {
            "best": self._best if math.isfinite(self._best) else None,
            "bad": self._bad,
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restores a state from ``state_dict``."""
        best = state_dict["best"]
        self._best = math.inf if best is None else float(best)
        self._bad = int(state_dict["bad"])
