"""What is done to the job: a list of faults by a seed, each after a step."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import signal
import time
from dataclasses import dataclass

from .processes import Job

__all__ = ["Fault", "FaultPlayer", "even_kills", "plan"]

KINDS = ("kill", "kill", "kill_all", "term", "stop", "full")


@dataclass
class Fault:
    kind: str
    step: int  # when a rank has made it for the first time
    rank: int
    seconds: float = 0.0  # of a stop

    def __str__(self) -> str:
        return f"{self.kind} of rank {self.rank} after step {self.step}"


def plan(seed: int, steps: int, ranks: int, count: int, full_disks: bool) -> list[Fault]:
    """So many faults in order of steps, with some steps between them."""
    dice = random.Random(seed)
    kinds = [k for k in KINDS if k != "full" or full_disks]
    places = sorted(dice.sample(range(1, max(2, steps // 6)), count))
    return [
        Fault(dice.choice(kinds), 5 * at, dice.randrange(ranks), dice.uniform(0.05, 1.0))
        for at in places
    ]


def even_kills(seed: int, steps: int, ranks: int, count: int) -> list[Fault]:
    """Kills only, spread evenly."""
    dice = random.Random(seed)
    return [
        Fault("kill", 1 + i * (9 * steps // 10) // count, dice.randrange(ranks))
        for i in range(count)
    ]


class FaultPlayer:
    """Does them to a job, and notes how long it took to go on after a kill."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.done: list[Fault] = []
        self.recoveries: list[float] = []
        # The newest checkpoint that was seen before each fault.
        self.committed: list[tuple[int, int]] = []  # attempt, step

    def play(self, fault: Fault) -> bool:
        """False: the job ended before."""
        job = self.job
        if not job.wait_for(fault.step):
            return False
        attempt = self.attempt()
        self.committed.append((attempt, max(job.committed(), default=0)))
        {"stop": self.stop, "full": self.full}.get(fault.kind, self.end_ranks)(fault)
        self.done.append(fault)
        return True

    def attempt(self) -> int:
        return max((line["attempt"] for of in self.job.lines for line in of), default=0)

    def end_ranks(self, fault: Fault) -> None:
        """Kills one or all, or tells one to end; waits until all go on."""
        job, attempt = self.job, self.attempt()
        number = signal.SIGTERM if fault.kind == "term" else signal.SIGKILL
        pids = job.pids()
        chosen = list(pids) if fault.kind == "kill_all" else [fault.rank]
        when = time.monotonic()
        for rank in chosen:
            if rank in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[rank], number)
        while job.running():
            job.look()
            later = [
                line["time"] for of in job.lines for line in of if line["attempt"] > attempt
            ]
            if later:
                if fault.kind != "term":
                    self.recoveries.append(min(later) - when)
                return
            time.sleep(0.01)

    def stop(self, fault: Fault) -> None:
        """One rank stands still for a while."""
        pid = self.job.pids().get(fault.rank)
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(fault.seconds)
            os.kill(pid, signal.SIGCONT)

    def full(self, fault: Fault) -> None:
        """No space is left on the disk, for some steps."""
        ballast = self.job.checkpoints / "ballast"
        fill(ballast)
        self.job.wait_for(fault.step + 4)
        ballast.unlink()


def fill(path: pathlib.Path) -> None:
    """A file as large as what is left of the disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    piece = 1 << 16
    try:
        while piece:
            try:
                os.write(file, b"\0" * piece)
            except OSError:
                piece //= 2
    finally:
        os.close(file)
