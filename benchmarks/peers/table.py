"""The table of a run, and what it ran on."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

COLUMNS = ("sluice captured", "sluice imperative", "torch eager", "torch compile",
           "jax jit", "tensorflow function", "tensorflow xla", "onnx runtime")


def ours_and_best(times: dict) -> tuple[float | None, tuple[str, float] | None]:
    """Our captured form, and the best mode of the best peer."""
    ours = times.get("sluice captured")
    theirs = {n: t for n, t in times.items() if not n.startswith("sluice")}
    best = min(theirs.items(), key=lambda item: item[1], default=None)
    return ours, best


def in_ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3g}"


def print_rows(rows: list[dict], head: bool = True) -> None:
    """Milliseconds of the best turn; the last column is how often ours goes in."""
    if head:
        names = [c.replace("tensorflow", "TF") for c in COLUMNS]
        print("| case | threads | type | " + " | ".join(names) + " | best peer / ours |")
        print("|---|---|---|" + "---|" * (len(COLUMNS) + 1))
    for row in rows:
        times = row["best"]
        ours, best = ours_and_best(times)
        ratio = f"{best[1] / ours:.2f}" if ours and best else "-"
        cells = " | ".join(in_ms(times.get(c)) for c in COLUMNS)
        print(f"| {row['title']} | {row['threads']} | {row['precision']} | {cells} | "
              f"{ratio} |")


def rounded(row: dict) -> dict:
    """As figures.json keeps it: three digits are more than a busy machine gives."""
    times = {n: {m: float(f"{t:.3g}") for m, t in row[n].items()}
             for n in ("best", "median", "to_first")}
    return {**row, **times}


def machine() -> str:
    packages = []
    for name in ("torch", "jax", "tensorflow", "onnxruntime"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"no {name}")
    import sluice

    return (f"{machine_name()}, {datetime.date.today()}; sluice "
            f"{sluice.__version__}, {', '.join(packages)}")


def machine_name() -> str:
    return f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores"


if __name__ == "__main__":
    kept = json.loads(pathlib.Path(sys.argv[1]).read_text())
    print_rows(kept["rows"])
    print("\n" + kept["machine"])
