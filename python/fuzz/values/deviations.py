"""What differs from PyTorch on purpose: deviations.toml, read."""

from __future__ import annotations

import os
import tomllib
from typing import Any, NamedTuple

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "deviations.toml")


class Deviation(NamedTuple):
    """One entry. ops: names as the database has them; empty lists match all."""

    ops: list[str]
    outcomes: list[str]
    dtypes: list[str]
    forms: list[str]
    what: str
    reason: str

    def covers(self, record: dict[str, Any]) -> bool:
        base = record["op"]
        return (
            (base in self.ops or base.rsplit(".", 1)[0] in self.ops)
            and (not self.outcomes or record["outcome"] in self.outcomes)
            and (not self.dtypes or record["dtype"] in self.dtypes)
            and (not self.forms or record["form"] in self.forms)
        )


class Deviations:
    """All entries of the file."""

    def __init__(self, path: str = PATH) -> None:
        with open(path, "rb") as file:
            entries = tomllib.load(file).get("deviation", [])
        self.entries = [
            Deviation(e["ops"], e.get("outcomes", []), e.get("dtypes", []),
                      e.get("forms", []), e["what"], e["reason"])
            for e in entries]  # fmt: skip

    def covers(self, record: dict[str, Any]) -> bool:
        return any(e.covers(record) for e in self.entries)
