"""Refusals that fail a recording even if the recorded code handles the error.

After a refusal, the function is recorded again with the values of its call deciding
control flow, or the whole recording is refused. `Recorder.wanted` holds the reason.
"""

from __future__ import annotations

from .. import _core
from .errors import StagingError

# Rounds of a loop that may yet end for a reason not seen so far: a break that numbers
# decide.
_MOST_ROUNDS = 32


def values_may_decide() -> None:
    """Lets a refusal that follows be recorded again, with the values of this call
    deciding."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.chose = True


def asked_in_vain() -> str | None:
    """The refusal so far of a request by Python for elements of a graph's tensor."""
    recorder = _core.recorder()
    return None if recorder is None else recorder.wanted


def raised_inside(place: str, kind: str, error: BaseException) -> None:
    """Code in a branch or loop of the graph has raised while it was recorded, before
    it is known which path a run takes. Code around it may handle the error, but the
    recording would then differ from what the code does. An error that ends the program,
    as sys.exit() raises, becomes a refusal for the same reason."""
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
    """Counts a path of a branch that raises: the graph fails where it is taken."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.raising += 1


def ways_that_raise() -> int:
    """The number of such paths so far."""
    recorder = _core.recorder()
    return 0 if recorder is None else recorder.raising


def refuse_endless(place: str, rounds: int, before: int) -> None:
    """Throws when a `while True` does not end while it is recorded, and some of its
    paths raise. Only an error may end it, and the values of the call decide when."""
    if rounds >= _MOST_ROUNDS and ways_that_raise() > before:
        values_may_decide()
        raise StagingError(
            f"{place}: only an error ends this while loop, and a tensor decides when; "
            "wanted a condition, or a break"
        )


def is_ours(error: BaseException) -> bool:
    """Whether the error belongs to the recording machinery, or the user interrupts."""
    module = type(error).__module__ or ""
    return module.startswith("sluice.") or isinstance(
        error, (KeyboardInterrupt, GeneratorExit)
    )


def forgive(before: str | None) -> None:
    """Drops refusals since `before`: the request was met in another manner."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.wanted = before
