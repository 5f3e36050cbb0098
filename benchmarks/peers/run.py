"""Sluice beside PyTorch, JAX, TensorFlow and ONNX Runtime on the CPU, in one run.

    make bench-peers                             every case, f32 and bf16, 1 thread and all
    make bench-peers ARGS="--only gpt,lstm --threads 2 --precision f32"

Each library in each of its modes is a process. Results are compared first; then
they take turns, and the best turn counts, so that what else runs on the machine
falls on nobody alone. `--json FILE` puts the figures into a file, in place of those
of the same rows: figures.json is what check.py compares with, and
`python table.py figures.json` prints it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from contest import MODES, Contest  # noqa: E402
from table import machine, machine_name, print_rows, rounded  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def cases_of(only: str) -> list[str]:
    known = sorted(p.stem for p in (HERE / "cases").glob("*.py"))
    wanted = [c for c in only.split(",") if c] or known
    for case in wanted:
        if case not in known:
            raise SystemExit(f"there is no case {case!r}; wanted of {', '.join(known)}")
    return wanted


def keep(path: pathlib.Path, rows: list[dict]) -> None:
    """Rows of another machine do not stay beside those of this one."""
    kept: dict[tuple, dict] = {}
    if path.exists():
        before = json.loads(path.read_text())
        if before["machine"].startswith(machine_name()):
            kept = {key_of(row): row for row in before["rows"]}
    kept.update((key_of(row), rounded(row)) for row in rows)
    ordered = [kept[key] for key in sorted(kept)]
    path.write_text(json.dumps({"machine": machine(), "rows": ordered}, indent=1) + "\n")


def key_of(row: dict) -> tuple:
    return row["precision"] != "f32", row["threads"], row["case"]


def main() -> int:
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases, with commas between")
    parser.add_argument("--threads", default="", help="numbers, with commas between")
    parser.add_argument("--precision", default="f32,bf16")
    parser.add_argument("--libraries", default="sluice,torch,jax,tensorflow,onnx")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", help="where figures are kept")
    given = parser.parse_args()
    threads = [int(t) for t in given.threads.split(",") if t]
    threads = threads or sorted({1, min(2, cores), cores})
    cases = cases_of(given.only)
    modes = [m for m in MODES if m[0] in given.libraries.split(",")]
    rows, notes, failed = [], [], False
    for precision in given.precision.split(","):
        for count in threads:
            contest = Contest(count, precision, modes)
            for case in cases:
                module = importlib.import_module("cases." + case)
                if precision == "bf16" and not getattr(module, "LOW", False):
                    continue
                tolerance = getattr(module, "TOLERANCE", 1e-3)
                if precision == "bf16":
                    tolerance = 0.05
                row = contest.measure(case, given.rounds, tolerance)
                row["title"] = module.TITLE
                rows.append(row)
                print_rows([row], head=len(rows) == 1)
                sys.stdout.flush()
            contest.close()
            notes += contest.notes
            failed |= contest.failed
    if given.json:
        keep(pathlib.Path(given.json), rows)
    print("\n" + machine())
    for note in notes:
        print("-", note)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
