"""Rounds: a job, faults by a seed, and the check of its history."""

from __future__ import annotations

import argparse
import pathlib
import random
import shutil
from collections import Counter
from typing import Any

import numpy as np

import sluice as sl
from sluice import io

from .faults import FaultPlayer, even_kills, plan
from .history import Lines, check, check_sequential, check_undisturbed
from .processes import Job
from .sequential import sequential

__all__ = ["Rounds"]


class Rounds:
    """Plays rounds and adds up what was seen; ``wrong`` is empty as long as all is
    well."""

    def __init__(
        self, chosen: argparse.Namespace, folder: pathlib.Path, disk: pathlib.Path | None
    ) -> None:
        self.chosen, self.folder, self.disk = chosen, folder, disk
        self.wrong: list[str] = []
        self.faults: Counter[str] = Counter()
        self.recoveries: list[float] = []
        self.rounds = self.restarts = self.steps = self.saves_failed = self.late = 0
        self._undisturbed: dict[int, tuple[Lines, Any]] = {}

    def play(self, seed: int) -> None:
        """One round."""
        dice = random.Random(seed)
        steps, kills = self.chosen.steps, self.chosen.kills
        ranks, save_every = (2, 2) if kills else (dice.choice([2, 3]), dice.choice([1, 3, 7]))
        wanted, weights = self._reference(ranks)
        place, disk = self.folder / f"round{seed}", self._disk(f"round{seed}")
        if kills:
            faults = even_kills(seed, steps, ranks, kills)
        else:
            count = self.chosen.faults
            faults = plan(seed, steps, ranks, count, self.disk is not None)
        # Networks are there to be cut, so shared memory is used in half of the rounds.
        with Job(
            self.chosen.launcher, place, disk, ranks, steps, save_every,
            10 * len(faults), shared_memory=bool(kills) or dice.random() < 0.5,
        ) as job:  # fmt: skip
            player = FaultPlayer(job)
            for fault in faults:
                if not player.play(fault):
                    break
            code = job.process.wait()
            job.look()
            wrong = check(job.lines, wanted, player.committed, save_every)
            if code != 0:
                wrong.append(f"the job ended with {code}:\n{job.log.read_text()[-4000:]}")
            elif not self._same(disk, weights):
                wrong.append("the last checkpoint is not that of the undisturbed run")
            self.late += len(faults) - len(player.done)
            self.restarts += player.attempts() - 1
            self.steps += sum(len(of) for of in job.lines)
            self.saves_failed += job.log.read_text().count("; training goes on")
        self.rounds += 1
        self.faults.update(fault.kind for fault in player.done)
        self.recoveries += player.recoveries
        told = ", ".join(map(str, faults[:8]))
        self.wrong += [f"seed {seed}, {ranks} ranks ({told}): {one}" for one in wrong]
        shutil.rmtree(disk)

    def _disk(self, name: str) -> pathlib.Path:
        return (self.disk or self.folder) / f"{name}.checkpoints"

    def _reference(self, ranks: int) -> tuple[Lines, Any]:
        """The same job, left alone."""
        if ranks not in self._undisturbed:
            name = f"undisturbed{ranks}"
            steps, disk = self.chosen.steps, self._disk(name)
            with Job(
                self.chosen.launcher, self.folder / name, disk, ranks, steps, 7, 0
            ) as job:
                if job.process.wait() != 0:
                    raise RuntimeError(job.log.read_text())
                job.look()
                self.wrong += check_undisturbed(job.lines, steps)
                if ranks == 2:
                    self.wrong += check_sequential(job.lines, sequential(steps))
                self._undisturbed[ranks] = (job.lines, io.load_checkpoint(disk))
            shutil.rmtree(disk)
        return self._undisturbed[ranks]

    def _same(self, disk: pathlib.Path, wanted: Any) -> bool:
        """Whether the last checkpoint there has the same bits."""
        found = io.load_checkpoint(disk)
        same = found.step == wanted.step and found.parts() == wanted.parts()
        for part in wanted.parts():
            a, b = found[part], wanted[part]
            same = same and a.keys() == b.keys()
            for key in b if same else ():
                x, y = a[key], b[key]
                if isinstance(y, sl.Tensor):
                    x, y = np.asarray(x).tobytes(), np.asarray(y).tobytes()
                same = same and x == y
        return same

    def summary(self) -> dict[str, Any]:
        """What was seen, for a person or a benchmark."""
        times = sorted(self.recoveries)
        return {
            "rounds": self.rounds,
            "steps": self.steps,
            "faults": dict(self.faults),
            "too_late": self.late,
            "restarts": self.restarts,
            "saves_failed": self.saves_failed,
            "recovery_median_s": round(times[len(times) // 2], 3) if times else None,
            "recovery_max_s": round(times[-1], 3) if times else None,
            "bit_equal": not self.wrong,
        }
