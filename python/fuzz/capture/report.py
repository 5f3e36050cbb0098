"""Counts of outcomes, and the causes of failures: reduced programs, by form."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from .canonical import form
from .families import PROGRAMS
from .reducing import reduced
from .workers import Task, Worker, do_all


class Report:
    """What came of some programs."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.found: list[tuple[Task, dict[str, Any]]] = []

    def add(self, task: Task, answer: dict[str, Any]) -> None:
        word = answer["word"]
        self.counts[word + (" (raised)" if answer["way"] == "raised" else "")] += 1
        if word != "agree":
            self.found.append((task, answer))

    @property
    def silent(self) -> int:
        return sum(n for word, n in self.counts.items() if word in ("differs", "crash"))

    def known(self) -> list[str]:
        """Lines of known.txt for what is bad."""
        return [f"{t['family']}:{t['seed']} [{a['way']}] {a['kind']}"[:88]
                for t, a in self.found if a["word"] in ("differs", "crash")]

    def lines(self) -> list[str]:
        total = sum(self.counts.values())
        lines = [f"{total} programs: " + ", ".join(
            f"{n} {word}" for word, n in sorted(self.counts.items()))]
        kinds: dict[tuple[str, str, str], list[str]] = collections.defaultdict(list)
        for task, a in self.found:
            name = f"{task['family']}:{task['seed']}"
            kinds[a["word"], a["way"], a["kind"]].append(name)
        ranked = sorted(kinds.items(), key=lambda item: (item[0][0], -len(item[1])))
        for (word, way, kind), names in ranked:
            lines.append(f"{len(names):5} {word} [{way}] {kind}   e.g. "
                         + " ".join(names[:3]))
        return lines


def judge_all(tasks: Iterable[Task], jobs: int) -> Report:
    report = Report()
    do_all(tasks, report.add, jobs)
    return report


def _chosen(report: Report, most: int, words: set[str]) -> list[Task]:
    """Failures to reduce: of every kind one, then a second one, and so on."""
    kinds: dict[tuple[str, str, str], list[Task]] = collections.defaultdict(list)
    for task, answer in report.found:
        if answer["word"] not in words:
            continue
        text = PROGRAMS[task["family"]](task["seed"]).text
        kinds[answer["word"], answer["way"], answer["kind"]].append(
            {"do": "reduce", "family": task["family"], "seed": task["seed"],
             "text": text, "outcome": answer, "count": 0})
    # One example of a refusal is enough: its message says the rest.
    rows = [(v if k[0].endswith("differs") else v[:1]) for k, v in kinds.items()]
    for row in rows:
        for task in row:
            task["count"] = len(row)
    chosen = []
    while rows and len(chosen) < most:
        chosen += [row.pop(0) for row in rows if row]
        rows = [row for row in rows if row]
    return chosen[:most]


def _reduced_from_outside(task: Task) -> dict[str, Any]:
    """A program that ends its process, reduced by children that end."""
    worker, what = Worker(), task["outcome"]["what"]

    def keeps(text: str) -> bool:
        tried = {"do": "try", "family": task["family"], "text": text}
        return bool(worker.do(tried)["what"] == what)

    small = reduced(task["text"], keeps)
    worker.close()
    return {"text": small, "form": form(small), "outcome": task["outcome"]}


def causes(report: Report, most: int, words: set[str], jobs: int) -> list[str]:
    """Failures reduced and grouped by form, the most frequent first."""
    forms: dict[str, list[tuple[Task, dict[str, Any]]]] = collections.defaultdict(list)

    def done(task: Task, answer: dict[str, Any]) -> None:
        key = answer.get("form", f"(not reduced: {answer.get('what')})")
        forms[key].append((task, answer))

    chosen = _chosen(report, most, words)
    do_all([task for task in chosen if task["outcome"]["way"]], done, jobs)
    for task in chosen:
        if not task["outcome"]["way"]:
            done(task, _reduced_from_outside(task))
    lines = []
    ranked = sorted(forms.values(), key=lambda group: -len(group))
    for i, group in enumerate(ranked, 1):
        task, answer = min(group, key=lambda pair: len(pair[1].get("text", "")))
        what = answer.get("outcome", task["outcome"])
        names = " ".join(f"{t['family']}:{t['seed']}" for t, _ in group[:4])
        lines += [f"### {i}. {what['word']} [{what['way']}], {len(group)} of those "
                  f"reduced ({names})", "", what["what"][:300], "", "```python",
                  answer.get("text", "").rstrip(), "```", ""]
    return lines
