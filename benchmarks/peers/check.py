"""Whether a change made anything slower: `make bench-check`, before it lands.

    python check.py [--only gpt,lstm] [--tolerance 0.2]

Every f32 row of figures.json at all threads is measured again beside the peer that
was the best there. A row is accused when Sluice's lead over that peer has shrunk by
more than the tolerance and, measured again with three times as many turns, still
has. Leads, not times, are compared: they mean the same on a busy machine. On a
machine that is not the one of figures.json only a lead below 1 is told.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from contest import Contest  # noqa: E402
from table import machine_name, ours_and_best  # noqa: E402

FIGURES = pathlib.Path(__file__).resolve().parent / "figures.json"


def lead(row: dict, peer: str) -> float | None:
    """How many times as long as our captured form that peer takes."""
    ours, theirs = row["best"].get("sluice captured"), row["best"].get(peer)
    return theirs / ours if ours and theirs else None


def verdict(then: float, now: float, same_machine: bool, tolerance: float) -> str:
    """"" when all is well, else what is wrong."""
    if same_machine and now < then * (1 - tolerance):
        return f"the lead was {then:.2f}"
    if now < 1 - tolerance:
        return "behind"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases, with commas between")
    parser.add_argument("--tolerance", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    kept = json.loads(FIGURES.read_text())
    same = kept["machine"].startswith(machine_name())
    wanted = set(filter(None, given.only.split(",")))
    rows = [r for r in kept["rows"] if r["precision"] == "f32"
            and (not wanted or r["case"] in wanted)]
    most = max((r["threads"] for r in rows), default=0)
    wrong = 0
    for row in (r for r in rows if r["threads"] == most):
        _, best = ours_and_best(row["best"])
        if best is None:
            continue
        peer = best[0]
        then = lead(row, peer)
        module = importlib.import_module("cases." + row["case"])
        now, said = None, ""
        for rounds in (given.rounds, 3 * given.rounds):
            contest = Contest(most, "f32", [("sluice", "captured"), tuple(peer.split())])
            again = contest.measure(row["case"], rounds,
                                    getattr(module, "TOLERANCE", 1e-3))
            contest.close()
            now = lead(again, peer)
            said = "not measured" if now is None or then is None else verdict(
                then, now, same, given.tolerance)
            if not said:
                break
        wrong += bool(said)
        print(f"{row['case']:18} beside {peer:20} "
              f"{'-' if now is None else f'{now:.2f}'}  {said or 'ok'}", flush=True)
    print(f"{wrong} of the rows are worse" if wrong else "nothing is worse")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
