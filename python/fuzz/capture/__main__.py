"""The command line: judges programs by seed, counts outcomes, reduces failures."""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import sys

from .families import PROGRAMS, TORCH, ways_of
from .outcome import outcome
from .peers import available, beside_torch
from .report import causes, judge_all


def _seeds(text: str) -> range:
    start, _, stop = text.partition(":")
    return range(int(start), int(stop)) if stop else range(int(start), int(start) + 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="capture", description=__doc__)
    parser.add_argument("seeds", nargs="?", default="0:200", help="first:end")
    parser.add_argument("--family", default=",".join(PROGRAMS),
                        help="some of: " + ", ".join(PROGRAMS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--torch", action="store_true", help="beside PyTorch, too")
    parser.add_argument("--reduce", type=int, default=8, metavar="N",
                        help="reduce at most N failures")
    parser.add_argument("--refused", action="store_true",
                        help="reduce refused programs, too")
    parser.add_argument("--known", action="store_true",
                        help="print what differs as lines of known.txt")
    parser.add_argument("--show", metavar="FAMILY:SEED", help="print one program")
    parser.add_argument("--try", dest="file", metavar="FILE",
                        help="judge the program of a file")
    return parser.parse_args()


def _try(text: str, family: str) -> int:
    """Judges one program in every mode separately."""
    failed = 0
    for way in ways_of(family):
        found = outcome(text, [way])
        failed += found.bad
        print(f"{way.name}: {found.word} {found.what}")
    if available() and family in TORCH:
        found = beside_torch(text, TORCH[family])
        print(f"torch: {found.word} {found.what}")
    return int(failed > 0)


def main() -> int:
    args = _arguments()
    if args.show:
        family, _, seed = args.show.partition(":")
        program = PROGRAMS[family](int(seed))
        print(program.text)
        return _try(program.text, family)
    if args.file:
        return _try(pathlib.Path(args.file).read_text(), args.family.split(",")[0])
    if args.torch and not importlib.util.find_spec("torch"):
        print("capture: no PyTorch here; see tools/peer_env.sh", file=sys.stderr)
        return 2
    tasks = ({"do": "judge", "family": family, "seed": seed, "torch": args.torch}
             for family in args.family.split(",") for seed in _seeds(args.seeds))
    report = judge_all(tasks, args.jobs)
    print("\n".join(report.lines()), flush=True)
    if args.known:
        print("\n".join(sorted(report.known())))
        return 0
    words = {"differs", "crash", "torch differs"}
    if args.refused:
        words |= {"refused", "torch refused"}
    if args.reduce and report.found:
        print("\n".join(["", *causes(report, args.reduce, words, args.jobs)]))
    return int(report.silent > 0)


if __name__ == "__main__":
    sys.exit(main())
