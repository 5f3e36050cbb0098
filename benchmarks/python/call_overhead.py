"""What a call of a captured function costs beside its work, from Python.

    make bench-calls
    python call_overhead.py --calls 50000

Every call checks its guards, finds its trace, runs a plan of one small op and wraps
the result, all on the thread that calls: its time is measured, not what else the
machine does. Rows alternate, round by round; the best round of each is shown. The
bars are those of the project; with --check the exit status says whether they hold.
"""

import argparse
import sys
import time

import sluice as sl
import sluice.nn as nn


class Hundred(nn.Module):
    """100 parameters, of which the code reads one."""

    def __init__(self):
        super().__init__()
        for i in range(100):
            setattr(self, f"p{i}", nn.Parameter(sl.ones(4)))

    def forward(self, x):
        return x + self.p0


def cases():
    """(name, bar in microseconds or None, what to call)."""
    x = sl.ones(4)
    add = sl.function(lambda x: x + 1)
    model = Hundred()
    module = sl.function(model)

    def quiet():
        with sl.no_grad():
            return module(x)

    return [
        ("x + 1, imperatively", None, lambda: x + 1),
        ("captured, one tensor", 2.0, lambda: add(x)),
        ("captured, 100 parameters", 4.0, lambda: module(x)),
        ("the same under no_grad", None, quiet),
    ]


def seconds(call, calls):
    start = time.thread_time()
    for _ in range(calls):
        call()
    return (time.thread_time() - start) / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="fail above a bar")
    args = parser.parse_args()
    rows = cases()
    nothing = min(seconds(lambda: None, args.calls) for _ in range(args.rounds))
    best = dict.fromkeys((name for name, _, _ in rows), float("inf"))
    for _, _, call in rows:
        seconds(call, 100)  # records
    for _ in range(args.rounds):
        for name, _, call in rows:
            best[name] = min(best[name], seconds(call, args.calls))
    above = 0
    for name, bar, _ in rows:
        took = (best[name] - nothing) * 1e6
        above += bar is not None and took > bar
        text = "" if bar is None else f"   bar {bar:.1f}"
        print(f"{name:28} {took:6.2f} us{text}")
    return int(args.check and above > 0)


if __name__ == "__main__":
    sys.exit(main())
