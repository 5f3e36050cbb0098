"""A process that judges and reduces programs: one line of JSON in, one out.

The parent detects programs that end the process or never end.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import signal
import sys
from typing import Any

from .canonical import form
from .families import PROGRAMS, TORCH, ways_of
from .outcome import Outcome, judge, outcome
from .peers import beside_torch
from .program import Program
from .reducing import reduced
from .running import run

# A reduced program may loop forever although the original did not.
SECONDS = 20
# Shorter than the parent's patience, which ends the process.
JUDGE_SECONDS = 90


class TooLong(BaseException):
    pass


def _too_long(*_: Any) -> None:
    raise TooLong


def _endless(program: Program) -> Outcome:
    """A program that took too long: the code itself may be a loop without end."""
    (way, *_) = ways_of(program.family, program.seed)
    signal.alarm(SECONDS)
    try:
        run(program.text, way.want, way.library)
    except TooLong:
        return Outcome("unsupported", "", "it does not end", "it does not end")
    finally:
        signal.alarm(0)
    return Outcome("crash", "", "it does not end, captured", "it does not end")


def judged(program: Program, torch: bool) -> Outcome:
    signal.alarm(JUDGE_SECONDS)
    try:
        found = outcome(program.text, ways_of(program.family, program.seed))
    except TooLong:
        return _endless(program)
    finally:
        signal.alarm(0)
    if found.word == "agree" and torch and program.torch:
        beside = beside_torch(program.text, TORCH[program.family])
        if beside.word != "agree":
            return dataclasses.replace(beside, word="torch " + beside.word)
    return found


def again(text: str, family: str, want: Outcome) -> Outcome:
    """The outcome of a text in only the mode of an earlier outcome."""
    signal.alarm(SECONDS)
    try:
        if want.way == "torch":
            found = beside_torch(text, TORCH[family])
            return dataclasses.replace(found, word="torch " + found.word)
        (way,) = [w for w in ways_of(family) if w.name == want.way]
        right = run(text, way.want, way.library)
        if right.error and want.kind.split(" ")[0] not in (right.error, "no"):
            return Outcome("agree")  # most candidates: no need to run it again
        return judge(right, run(text, way.got), way)
    except TooLong:
        return Outcome("crash", want.way, "it does not end", "it does not end")
    finally:
        signal.alarm(0)


def _sort(kind: str) -> str:
    """How a program fails: "value of net.h" is one with "value of result"."""
    return kind.split(" of ")[0]


def reduce_(text: str, family: str, want: Outcome) -> dict[str, Any]:
    def keeps(candidate: str) -> bool:
        found = again(candidate, family, want)
        return found.word == want.word and _sort(found.kind) == _sort(want.kind)

    small = reduced(text, keeps)
    return {"text": small, "form": form(small), "outcome":
            dataclasses.asdict(again(small, family, want))}


def answer(task: dict[str, Any]) -> dict[str, Any]:
    if task["do"] == "reduce":
        return reduce_(task["text"], task["family"], Outcome(**task["outcome"]))
    if task["do"] == "try":
        return dataclasses.asdict(outcome(task["text"], ways_of(task["family"])))
    program = PROGRAMS[task["family"]](task["seed"])
    return dataclasses.asdict(judged(program, task["torch"]))


def main() -> None:
    signal.signal(signal.SIGALRM, _too_long)
    # Programs make many short-lived objects: collections at Python's default rate
    # took a third of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    out = sys.stdout
    sys.stdout = sys.stderr  # stdout is for answers only
    for line in sys.stdin:
        out.write(json.dumps(answer(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
