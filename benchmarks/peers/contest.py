"""The libraries of one number of threads and one precision, taking turns at cases."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Every library in every mode that may be its best.
MODES = (
    ("sluice", "captured"), ("sluice", "imperative"), ("torch", "eager"),
    ("torch", "compile"), ("jax", "jit"), ("tensorflow", "function"),
    ("tensorflow", "xla"), ("onnx", "runtime"),
)


class Worker:
    """A process with one library in one mode. Ends with close()."""

    def __init__(self, library: str, mode: str, threads: int, precision: str):
        self.name = f"{library} {mode}"
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )
        said = json.dumps([library, mode, threads, precision])
        self.process.stdin.write(said + "\n")
        self.process.stdin.flush()

    def ready(self) -> bool:
        return bool(self.process.stdout.readline())

    def ask(self, **what: str) -> dict:
        try:
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        return {"error": f"the process ended: {self.last_words()}"}

    def last_words(self) -> str:
        self.log.seek(0)
        lines = self.log.read().strip().splitlines()
        return lines[-1][:200] if lines else "without a word"

    def close(self) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


class Contest:
    """Workers of all modes. `measure` gives one row: seconds by mode."""

    def __init__(self, threads: int, precision: str, wanted: list[tuple[str, str]]):
        self.threads, self.precision = threads, precision
        self.notes: list[str] = []
        self.failed = False  # ours did, or its two modes differ
        self.workers: list[Worker] = []
        made = [Worker(library, mode, threads, precision)
                for library, mode in wanted]
        for worker in made:
            if worker.ready():
                self.workers.append(worker)
            else:
                self.notes.append(f"{worker.name} is left out: {worker.last_words()}")
                worker.close()

    def measure(self, case: str, rounds: int, tolerance: float) -> dict:
        having, first, to_first = [], {}, {}
        for w in self.workers:
            said = w.ask(build=case)
            if "first" in said:
                having.append(w)
                first[w.name], to_first[w.name] = said["first"], said["to_first"]
            elif "error" in said:
                self.failed |= w.name.startswith("sluice")
                self.notes.append(f"{case}: {w.name}: {said['error']}")
        wrong = self.differing(case, first, tolerance)
        having = [w for w in having if w.name not in wrong]
        times: dict[str, list[float]] = {w.name: [] for w in having}
        for number in range(rounds):
            # Nobody always follows the same one, whose threads may still spin or
            # finish when its turn is over.
            first_one = number * 3 % max(1, len(having))
            for w in having[first_one:] + having[:first_one]:
                time.sleep(0.05)
                said = w.ask(seconds=case)
                if "seconds" in said:
                    times[w.name] += said["seconds"]
        for w in self.workers:
            w.ask(drop=case)
        return {
            "case": case, "threads": self.threads, "precision": self.precision,
            "best": {n: min(t) for n, t in times.items() if t},
            "median": {n: statistics.median(t) for n, t in times.items() if t},
            "to_first": to_first,
        }

    def differing(self, case: str, first: dict, tolerance: float) -> set[str]:
        """Those whose results are not ours: times of other things say nothing."""
        ours = first.get("sluice captured") or first.get("sluice imperative")
        wrong = set()
        for name, theirs in first.items() if ours else ():
            far = [(a, b) for a, b in zip(ours, theirs)
                   if not abs(a - b) <= tolerance * max(1.0, abs(a))]
            if far or len(ours) != len(theirs):
                wrong.add(name)
                self.failed |= name.startswith("sluice")
                self.notes.append(
                    f"{case}: {name} gives {theirs[:3]}, sluice {ours[:3]}")
        return wrong

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
