"""Sluice from Python beside PyTorch, JAX and TensorFlow, in one run.

    make bench-python              all of it
    python run.py --rounds 3       quicker

Each library is a process; they take turns, round by round, and the median is
compared. First results are compared before: times of different things say
nothing. A library that is not installed is left out, and the table says so.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ("sluice", "torch", "jax", "tensorflow")


class Worker:
    def __init__(self, library: str):
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), library],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            error = self.process.stderr.read().strip().splitlines()
            raise RuntimeError(error[-1] if error else "it ended at once")
        self.cases = json.loads(line)

    def ask(self, case: str) -> dict:
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read()[-2000:])
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def start() -> dict[str, Worker]:
    workers = {}
    for library in LIBRARIES:
        try:
            workers[library] = Worker(library)
        except RuntimeError as error:
            if library == "sluice":
                raise
            print(f"{library} is left out: {error}", file=sys.stderr)
    return workers


class Times:
    """Medians of each (library, case), and whether first results agreed."""

    def __init__(self, workers: dict[str, Worker], rounds: int):
        self.median: dict[tuple[str, str], float] = {}
        self.to_first: dict[tuple[str, str], float] = {}
        cases = sorted({c for w in workers.values() for c in w.cases})
        for case in cases:
            having = [w for w in workers.values() if case in w.cases]
            first = {}
            for w in having:
                answer = w.ask(case)
                first[w.library] = answer["first"]
                self.to_first[w.library, case] = answer["seconds_to_first"]
            self.compare(case, first)
            seconds: dict[str, list[float]] = {w.library: [] for w in having}
            for _ in range(rounds):
                for w in having:
                    seconds[w.library].append(w.ask(case)["seconds"])
            for library, all_rounds in seconds.items():
                self.median[library, case] = statistics.median(all_rounds)

    @staticmethod
    def compare(case: str, first: dict[str, list[float]]) -> None:
        ours = first.get("sluice")
        for library, theirs in first.items():
            if ours is None:
                continue
            for a, b in zip(ours, theirs):
                if abs(a - b) > 1e-3 * max(1.0, abs(a)):
                    raise SystemExit(
                        f"{case}: sluice gives {ours[:5]}, {library} {theirs[:5]}"
                    )

    def get(self, library: str, *cases: str) -> float | None:
        """The fastest of these."""
        found = [self.median[library, c] for c in cases if (library, c) in self.median]
        return min(found) if found else None


def import_seconds(module: str, tries: int = 5) -> tuple[float, str]:
    """The best time of an import in a fresh interpreter, and what it printed."""
    code = (
        "import time; t = time.perf_counter(); "
        f"import {module}; print(time.perf_counter() - t)"
    )
    best, printed = float("inf"), ""
    for _ in range(tries):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        best = min(best, float(done.stdout.split()[-1]))
        printed = done.stderr + done.stdout.rsplit("\n", 2)[0].strip("0123456789.e-\n")
    return best, printed


def row(metric: str, value: str, bar: str, holds: bool | None) -> None:
    mark = {True: "yes", False: "NO", None: "-"}[holds]
    print(f"| {metric} | {value} | {bar} | {mark} |")


def report(times: Times, workers: dict[str, Worker]) -> None:
    print("| metric | measured | bar | holds |\n|---|---|---|---|")
    tiny = times.get("sluice", "tiny_add") / 1000
    torch_tiny = times.get("torch", "tiny_add")
    text = f"{tiny * 1e9:.0f} ns"
    holds = tiny <= 1e-6
    if torch_tiny:
        text += f", PyTorch {torch_tiny * 1e6:.0f} ns"
        holds = holds and tiny < torch_tiny / 1000
    row("imperative tiny op", text, "<= 1 us, faster than PyTorch", holds)

    session = times.get("sluice", "session_run") / 1000
    row("Session.run, cached one-op step", f"{session * 1e6:.2f} us", "<= 5 us",
        session <= 5e-6)

    ours = times.get("sluice", "mlp_compiled")
    text, holds = f"{ours * 1e6:.0f} us", True
    for library in LIBRARIES[1:]:
        theirs = times.get(library, "mlp_compiled", "mlp_eager")
        if theirs:
            text += f", {library} {theirs * 1e6:.0f}"
            holds = holds and ours < theirs
    row("captured MLP training step", text, "faster than all", holds)
    eager = times.get("sluice", "mlp_eager")
    torch_eager = times.get("torch", "mlp_eager")
    if torch_eager:
        row("imperative MLP training step",
            f"{eager * 1e6:.0f} us, torch {torch_eager * 1e6:.0f}", "", None)

    loop = times.get("sluice", "loop_of_adds")
    torch_loop = times.get("torch", "loop_of_adds")
    text = f"{loop * 1e6:.1f} us"
    if torch_loop:
        text += f", {torch_loop / loop:.0f}x PyTorch eager"
    jax_loop = times.get("jax", "loop_of_adds")
    if jax_loop:
        text += f" (JAX fori_loop under jit {jax_loop * 1e6:.1f} us)"
    row("1000 adds captured", text, ">= 50x",
        torch_loop / loop >= 50 if torch_loop else None)

    lanes = times.get("sluice", "pendulums_grad")
    jax_lanes = times.get("jax", "pendulums_grad")
    text = f"{lanes * 1e6:.0f} us"
    if jax_lanes:
        text += f", JAX {jax_lanes * 1e6:.0f}"
    row("vmap(grad(scan)), 64 pendulums of 100 steps", text, "level with JAX",
        lanes <= jax_lanes * 1.05 if jax_lanes else None)

    seconds, printed = import_seconds("sluice")
    text = f"{seconds * 1e3:.0f} ms, prints {'nothing' if not printed else printed!r}"
    for library in workers:
        if library != "sluice":
            text += f", {library} {import_seconds(library, 1)[0] * 1e3:.0f}"
    row("import", text, "< 150 ms, nothing printed", seconds < 0.15 and not printed)
    print("\nSeconds to the first result of the training step:",
          ", ".join(f"{lib} {times.to_first[lib, case]:.2f} ({case})"
                    for lib, case in times.to_first if case.startswith("mlp")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    workers = start()
    times = Times(workers, arguments.rounds)
    report(times, workers)
    for worker in workers.values():
        worker.close()


if __name__ == "__main__":
    main()
