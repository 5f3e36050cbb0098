"""Trainer: passes over the data, evaluation, progress, metrics, checkpoints."""

from __future__ import annotations

import math
import os
import signal
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from .. import optim, report
from .._autograd import no_grad
from .._closed import closed
from ._early import EarlyStopping
from ._ranks import Ranks
from ._result import EXIT_LATER, FitResult
from ._run_files import RunFiles
from ._signals import StopSignals
from ._speed import Speed

__all__ = ["Trainer"]


@closed
class Trainer:
    """Trains ``model`` by ``optimizer`` so that ``loss(batch)`` gets smaller.

    A loss that is not finite raises a FloatingPointError and leaves the parameters
    as they were before that step. With ``dir`` it writes checkpoints, metrics.csv,
    metrics.jsonl and TensorBoard events there, and resumes from them (``resume``).
    ``save_every`` and ``log_every`` count steps; 0 means after every pass. Ctrl-C
    and SIGTERM end a run after the current step, with a checkpoint.

    With several ranks (sluice.distributed) every rank makes the same calls, with a
    model that averages gradients. All write the checkpoints together into a shared
    folder, and any number of ranks can resume from one. Losses and metrics are means
    over the ranks. A signal to one rank stops all. ``exit_for_restart`` (None: with
    several ranks and ``dir``) exits with status 75, "not now, but later", for a
    launcher that restarts the program: after SIGTERM, and if another rank was killed
    or is missing. ``on_save_error="warn"``: training continues when a checkpoint
    cannot be written, keeps the previous one and tries again at the next; the last
    checkpoint of a run must be written.
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
        exit_for_restart: bool | None = None,
        on_save_error: str = "raise",
    ) -> None:
        if epochs < 1:
            raise ValueError(f"epochs is {epochs}; wanted 1 or more")
        if not callable(loss):
            raise TypeError(
                f"loss is a {type(loss).__name__}; wanted a function of a batch"
            )
        if on_save_error not in ("raise", "warn"):
            raise ValueError(
                f"on_save_error is {on_save_error!r}; wanted 'raise' or 'warn'"
            )
        self.model, self.optimizer, self.loss = model, optimizer, loss
        self.epochs, self.max_steps, self.clip_norm = epochs, max_steps, clip_norm
        self.schedule, self.early_stopping = schedule, early_stopping
        self.dir, self.resume = dir, resume
        self.save_every, self.log_every = save_every, log_every
        self.keep_last, self.events = keep_last, events
        self.stop_on_signals, self.show_progress = stop_on_signals, show_progress
        self.exit_for_restart, self.on_save_error = exit_for_restart, on_save_error

    def fit(
        self,
        loader: Any,
        evaluate: Callable[[], Mapping[str, Any]] | None = None,
        after_step: Callable[[int, float], Any] | None = None,
    ) -> FitResult:
        """Trains until ``epochs`` passes of a DataLoader are done, including those of
        earlier runs. A finished run has nothing to train, and a warning says so.

        ``evaluate()`` is called after every pass, with the model in eval() mode and
        without gradients, and returns metrics by name. ``after_step(step, loss)``
        ends the run if it returns False (on any rank).
        """
        ranks = Ranks()
        leave = self.exit_for_restart
        if leave is None:
            leave = ranks.size > 1 and self.dir is not None
        try:
            run = _Run(self, ranks, loader, evaluate, after_step)
            with run.signals if self.stop_on_signals else nullcontext():
                result = run.fit()
        except (ConnectionError, TimeoutError) as error:
            if not leave or not hasattr(error, "sluice_code"):  # not of the group
                raise
            traceback.print_exc()
            ranks.give_up(error)
            raise SystemExit(EXIT_LATER) from None
        if leave and ranks.stop == signal.SIGTERM and result.end == "signal":
            raise SystemExit(EXIT_LATER)
        return result


class _Run:
    """One call of fit()."""

    def __init__(
        self, trainer: Trainer, ranks: Ranks, loader: Any, evaluate: Any, after: Any
    ) -> None:
        self.trainer, self.ranks, self.loader = trainer, ranks, loader
        self.evaluate, self.after_step = evaluate, after
        self.speed = Speed(self.ranks)
        self.files = RunFiles(
            trainer.dir,
            self.ranks,
            trainer.keep_last,
            trainer.events,
            trainer.on_save_error == "warn",
        )
        self.result = FitResult()
        self.saved: int | None = None  # the step of the last checkpoint
        self.signals = StopSignals()
        self.progress: report.Progress | None = None
        parts = {
            "model": trainer.model,
            "optimizer": trainer.optimizer,
            "loader": loader,
            "schedule": trainer.schedule,
            "early_stopping": trainer.early_stopping,
        }
        self.parts = {name: part for name, part in parts.items() if part is not None}

    def fit(self) -> FitResult:
        self.go_on()
        self.files.open(self.result.resumed)
        self.show_progress()
        self.trainer.model.train()
        self.speed.begin()
        try:
            self.loop()
            if self.saved != self.result.steps:
                self.save()
        except BaseException:
            # With several ranks nothing is waited for: others may have ended.
            if self.ranks.size == 1:
                self.files.close_after_error()
            raise
        finally:
            if self.progress is not None:
                self.progress.finish()
        if self.result.end == "signal" and self.files.keep_going:
            self.files.close_after_error()  # the previous checkpoint remains
        else:
            self.files.close()
        return self.result

    def go_on(self) -> None:
        """Resumes from the newest checkpoint, if there is one."""
        if self.files.checkpoints is None or not self.trainer.resume:
            return
        found = self.files.checkpoints.restore(**self.parts)
        if found is not None:
            self.result.steps = self.result.resumed = self.saved = found.step
            self.result.loss = found.metrics.get("train_loss", math.nan)

    def show_progress(self) -> None:
        if not self.trainer.show_progress or self.ranks.rank > 0:
            return
        most = self.trainer.max_steps
        try:
            total = len(self.loader) * self.trainer.epochs
        except TypeError:
            total = 0
        if most > 0:
            total = min(total, most) if total else most
        self.progress = report.Progress(total=total, start=self.result.steps)

    def save(self) -> None:
        self.saved = self.result.steps
        metrics = {**self.result.metrics, "train_loss": self.result.loss}
        self.files.save(self.saved, metrics, self.parts)

    def enough(self) -> bool:
        return 0 < self.trainer.max_steps <= self.result.steps

    def nothing_left(self) -> bool:
        """Whether the run was already complete, with a warning."""
        trainer = self.trainer
        if self.enough():
            done = f"all {trainer.max_steps} steps are done"
        elif self.loader.epoch >= trainer.epochs:
            done = f"the loader has had {self.loader.epoch} of {trainer.epochs} epochs"
        else:
            return False
        self.result.end = "nothing"
        where = "" if self.result.resumed is None else f" in {os.fspath(trainer.dir)!r}"
        warnings.warn(
            f"Trainer: nothing is trained: {done}{where}; wanted more of them, or a "
            "new run",
            stacklevel=5,
        )
        return True

    def loop(self) -> None:
        if self.nothing_left():
            return
        while self.loader.epoch < self.trainer.epochs and not self.enough():
            for batch in self.loader:
                if not self.step(batch):
                    return
            self.ranks.end_pass()
            stop = self.end_pass()
            if self.trainer.save_every == 0:
                self.save()
            if stop:
                self.result.end = "early"
                return
            self.speed.skip()

    def step(self, batch: Any) -> bool:
        """Runs a step; False if it was the last."""
        trainer, result = self.trainer, self.result
        lr = trainer.optimizer.param_groups[0]["lr"]
        loss = self.update(batch)
        if trainer.schedule is not None:
            trainer.schedule.step()
        result.steps += 1
        result.loss = loss
        self.speed.step()
        if trainer.log_every > 0 and result.steps % trainer.log_every == 0:
            result.speed = self.speed.since_last()
            self.files.log(result.steps, {"loss": loss, "lr": lr, **result.speed})
            result.curve.append((result.steps, loss))
        if self.progress is not None:
            self.progress.update(loss)
        if trainer.save_every > 0 and result.steps % trainer.save_every == 0:
            self.save()
        if self.ranks.stop:
            result.end = "signal"
            return False
        if self.after_step is not None:
            if self.ranks.any(self.after_step(result.steps, loss) is False):
                return False
        return not self.enough()

    def update(self, batch: Any) -> float:
        """Updates the parameters once. Gives the loss before the update."""
        trainer = self.trainer
        trainer.optimizer.zero_grad()
        loss = trainer.loss(batch)
        value = float(loss)
        if not math.isfinite(value):
            raise FloatingPointError(
                f"the loss of step {self.result.steps + 1} is {value}; parameters "
                "are as they were"
            )
        self.ranks.begin(value, self.signals.caught)
        loss.backward()
        if trainer.clip_norm > 0:
            groups = trainer.optimizer.param_groups
            params = [p for group in groups for p in group["params"]]
            optim.clip_grad_norm_(params, trainer.clip_norm)
        trainer.optimizer.step()
        return self.ranks.end(self.signals.caught)

    def end_pass(self) -> bool:
        """Ends a pass; True if the metric has stopped improving."""
        if self.evaluate is None:
            return False
        model, steps = self.trainer.model, self.result.steps
        model.eval()
        with no_grad():
            metrics = {name: float(v) for name, v in self.evaluate().items()}
        metrics = self.ranks.mean(metrics)
        model.train()
        self.result.metrics = metrics
        self.files.log(steps, {f"eval/{name}": v for name, v in metrics.items()})
        if self.progress is not None:
            shown = "".join(f"  {name} {v:.4g}" for name, v in metrics.items())
            waits = self.speed.in_words()
            self.progress.note(f"epoch {self.loader.epoch}{shown}")
            if waits:
                self.progress.note(waits)
        rule = self.trainer.early_stopping
        if rule is None or rule.metric not in metrics:
            return False
        return rule.step(metrics[rule.metric])
