"""Tracks places that branches and loops of a graph assign during recording."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core
from .places import Contents, Place, same_contents


@contextlib.contextmanager
def places() -> Iterator[Any]:
    """The journal that notes them: the function's recorder, or a temporary one."""
    journal = _core.recorder()
    if journal is not None:
        journal.chose = True
        yield journal
        return
    from .recorder import Recorder

    journal = Recorder("")
    before = _core.set_recorder(journal)
    try:
        yield journal
    finally:
        _core.set_recorder(before)


def changed(place: Place, before: Any) -> bool:
    """Whether the value of a place differs from the earlier one."""
    now = place.get()
    if isinstance(place, Contents):
        return not same_contents(now, before)
    return now is not before


def place_name(place: Place, taken: Iterable[str]) -> str:
    """A unique name for the place among the variables."""
    name = place.text
    known = set(taken)
    while name in known:
        name += " outside"
    return name
