"""What makes a recording fail though its code goes on: refusals that code may handle.

A recording that was refused something is made again, for the values of its call to
decide, or refused as a whole; `Recorder.wanted` says why.
"""

from __future__ import annotations

from .. import _core
from .errors import StagingError

# Of a loop that may be ended by what is not seen yet: a break that numbers decide.
_MOST_ROUNDS = 32


def values_may_decide() -> None:
    """What is refused next is recorded again, for the values of this call."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.chose = True


def asked_in_vain() -> str | None:
    """What Python has asked of a graph's tensor and was refused, so far."""
    recorder = _core.recorder()
    return None if recorder is None else recorder.wanted


def raised_inside(place: str, kind: str, error: BaseException) -> None:
    """Code that a graph decides about has raised, for whichever way is taken: code
    around it may handle the error, but what is recorded then is not what it does.
    What ends programs, as sys.exit() does, becomes a refusal for the same reason."""
    if not isinstance(error, (Exception, SystemExit)) and is_ours(error):
        return
    words = (
        f"{place}: this {kind} depends on a tensor, and a way through it raises "
        f"{type(error).__name__}: {error}; wanted it outside of the function"
    )
    recorder = _core.recorder()
    if recorder is not None and recorder.wanted is None:
        recorder.wanted = words
    if not isinstance(error, Exception):
        values_may_decide()
        raise StagingError(words) from error


def way_raises() -> None:
    """A way through a branch raises: the graph fails where that is taken."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.raising += 1


def ways_that_raise() -> int:
    """How many there have been."""
    recorder = _core.recorder()
    return 0 if recorder is None else recorder.raising


def refuse_endless(place: str, rounds: int, before: int) -> None:
    """Throws when a `while True` goes on and on while it is recorded, and there are
    ways through it that raise: nothing else ends it. Values know when that is."""
    if rounds >= _MOST_ROUNDS and ways_that_raise() > before:
        values_may_decide()
        raise StagingError(
            f"{place}: only an error ends this while loop, and a tensor decides when; "
            "wanted a condition, or a break"
        )


def is_ours(error: BaseException) -> bool:
    """Whether it says something to whoever records, or the user interrupts."""
    module = type(error).__module__ or ""
    return module.startswith("sluice.") or isinstance(
        error, (KeyboardInterrupt, GeneratorExit)
    )


def forgive(before: str | None) -> None:
    """What was refused since is done in another way, and no reason to fail."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.wanted = before
