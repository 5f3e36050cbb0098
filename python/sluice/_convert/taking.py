"""Checks the iterator of a loop that a tensor may end.

Such a loop is unrolled completely: its iterator is exhausted, and a generator runs to
its end, whichever iteration is the last. That is harmless if the elements belong to a
list that stays. Otherwise the values of the call decide.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from .construct import Construct
from .errors import StagingError
from .handed import is_users_object
from .refusals import values_may_decide

_OF_ELEMENTS = frozenset(
    type(iter(empty)) for empty in ([], (), "", b"", {}, set(), range(0), {}.values(),
                                    {}.items(), reversed([]), range(1 << 70))
)  # fmt: skip
_AROUND = (enumerate, zip, reversed)


def _alone() -> int:
    """The reference count of an iterator in refuse_taking(), as for_stmt of runtime.py
    calls it, if the program has no name for the iterator."""

    def loop(items: Any) -> int:
        return rounds(items)

    def rounds(items: Any) -> int:
        iterator = iter(items)
        return taking(items) if iterator is items else 0

    def taking(items: Any) -> int:
        return sys.getrefcount(items)

    return loop(enumerate([]))


_ALONE = _alone()


def refuse_taking(construct: Construct, items: Any) -> None:
    """Throws if it matters how many elements are taken."""
    if _stays(items) and sys.getrefcount(items) <= _ALONE:
        return
    if not hasattr(type(items), "__next__") and not is_users_object(items):
        return
    values_may_decide()
    raise StagingError(
        f"{construct.place}: a tensor decides when this loop ends, and what it takes "
        f"from a {type(items).__name__}; wanted a list or a range to loop over"
    )


def _stays(items: Any) -> bool:
    """Whether the iterator was made for the loop and its container stays."""
    if type(items) in _OF_ELEMENTS:
        return True
    if not isinstance(items, _AROUND):
        return False
    inner = gc.get_referents(items)
    parts = [part for one in inner for part in (one if type(one) is tuple else [one])]
    taken = [part for part in parts if hasattr(type(part), "__next__")]
    return bool(taken) and all(map(_stays, taken))
