"""Trainer: passes over the data, evaluation, progress, metrics, checkpoints."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import io, optim, report
from .._autograd import no_grad
from ._early import EarlyStopping
from ._signals import StopSignals

__all__ = ["FitResult", "Trainer"]


@dataclass
class FitResult:
    """How a run ended: "done", "early" or "signal"."""

    end: str = "done"
    steps: int = 0  # in all, those before a resume included
    resumed: int | None = None  # the step it went on from
    loss: float = math.nan  # of the last step
    metrics: dict[str, float] = field(default_factory=dict)
    curve: list[tuple[int, float]] = field(default_factory=list)


class _Files:
    """What a run leaves in its folder; nothing without one."""

    def __init__(self, folder: Any, keep_last: int, events: bool) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.events = events
        self.checkpoints: io.CheckpointManager | None = None
        self.logs: list[report.MetricsLog] = []
        self.writer: report.SummaryWriter | None = None
        if self.folder is not None:
            os.makedirs(self.folder, exist_ok=True)
            self.checkpoints = io.CheckpointManager(self.folder, keep_last)

    def open(self, resumed: int | None) -> None:
        if self.folder is None:
            return
        after = -1 if resumed is None else resumed
        for name in ("metrics.csv", "metrics.jsonl"):
            path = os.path.join(self.folder, name)
            self.logs.append(report.MetricsLog(path, after))
        if self.events:
            purge = None if resumed is None else resumed + 1
            self.writer = report.SummaryWriter(self.folder, purge_step=purge)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        for each in self.logs:
            each.write(step, metrics)
        if self.writer is not None:
            for name, value in metrics.items():
                self.writer.add_scalar(name, value, step)

    def close(self) -> None:
        if self.checkpoints is not None:
            self.checkpoints.wait()
        if self.writer is not None:
            self.writer.close()


class Trainer:
    """Trains ``model`` by ``optimizer`` so that ``loss(batch)`` gets smaller.

    A loss that is not finite is a FloatingPointError; parameters are then as
    they were before that step. With ``dir`` it writes checkpoints, metrics.csv,
    metrics.jsonl and TensorBoard's events there, and goes on from them
    (``resume``). ``save_every`` and ``log_every`` count steps; 0: after every
    pass. Ctrl-C and SIGTERM end a run after the step it is in, with a
    checkpoint.
    """

    def __init__(
        self,
        model: Any,
        optimizer: optim.Optimizer,
        loss: Callable[[Any], Any],
        *,
        epochs: int = 1,
        max_steps: int = 0,
        clip_norm: float = 0.0,
        schedule: Any = None,
        early_stopping: EarlyStopping | None = None,
        dir: Any = None,
        resume: bool = True,
        save_every: int = 0,
        log_every: int = 10,
        keep_last: int = 3,
        events: bool = True,
        stop_on_signals: bool = True,
        show_progress: bool = True,
    ) -> None:
        if epochs < 1:
            raise ValueError(f"epochs is {epochs}; wanted 1 or more")
        if not callable(loss):
            raise TypeError(
                f"loss is a {type(loss).__name__}; wanted a function of a batch"
            )
        self.model, self.optimizer, self.loss = model, optimizer, loss
        self.epochs, self.max_steps, self.clip_norm = epochs, max_steps, clip_norm
        self.schedule, self.early_stopping = schedule, early_stopping
        self.dir, self.resume = dir, resume
        self.save_every, self.log_every = save_every, log_every
        self.keep_last, self.events = keep_last, events
        self.stop_on_signals, self.show_progress = stop_on_signals, show_progress

    def fit(
        self,
        loader: Any,
        evaluate: Callable[[], Mapping[str, Any]] | None = None,
        after_step: Callable[[int, float], Any] | None = None,
    ) -> FitResult:
        """Trains over ``epochs`` passes of a DataLoader.

        ``evaluate()`` is called after every pass, with the model in eval() and
        without gradients; it gives metrics by name. ``after_step(step, loss)``
        ends the run when it returns False.
        """
        files = _Files(self.dir, self.keep_last, self.events)
        result = FitResult()
        parts = self._parts(loader)
        if files.checkpoints is not None and self.resume:
            found = files.checkpoints.restore(**parts)
            if found is not None:
                result.steps = result.resumed = found.step
                result.loss = found.metrics.get("train_loss", math.nan)
        files.open(result.resumed)
        progress = self._progress(loader, result.steps)
        self.model.train()
        saved = result.resumed
        signals = StopSignals()
        try:
            if self.stop_on_signals:
                signals.__enter__()
            saved = self._loop(
                loader, evaluate, after_step, files, result, progress, signals, parts
            )
            if saved != result.steps:
                self._save(files, result, parts)
        finally:
            signals.__exit__()
            if progress is not None:
                progress.finish()
            files.close()
        return result

    def _parts(self, loader: Any) -> dict[str, Any]:
        parts = {
            "model": self.model,
            "optimizer": self.optimizer,
            "loader": loader,
            "schedule": self.schedule,
            "early_stopping": self.early_stopping,
        }
        return {name: part for name, part in parts.items() if part is not None}

    def _progress(self, loader: Any, start: int) -> report.Progress | None:
        if not self.show_progress:
            return None
        try:
            total = len(loader) * self.epochs
        except TypeError:
            total = 0
        if self.max_steps > 0:
            total = min(total, self.max_steps) if total else self.max_steps
        return report.Progress(total=total, start=start)

    def _save(self, files: _Files, result: FitResult, parts: Any) -> int:
        if files.checkpoints is not None:
            metrics = {**result.metrics, "train_loss": result.loss}
            files.checkpoints.save(result.steps, metrics=metrics, **parts)
        return result.steps

    def _step(self, batch: Any, step: int) -> float:
        self.optimizer.zero_grad()
        loss = self.loss(batch)
        value = float(loss)
        if not math.isfinite(value):
            raise FloatingPointError(
                f"the loss of step {step} is {value}; parameters are as they were"
            )
        loss.backward()
        if self.clip_norm > 0:
            groups = self.optimizer.param_groups
            all_params = [p for group in groups for p in group["params"]]
            optim.clip_grad_norm_(all_params, self.clip_norm)
        self.optimizer.step()
        return value

    def _enough(self, result: FitResult) -> bool:
        return 0 < self.max_steps <= result.steps

    def _loop(
        self,
        loader: Any,
        evaluate: Any,
        after_step: Any,
        files: _Files,
        result: FitResult,
        progress: report.Progress | None,
        signals: StopSignals,
        parts: Any,
    ) -> int | None:
        saved = result.resumed
        while loader.epoch < self.epochs and not self._enough(result):
            for batch in loader:
                lr = self.optimizer.param_groups[0]["lr"]
                loss = self._step(batch, result.steps + 1)
                if self.schedule is not None:
                    self.schedule.step()
                result.steps += 1
                result.loss = loss
                if self.log_every > 0 and result.steps % self.log_every == 0:
                    files.log(result.steps, {"loss": loss, "lr": lr})
                    result.curve.append((result.steps, loss))
                if progress is not None:
                    progress.update(loss)
                if self.save_every > 0 and result.steps % self.save_every == 0:
                    saved = self._save(files, result, parts)
                if signals.caught:
                    result.end = "signal"
                    return saved
                stop = after_step is not None and after_step(result.steps, loss) is False
                if stop or self._enough(result):
                    return saved
            enough = self._evaluate(evaluate, loader, files, result, progress)
            if self.save_every == 0:
                saved = self._save(files, result, parts)
            if enough:
                result.end = "early"
                return saved
        return saved

    def _evaluate(
        self,
        evaluate: Any,
        loader: Any,
        files: _Files,
        result: FitResult,
        progress: report.Progress | None,
    ) -> bool:
        if evaluate is None:
            return False
        self.model.eval()
        with no_grad():
            metrics = {name: float(v) for name, v in evaluate().items()}
        self.model.train()
        result.metrics = metrics
        files.log(result.steps, {f"eval/{name}": v for name, v in metrics.items()})
        if progress is not None:
            shown = "".join(f"  {name} {v:.4g}" for name, v in metrics.items())
            progress.note(f"epoch {loader.epoch}{shown}")
        rule = self.early_stopping
        if rule is None or rule.metric not in metrics:
            return False
        return rule.step(metrics[rule.metric])
