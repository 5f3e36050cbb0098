"""Invariants of a history, whatever faults were injected into the job."""

from __future__ import annotations

from typing import Any

from .model import BATCH, ROWS

__all__ = ["check", "check_sequential", "check_undisturbed"]

Lines = list[list[dict[str, Any]]]
_SAME = ("digest", "samples", "loss")


def check_undisturbed(lines: Lines, steps: int) -> list[str]:
    """The run to compare with is itself right: every step once, every sample of a
    pass once."""
    wrong = []
    for rank, of in enumerate(lines):
        if [line["step"] for line in of] != list(range(1, steps + 1)):
            wrong.append(f"rank {rank} has not made steps 1 to {steps} once each")
    a_pass = ROWS // (BATCH * len(lines))
    for first in range(0, steps - a_pass + 1, a_pass):
        rows = [
            row
            for of in lines
            for line in of[first : first + a_pass]
            for row in line["samples"]
        ]
        if sorted(rows) != list(range(ROWS)):
            wrong.append(f"samples from step {first + 1} on are not all rows, once each")
    return wrong


def check_sequential(lines: Lines, wanted: Lines) -> list[str]:
    """Two ranks that nobody disturbed do what one process does in turn."""
    return [
        f"rank {rank}, step {line['step']}: {what} {line[what]}; sequential {right[what]}"
        for rank, of in enumerate(lines)
        for line, right in zip(of, wanted[rank], strict=True)
        for what in _SAME
        if line[what] != right[what]
    ]


def check(
    lines: Lines, wanted: Lines, committed: list[tuple[int, int]], save_every: int
) -> list[str]:
    """What is wrong with the history of a disturbed run, given that of one that was
    not, and the checkpoints that were there before each fault."""
    wrong: list[str] = []
    begins: list[dict[int, int]] = []
    for rank, of in enumerate(lines):
        right = {line["step"]: line for line in wanted[rank]}
        begin: dict[int, int] = {}
        before: dict[str, Any] | None = None
        for line in of:
            step, attempt = line["step"], line["attempt"]
            where = f"rank {rank}, attempt {attempt}, step {step}"
            if before is None or attempt != before["attempt"]:
                if before is not None and attempt < before["attempt"]:
                    wrong.append(f"{where}: after attempt {before['attempt']}")
                begin[attempt] = step
            elif step != before["step"] + 1:
                wrong.append(f"{where}: came after step {before['step']}")
            for what in _SAME:
                if line[what] != right[step][what]:
                    wrong.append(
                        f"{where}: {what} {line[what]}; undisturbed {right[step][what]}"
                    )
            before = line
        if before is None or before["step"] != wanted[rank][-1]["step"]:
            wrong.append(f"rank {rank} has not come to the end")
        begins.append(begin)
    return wrong + _restarts(begins, committed, save_every)


def _restarts(
    begins: list[dict[int, int]], committed: list[tuple[int, int]], save_every: int
) -> list[str]:
    """All ranks go on from one checkpoint, no older than those seen before."""
    wrong = []
    newest = 0
    for attempt in sorted({a for begin in begins for a in begin}):
        steps = {begin[attempt] for begin in begins if attempt in begin}
        if len(steps) != 1:
            wrong.append(f"attempt {attempt} begins with steps {sorted(steps)}")
        first = min(steps)
        seen = max((step for a, step in committed if a < attempt), default=0)
        if first - 1 < max(seen, newest):
            wrong.append(
                f"attempt {attempt} goes on after step {first - 1}, and a checkpoint of "
                f"step {max(seen, newest)} had been there: steps were lost"
            )
        newest = max(newest, first - 1)
    return wrong
