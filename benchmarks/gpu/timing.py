"""Medians of repeated calls, and lines of results for run.py."""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any, Callable


def seconds(step: Callable[[], Any], wait: Callable[[], Any], budget: float = 2.0) -> float:
    """The median time of a call, of batches that are waited for."""
    for _ in range(3):
        step()
    wait()
    begin = time.perf_counter()
    step()
    wait()
    one = max(time.perf_counter() - begin, 1e-6)
    count = max(1, min(200, int(budget / 7 / one)))
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(count):
            step()
        wait()
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times)


def host_seconds(step: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """The median time until a call returns, whatever is still running."""
    times = []
    for _ in range(7):
        wait()
        begin = time.perf_counter()
        for _ in range(200):
            step()
        times.append((time.perf_counter() - begin) / 200)
    return statistics.median(times)


def first_seconds(step: Callable[[], Any], wait: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    step()
    wait()
    return time.perf_counter() - begin


def tell(case: str, mode: str, value: float | None, note: str = "") -> None:
    """One figure, in seconds."""
    line = {"case": case, "mode": mode, "value": value, "note": note}
    print("RESULT " + json.dumps(line), flush=True)


def run_cases(cases: dict[str, Callable[[], None]]) -> None:
    """Those named on the command line; one that fails is told and left out."""
    for name in sys.argv[1:]:
        if name not in cases:
            continue
        try:
            cases[name]()
        except Exception as error:  # noqa: BLE001: the others are measured
            lines = (str(error) or "no message").splitlines()
            tell(name, "failed", None, f"{type(error).__name__}: {lines[0][:100]}")
