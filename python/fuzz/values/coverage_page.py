"""Writes docs/python/coverage.md from coverage.txt, to standard output.

    coverage_page.py > docs/python/coverage.md

Needs neither PyTorch nor the standard's suite; python/tests/test_coverage.py compares,
and fails when a name that the list says is there is gone.
"""

from __future__ import annotations

import functools
import os
import textwrap
from typing import Any, NamedTuple

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.txt")
HEAD = """# What is there of PyTorch's names, and of the array standard's

Every entry of PyTorch's operator database, its modules, functions, optimizers and
schedulers, and every function of the array standard 2024.12: there, refused with a
reason, or missing. Generated from `python/fuzz/values/coverage.txt`; a test fails when
a name that is there disappears. Values, arguments and gradients of what is there are
compared by `make compare-ops` and `make compare-modules`; intended differences are in
[differences.md](differences.md).

| list | names | there | refused | missing | share there |
|---|---|---|---|---|---|
"""


class Entry(NamedTuple):
    """One line: the name, and one of the three."""

    name: str
    at: str  # a dotted name of the package
    reason: str  # why it is refused

    def found(self, package: Any) -> bool:
        """Whether the package has what the line says."""
        try:
            functools.reduce(getattr, self.at.split("."), package)
        except AttributeError:
            return False
        return True


def read(path: str = PATH) -> dict[str, list[Entry]]:
    """The lists, by their titles."""
    made: dict[str, list[Entry]] = {}
    with open(path, encoding="utf-8") as lines:
        for text in map(str.strip, lines):
            if text.startswith("## "):
                part = made[text[3:]] = []
            elif text and not text.startswith("#"):
                name, how, *rest = text.split(" ", 2)
                given = rest[0] if rest else ""
                part.append(Entry(name, given if how == "=" else "",
                                  given if how == "refused" else ""))  # fmt: skip
    return made


def _listed(names: list[str]) -> str:
    return textwrap.fill(", ".join(f"`{n}`" for n in names), 88) + "\n"


def page(path: str = PATH) -> str:
    """The text of the page."""
    parts = read(path)
    text, below = HEAD, ""
    for title, entries in parts.items():
        there = [e for e in entries if e.at]
        no = [e for e in entries if e.reason]
        missing = [e.name for e in entries if not e.at and not e.reason]
        share = 100 * len(there) / len(entries)
        text += (f"| {title} | {len(entries)} | {len(there)} | {len(no)} | "
                 f"{len(missing)} | {share:.1f} % |\n")  # fmt: skip
        below += f"\n## {title[0].upper()}{title[1:]}\n\n"
        if no:
            reasons = dict.fromkeys(e.reason for e in no)
            below += "| refused | why |\n|---|---|\n"
            for reason in reasons:
                names = ", ".join(f"`{e.name}`" for e in no if e.reason == reason)
                below += f"| {names} | {reason} |\n"
            below += "\n"
        if missing:
            below += "Missing:\n" + _listed(missing) + "\n"
        below += "There:\n" + _listed([e.name for e in there])
    return text + below


if __name__ == "__main__":
    print(page(), end="")
