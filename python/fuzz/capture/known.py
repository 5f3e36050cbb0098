"""Programs known to fail today, by name, with the reason: known.txt.

The list is there to become empty. A listed program that agrees fails the test, too.
"""

from __future__ import annotations

import pathlib


def known() -> dict[str, str]:
    """Reasons by "family:seed". Lines that begin with # say something."""
    path = pathlib.Path(__file__).with_name("known.txt")
    made = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, why = line.partition(" ")
            made[name] = why.strip()
    return made
