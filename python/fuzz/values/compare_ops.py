"""Every sample of PyTorch's operator database, there and here.

    make compare-ops                    all of it, with counts at the end
    compare_ops.py --ops std,norm -v    some operators, every difference printed
    make compare-ways                   captured, vmap, second gradients, wrong input

Values, shapes and types of forward results on float32, float64, int64, bool and
bfloat16, calls written by place and by name, views, and gradients. What we refuse is
counted, not failed: an error is no wrong answer. What differs on purpose is listed in
deviations.toml with its reason. Ends with 1 when a difference is in no list.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SILENT = ("value", "shape", "dtype", "accepted")
MEMORY = ("copy", "view")


def _database() -> list:
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def child(
    first: int, path: str, names: set[str], given: argparse.Namespace
) -> None:
    """Runs operators from number `first` on; says which before it begins one."""
    import torch

    import run_op as runner
    from run_op import run_op
    from run_ways import run_ways

    torch.set_num_threads(1)
    if given.reference:
        runner.SAMPLES = "reference_inputs"
    if given.dtypes:
        runner.DTYPES = [getattr(torch, t) for t in given.dtypes.split(",")]
    with open(path, "a", encoding="utf-8") as out:
        for i, op in enumerate(_database()):
            if i < first or (names and op.name not in names):
                continue
            full = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
            print(json.dumps({"begin": i, "op": full}), file=out, flush=True)
            outcomes = (
                run_ways(op, given.ways) if given.ways else run_op(op, given.quick)
            )
            for dtype, form, n, outcome, text in outcomes:
                print(json.dumps({"op": full, "dtype": dtype, "form": form, "n": n,
                                  "outcome": outcome, "text": text}),
                      file=out, flush=True)  # fmt: skip
        print(json.dumps({"end": True}), file=out, flush=True)


def run_all(path: str, names: list[str], given: argparse.Namespace) -> None:
    """Children one after the other: one that dies loses one operator."""
    if os.path.exists(path):
        os.unlink(path)
    first = 0
    while True:
        command = [sys.executable, os.path.abspath(__file__), "--child", str(first),
                   "--out", path, "--ops", ",".join(names),
                   "--dtypes", given.dtypes, "--ways", str(given.ways)]  # fmt: skip
        command += ["--quick"] * given.quick + ["--reference"] * given.reference
        done = subprocess.run(command)
        with open(path, encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        if records and "end" in records[-1]:
            return
        begun = [r for r in records if "begin" in r]
        if not begun or begun[-1]["begin"] < first:
            raise SystemExit("compare_ops: the child ends before it begins")
        with open(path, "a", encoding="utf-8") as out:
            text = f"the process ended with {done.returncode}"
            print(json.dumps({"op": begun[-1]["op"], "dtype": "", "form": "", "n": 0,
                              "outcome": "crash", "text": text}),
                  file=out)  # fmt: skip
        first = begun[-1]["begin"] + 1


def report(path: str, verbose: bool) -> int:
    """Prints counts and differences; the number of those in no list."""
    from deviations import Deviations

    known = Deviations()
    counts: collections.Counter[str] = collections.Counter()
    shown: dict[tuple[str, str], list[dict]] = {}
    with open(path, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            outcome = record.get("outcome")
            if outcome is None:
                continue
            if outcome in SILENT + MEMORY and known.covers(record):
                outcome = "documented " + outcome
            counts[outcome] += 1
            if outcome not in ("equal", "skipped", "no counterpart") and (
                verbose or outcome in SILENT + MEMORY + ("crash", "hangs")):  # fmt: skip
                shown.setdefault((record["op"], outcome), []).append(record)
    for (op, outcome), records in sorted(shown.items(), key=lambda s: (s[0][1], s[0])):
        first = records[0]
        print(f"{outcome:8} {op:32} {len(records):4}  {first['dtype']} "
              f"{first['form']} #{first['n']}: {first['text']}")  # fmt: skip
        if verbose:
            for r in records[1:8]:
                print(f"{'':47}{r['dtype']} {r['form']} #{r['n']}: {r['text']}")
    print()
    compared = sum(n for k, n in counts.items() if k not in ("skipped", "no counterpart"))
    print(f"compared {compared} calls")
    for name in sorted(counts):
        print(f"  {name:20} {counts[name]}")
    undocumented = sum(counts[k] for k in SILENT + MEMORY + ("crash", "hangs"))
    print(f"silent differences in no list: {undocumented}")
    return undocumented


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", default="", help="names, by commas; default: all")
    parser.add_argument("--out", default="/tmp/compare_ops.jsonl")
    parser.add_argument("--dtypes", default="", help="uint8,int32; default: the five")
    parser.add_argument("--quick", action="store_true", help="6 samples each")
    parser.add_argument("--ways", type=int, default=0,
                        help="samples of each type to run in every way")  # fmt: skip
    parser.add_argument("--reference", action="store_true",
                        help="many more samples, with extreme values")  # fmt: skip
    parser.add_argument("--report-only", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--child", type=int, default=None)
    given = parser.parse_args()
    sys.path.insert(0, HERE)
    names = [n for n in given.ops.split(",") if n]
    if given.child is not None:
        child(given.child, given.out, set(names), given)
        return
    began = time.monotonic()
    if not given.report_only:
        run_all(given.out, names, given)
    bad = report(given.out, given.verbose)
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
