"""Programs known to fail today, by name, with the reason: known.txt.

The aim is an empty list. A listed program that agrees also fails the test.
"""

from __future__ import annotations

import pathlib


def known() -> dict[str, str]:
    """Reasons by "family:seed". Lines that begin with # are comments."""
    path = pathlib.Path(__file__).with_name("known.txt")
    made = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, why = line.partition(" ")
            made[name] = why.strip()
    return made
