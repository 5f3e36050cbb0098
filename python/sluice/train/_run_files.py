"""The files that a run writes into its folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from .. import io, report
from ._ranks import Ranks

__all__ = ["RunFiles"]


class RunFiles:
    """Checkpoints, metrics and events; nothing without a folder. All ranks write the
    checkpoints, and rank 0 writes the rest."""

    def __init__(
        self,
        folder: Any,
        ranks: Ranks,
        keep_last: int,
        events: bool,
        keep_going: bool,
    ) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.ranks, self.events, self.keep_going = ranks, events, keep_going
        self.checkpoints: Any = None
        self.logs: list[report.MetricsLog] = []
        self.writer: report.SummaryWriter | None = None
        if self.folder is None:
            return
        os.makedirs(self.folder, exist_ok=True)
        if ranks.size > 1:
            from ..distributed.checkpoint import CheckpointManager

            self.checkpoints = CheckpointManager(self.folder, keep_last)
        else:
            self.checkpoints = io.CheckpointManager(self.folder, keep_last)

    def open(self, resumed: int | None) -> None:
        """Starts the logs, or continues those of an interrupted run."""
        if self.folder is None or self.ranks.rank > 0:
            return
        after = -1 if resumed is None else resumed
        for name in ("metrics.csv", "metrics.jsonl"):
            path = os.path.join(self.folder, name)
            self.logs.append(report.MetricsLog(path, after))
        if self.events:
            purge = None if resumed is None else resumed + 1
            self.writer = report.SummaryWriter(self.folder, purge_step=purge)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Logs the metrics of a step."""
        for each in self.logs:
            each.write(step, metrics)
        if self.writer is not None:
            for name, value in metrics.items():
                self.writer.add_scalar(name, value, step)

    def save(self, step: int, metrics: Mapping[str, float], parts: Any) -> None:
        """Writes a checkpoint in the background. If the run may continue without one,
        its errors become warnings. All ranks get the same errors, so all retry."""
        if self.checkpoints is None:
            return
        try:
            self.checkpoints.save(step, metrics=metrics, **parts)
        except OSError as error:
            # The run cannot continue without the other ranks.
            lost = isinstance(error, (ConnectionError, TimeoutError))
            if lost or not self.keep_going:
                raise
            warnings.warn(
                f"Trainer: {error}; training goes on", RuntimeWarning, stacklevel=2
            )
            # The error was the previous checkpoint's; this one has not started.
            self.checkpoints.save(step, metrics=metrics, **parts)

    def close_after_error(self) -> None:
        """``close`` with its errors as warnings, because another error takes
        precedence."""
        try:
            self.close()
        except OSError as error:
            warnings.warn(f"Trainer: {error}", RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Waits until everything is on disk."""
        if self.checkpoints is not None:
            if self.ranks.size > 1:
                self.checkpoints.close()
            else:
                self.checkpoints.wait()
        if self.writer is not None:
            self.writer.close()
