"""Random number generators that the code makes itself from a seed.

Each call makes its own generator and draws the same numbers, so a recording may keep
them. A generator that outlives the call, or that is used in a branch or loop of the
graph, is refused.
"""

from __future__ import annotations

import random
import weakref
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .errors import StagingError
from .place import user_place
from .refusals import values_may_decide
from .texts import known_all

_SEEDS = (int, float, str, bytes, bool)


def random_(*args: Any) -> Any:
    """random.Random(seed) in recorded code."""
    args = known_all(args, "random.Random() wants")
    args = tuple(a._now() if isinstance(a, Symbol) else a for a in args)
    if len(args) != 1 or type(args[0]) not in _SEEDS:
        raise _refused("gives other numbers in every call", "a seed")
    made, recorder = random.Random(*args), _core.recorder()
    recorder.seeded[id(made)] = weakref.ref(made), recorder.depth, user_place()
    return made


def is_seeded(generator: Any, method: str) -> bool:
    """Whether this code made the generator. Throws if a branch or loop draws from it,
    because recording would draw on all paths, one after another."""
    recorder = _core.recorder()
    known, depth, _ = recorder.seeded.get(id(generator), (None, 0, None))
    if known is None or known() is not generator or method == "seed":
        return False
    if depth != recorder.depth:
        values_may_decide()
        raise _refused(
            "is drawn from in a branch or loop that a tensor decides, by every way",
            "it outside of that",
        )
    return True


def refuse_kept(recorder: Any) -> None:
    """Throws if a generator outlives the call: every call would leave the same one."""
    for known, _, (filename, line) in recorder.seeded.values():
        if known() is not None:
            raise StagingError(
                f"{filename}:{line}: this random.Random is kept after the call, or by "
                "a function that the code makes, and would be the same object in every "
                "call; wanted it outside of the function"
            )


def _refused(why: str, wanted: str) -> StagingError:
    filename, line = user_place()
    return StagingError(f"{filename}:{line}: random.Random {why}; wanted {wanted}")
