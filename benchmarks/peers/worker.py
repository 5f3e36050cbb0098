"""One library in one mode, in a process of its own; run.py is the other side.

The first line it reads says which: ["torch", "compile", 2, "f32"]. It answers each
line of JSON that follows with another: {"build": CASE} with first results,
{"seconds": CASE} with the time of a call, {"drop": CASE} with nothing.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pathlib
import sys
import time
import traceback

KITS = {
    "sluice": ("sluice_kit", "Sluice"),
    "torch": ("torch_kit", "Torch"),
    "jax": ("jax_kit", "Jax"),
    "tensorflow": ("tensorflow_kit", "TensorFlow"),
    "onnx": ("torch_kit", "Onnx"),
}
LIKE = {"sluice": "torch_like", "torch": "torch_like", "onnx": "torch_like",
        "jax": "jax_like", "tensorflow": "jax_like"}
# Losses of so many steps are compared, the first result included.
CHECKED = 3
# Seconds: calls that are warm after those; of a group of calls; of one turn.
SLOW, SHORT, TURN = 0.2, 0.0005, 0.08


class Absent(Exception):
    """The library does not take part in this case."""


class Running:
    """One case, built: what to call, and how often one turn calls it."""

    def __init__(self, module, library: str, kit, threads: int):
        # On one core the time a process computes is the time that passes, less
        # what others on the machine take of it.
        self.clock = time.process_time if threads == 1 else time.perf_counter
        if library == "onnx" and (kit.low or not getattr(module, "ONNX", False)):
            raise Absent  # inference alone, of the type that the network is of
        build = getattr(module, library, None) or getattr(module, LIKE[library], None)
        if build is None:
            raise Absent
        began = time.perf_counter()
        built = build(kit)
        if built is None:
            raise Absent
        self.call, self.number = built
        self.first = list(self.number(self.call()))
        self.seconds_to_first = time.perf_counter() - began
        for _ in range(CHECKED - 1):
            began = time.perf_counter()
            self.first += self.number(self.call())
            one = time.perf_counter() - began
        if one < SLOW:
            for _ in range(3):
                began = time.perf_counter()
                self.number(self.call())
                one = min(one, time.perf_counter() - began)
        self.many = max(1, int(SHORT / max(1e-9, one)))
        self.groups = max(3 if one < SLOW else 1, int(TURN / max(1e-9, one * self.many)))

    def seconds(self) -> list[float]:
        """Of a call, in each of some short groups: one that nothing else on the
        machine comes between is among them."""
        call, times, clock = self.call, [], self.clock
        for _ in range(self.groups):
            began = clock()
            for _ in range(self.many):
                result = call()
            self.number(result)  # until it is there
            times.append((clock() - began) / self.many)
        return times


def answer(asked: dict, library: str, kit, threads: int, made: dict) -> dict:
    if "build" in asked:
        name = asked["build"]
        module = importlib.import_module("cases." + name)
        made[name] = Running(module, library, kit, threads)
        return {"first": made[name].first, "to_first": made[name].seconds_to_first}
    if "seconds" in asked:
        return {"seconds": made[asked["seconds"]].seconds()}
    made.pop(asked["drop"], None)
    gc.collect()
    return {}


def main() -> None:
    library, mode, threads, precision = json.loads(sys.stdin.readline())
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    # Every library has at most so many cores, whatever it thinks of threads.
    cores = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = os.environ["SLUICE_THREADS"] = str(threads)
    module, name = KITS[library]
    kit = getattr(importlib.import_module(module), name)(
        mode, threads, precision == "bf16")
    kit.library = library
    print(json.dumps({"ready": library}), file=answers, flush=True)
    made: dict[str, Running] = {}
    for line in sys.stdin:
        try:
            said = answer(json.loads(line), library, kit, threads, made)
        except Absent:
            said = {"absent": True}
        except Exception as error:  # noqa: BLE001: the other cases go on
            traceback.print_exc()
            said = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
