"""The outcome of a program: agree, differs, refused, crash.

    agree        every way of running it gave what running it at once gave
    differs      another value, state or flag, or no error: the worst, for it is silent
    refused      an error that says so, where running it at once has none
    error        an error of another class, or at another call
    crash        the process ended, or an error of the library about itself
    unsupported  it names what the library does not have; says nothing about capture
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from .running import Run, Wrap, compare, run

# Errors about bugs of the library, not of the program.
_INTERNAL = re.compile(r"SL_CHECK|internal error|[Bb]ug in|INTERNAL|unreachable")
_INTERNAL_CLASSES = {"SystemError", "InternalError", "AssertionError", "MemoryError"}
_ABSENT = {"AttributeError", "NotImplementedError"}


@dataclasses.dataclass(frozen=True)
class Outcome:
    word: str
    way: str = ""  # the mode that differed
    what: str = ""  # the first difference, or the message
    kind: str = ""  # the failure that a reduced program must still show

    @property
    def bad(self) -> bool:
        return self.word in ("differs", "crash")


@dataclasses.dataclass(frozen=True)
class Way:
    """A mode of running programs, with its reference."""

    name: str
    want: Wrap
    got: Wrap
    library: str = "sluice"  # the library of the reference


def reason(message: str) -> str:
    """A message without details of one program."""
    text = message.strip().split("\n")[0]
    text = re.sub(r"\S*program_\w+\.py:\d+:?", "", text)
    text = re.sub(r"\(line \d+\)|line \d+", "(line)", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'_'", text)
    text = re.sub(r"\b[bfiu](?:ool|nt|loat)?\d*\[[^]]*\]", "_[]", text)
    text = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", text)
    return " ".join(text.split())[:160]


def judge(want: Run, got: Run, by: Way) -> Outcome:
    """Judges one mode against the reference run."""
    way = by.name
    if want.error == "SyntaxError":  # the generator's mistake: nothing was compared
        return Outcome("crash", way, f"SyntaxError: {want.message}", "SyntaxError")
    found = compare(want, got, classes=by.library != "capture.duals")
    if found:
        first = found[0]
        field = re.sub(r"call \d+: ", "", first.path)
        field = re.sub(r"\[\d+\]", "[#]", field)
        return Outcome("differs", way, str(first), f"{first.kind} of {field}")
    if want.error in _ABSENT:
        return Outcome("unsupported", way, f"{want.error}: {want.message}",
                       want.message)
    if got.error and want.error != got.error:
        internal = _INTERNAL.search(got.message) or (
            got.error in _INTERNAL_CLASSES and not want.error)
        said = f"{got.error}: {reason(got.message)}"
        if internal:
            return Outcome("crash", way, f"{got.error}: {got.message}", said)
        if want.error and got.error != "StagingError":
            return Outcome("error", way, f"{want.error} became {got.error}: "
                           f"{got.message}", f"{want.error} became {said}")
        return Outcome("refused", way, f"{got.error}: {got.message}", said)
    if want.error and not got.error:
        return Outcome("differs", way, f"no {want.error}: {want.message}",
                       f"no {want.error}: {reason(want.message)}")
    if len(want.snapshots) != len(got.snapshots):
        return Outcome("error", way, f"{want.error} at another call",
                       f"{want.error} at another call")
    return Outcome("agree", "raised" if want.error else "")


_ORDER = {"agree": 0, "unsupported": 1, "error": 2, "refused": 3, "differs": 4,
          "crash": 5}


def outcome(text: str, ways: Iterable[Way]) -> Outcome:
    """The worst outcome of the modes; the first among equals."""
    worst = Outcome("agree")
    wanted: dict[tuple[Wrap, str], Run] = {}
    for way in ways:
        key = way.want, way.library
        if key not in wanted:
            wanted[key] = run(text, *key)
        found = judge(wanted[key], run(text, way.got), way)
        if _ORDER[found.word] > _ORDER[worst.word] or (
                found.word == worst.word == "agree" and found.way):
            worst = found
        if worst.bad:
            break
    return worst
