"""Faults injected into the job: a list by seed, each after a step."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import random
import signal
import socket
import struct
import time
from dataclasses import dataclass

from .processes import Job

__all__ = ["Fault", "FaultPlayer", "even_kills", "plan", "set_loopback"]

KINDS = ("kill", "kill", "kill_all", "launcher", "term", "stop", "full", "cut")


@dataclass
class Fault:
    kind: str
    step: int  # when a rank has made it for the first time
    rank: int
    seconds: float = 0.0  # of a stop or cut

    def __str__(self) -> str:
        return f"{self.kind} of rank {self.rank} after step {self.step}"


def plan(seed: int, steps: int, ranks: int, count: int, own_room: bool) -> list[Fault]:
    """So many faults in order of steps, with some steps between them. Disks are
    filled and networks cut only in a room of our own."""
    dice = random.Random(seed)
    kinds = [k for k in KINDS if own_room or k not in ("full", "cut")]
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
    """Injects the faults, and measures the time to resume after a kill."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.done: list[Fault] = []
        self.late = 0  # the job had ended before they could be done
        self.recoveries: list[float] = []
        # The newest checkpoint that was seen before each fault.
        self.committed: list[tuple[int, int]] = []  # attempt, step

    def play(self, fault: Fault) -> bool:
        """Injects one fault; False if the job ended before it."""
        job = self.job
        if not job.wait_for(fault.step):
            return False
        attempt = self.attempt()
        self.committed.append((attempt, max(job.committed(), default=0)))
        ways = {"stop": self.stop, "full": self.full, "cut": self.cut}
        if ways.get(fault.kind, self.end_ranks)(fault):
            self.done.append(fault)
        else:
            self.late += 1
        return True

    def attempts(self) -> int:
        return len({line["attempt"] for of in self.job.lines for line in of})

    def attempt(self) -> int:
        return max((line["attempt"] for of in self.job.lines for line in of), default=0)

    def end_ranks(self, fault: Fault) -> bool:
        """Kills one or all or their launcher, or tells one to end; waits until all go
        on. False: they have ended by themselves."""
        job, attempt = self.job, self.attempt()
        if fault.kind == "launcher":
            if not job.running():
                return False
            job.lose_launcher()
            job.launch()
            return self.gone_on(attempt) is not None
        number = signal.SIGTERM if fault.kind == "term" else signal.SIGKILL
        pids = job.pids()
        chosen = list(pids) if fault.kind == "kill_all" else [fault.rank]
        when = time.monotonic()
        for rank in chosen:
            if rank in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[rank], number)
        again = self.gone_on(attempt)
        if again is not None and fault.kind != "term":
            self.recoveries.append(again - when)
        return again is not None

    def gone_on(self, attempt: int) -> float | None:
        """Waits for the first step of a later attempt; when it was, or None where the
        job ends before."""
        job = self.job
        while job.running():
            job.look()
            later = [
                line["time"] for of in job.lines for line in of if line["attempt"] > attempt
            ]
            if later:
                return min(later)
            time.sleep(0.01)
        return None

    def stop(self, fault: Fault) -> bool:
        """Pauses one rank for a while."""
        pid = self.job.pids().get(fault.rank)
        if pid is None:
            return False
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(fault.seconds)
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            return False
        return True

    def cut(self, fault: Fault) -> bool:
        """Drops network traffic between ranks for a while."""
        set_loopback(False)
        try:
            time.sleep(fault.seconds)
        finally:
            set_loopback(True)
        return True

    def full(self, fault: Fault) -> bool:
        """Fills the disk until a checkpoint is overdue."""
        ballast = self.job.checkpoints / "ballast"
        fill(ballast)
        until = self.job.step() + self.job.save_every + 2
        self.job.wait_for(min(until, self.job.steps))
        ballast.unlink()
        return True


def set_loopback(up: bool) -> None:
    """The network device of this machine, or of the room this program has."""
    flags = 0x49 if up else 0x48  # IFF_LOOPBACK | IFF_RUNNING, and IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14s", b"lo", flags, b""))


def fill(path: pathlib.Path) -> None:
    """Writes a file that fills the rest of the disk."""
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
