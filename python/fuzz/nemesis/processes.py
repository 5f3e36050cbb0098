"""The job as processes: its ranks and their progress."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

__all__ = ["Job"]


class Job:
    """One run of the job under `sluice launch`. Ends with the object: its ranks are
    killed, where they are still there."""

    def __init__(
        self, launcher: str, place: pathlib.Path, disk: pathlib.Path, ranks: int,
        steps: int, save_every: int, restarts: int, shared_memory: bool = True,
    ) -> None:  # fmt: skip
        place.mkdir(parents=True)
        self.history, self.ranks = place / "history", ranks
        self.steps, self.save_every = steps, save_every
        self.checkpoints = disk
        self.log = place / "log.txt"
        words = [launcher, "launch", "--ranks", str(ranks), "--restarts", str(restarts)]
        words += [sys.executable, "-m", "nemesis.job", str(disk), str(self.history)]
        words += [str(steps), str(save_every)]
        path = os.pathsep.join(p for p in sys.path if p)
        how = {"PYTHONPATH": path, "SLUICE_SHARED_MEMORY": str(int(shared_memory))}
        self._words, self._how, self._launches = words, {**os.environ, **how}, 0
        self._read = [0] * ranks
        self.lines: list[list[dict[str, Any]]] = [[] for _ in range(ranks)]
        self.launch()

    def launch(self) -> None:
        """Starts the launcher: at first, and when it has been killed."""
        env = {**self._how, "NEMESIS_LAUNCH": str(self._launches)}
        self._launches += 1
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self._words, stdout=log, stderr=log, env=env
            )

    def lose_launcher(self) -> None:
        """Kills the launcher, and waits until its ranks, which nobody tells but the
        system, have ended."""
        pids = self.pids().values()
        self.process.kill()
        self.process.wait()
        while any(os.path.exists(f"/proc/{pid}") for pid in pids):
            time.sleep(0.005)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()  # which it passes on
            for pid in self.pids().values():
                _kill(pid, 18)  # one that is stopped hears nothing
                _kill(pid, 9)
        self.process.wait()

    def running(self) -> bool:
        return self.process.poll() is None

    def pids(self) -> dict[int, int]:
        """Processes by rank, of those that run now."""
        found = {}
        try:
            path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
            children = pathlib.Path(path).read_text().split()
        except OSError:
            return {}
        for pid in children:
            try:
                settings = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                continue
            for one in settings.split(b"\0"):
                if one.startswith(b"RANK="):
                    found[int(one[5:])] = int(pid)
        return found

    def look(self) -> None:
        """Reads new output of the ranks."""
        for rank in range(self.ranks):
            try:
                with open(f"{self.history}.rank{rank}.jsonl", "rb") as file:
                    file.seek(self._read[rank])
                    text = file.read()
            except FileNotFoundError:
                continue
            whole = text[: text.rfind(b"\n") + 1]
            self._read[rank] += len(whole)
            self.lines[rank] += [json.loads(line) for line in whole.splitlines()]

    def step(self) -> int:
        """The largest step of any rank in any attempt."""
        self.look()
        return max((line["step"] for of in self.lines for line in of), default=0)

    def wait_for(self, step: int) -> bool:
        """Until a rank has made that step; False: the job has ended before."""
        while self.step() < step:
            if not self.running():
                return self.step() >= step
            time.sleep(0.005)
        return True

    def committed(self) -> list[int]:
        """The steps of checkpoints that are there."""
        try:
            names = os.listdir(self.checkpoints)
        except FileNotFoundError:
            return []
        return sorted(int(n[5:]) for n in names if n.startswith("step_") and n[5:].isdigit())


def _kill(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
