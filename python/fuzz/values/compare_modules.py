"""Every sample of PyTorch's databases of modules and of optimizers, there and here.

    make compare-modules                         all of it, with counts at the end
    compare_modules.py --only BatchNorm1d,SGD    some of them

Modules: results, gradients of inputs and parameters, and the state left, in training
and in evaluation, at once and captured. Optimizers: parameters after each step. What
we refuse is printed and counted, not failed. Ends with 1 when something differs.
"""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

from deviations import Deviations
from run_module import run_module
from run_optimizer import run_optimizer

SILENT = ("value", "shape", "dtype")


def _all() -> Iterator[tuple[str, Any]]:
    for info in module_db:
        yield "nn." + info.module_cls.__name__, lambda info=info: run_module(info)
    for info in optim_db:
        yield "optim." + info.optim_cls.__name__, lambda info=info: run_optimizer(info)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names, by commas; default: all")
    only = set(filter(None, parser.parse_args().only.split(",")))
    torch.set_num_threads(1)
    known = Deviations()
    counts: collections.Counter[str] = collections.Counter()
    for name, run in _all():
        if only and name.split(".")[1] not in only:
            continue
        said: set[tuple[str, str]] = set()
        for dtype, form, n, outcome, text in run():
            record = {"op": name, "dtype": dtype, "form": form, "outcome": outcome}
            if outcome in SILENT and known.covers(record):
                outcome = "documented"
            counts[outcome] += 1
            # One line for each reason: samples differ in sizes and types.
            reason = (outcome, text.split(": ", 1)[-1][:60])
            if outcome in ("equal", "skipped", "documented") or reason in said:
                continue
            said.add(reason)
            print(f"{outcome:14} {name:24} {dtype} {form} #{n} {text}", flush=True)
    print()
    for outcome in sorted(counts):
        print(f"  {outcome:20} {counts[outcome]}")
    silent = sum(counts[k] for k in SILENT)
    print(f"silent differences: {silent}")
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main()
