"""Containers between which a tensor chooses. The merged container is a third object, so
a write to it would reach neither of the two."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from .. import _core
from .errors import StagingError
from .place import user_place
from .refusals import values_may_decide


def is_one(a: Any, b: Any) -> bool:
    """Whether both paths leave the same object, and it has parts."""
    return a is b and (isinstance(a, (list, tuple, dict)) or _is_dataclass(a))


def is_outside(recorder: Any, value: Any) -> bool:
    """Whether the value belongs to the caller or to the program outside."""
    return id(value) in recorder.old or id(value) in recorder.from_caller


def note_one_of(made: Any, a: Any, b: Any, before: Any) -> None:
    """Notes the containers merged from those that two paths leave. If one of the
    originals is known elsewhere, a write to the merged container would miss it.
    `before(v)` tells whether a value existed before the paths."""
    recorder = _core.recorder()
    if recorder is None:
        return
    for one, x, y in _together(made, a, b):
        outside = [side for side in (x, y) if is_outside(recorder, side)]
        if outside or (before(x) and before(y)):
            side = (*outside, x)[0]
            text = recorder.names.get(id(side), f"a {type(side).__name__}")
            recorder.one_of[id(one)] = one, text


def refuse_one_of(recorder: Any, value: Any) -> None:
    """Throws where a merged container is about to be written."""
    known = recorder.one_of.get(id(value))
    if known is None or known[0] is not value:
        return
    values_may_decide()
    filename, line = user_place()
    raise StagingError(
        f"{filename}:{line}: what is written is {known[1]} or another "
        f"{type(value).__name__}, and a tensor decides which; wanted it written where "
        "that is decided"
    )


def _is_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _together(made: Any, a: Any, b: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Corresponding containers in three trees of the same structure."""
    parts: list[Any] = []
    if isinstance(a, (list, tuple)):
        parts = [*zip(made, a, b)]
    elif isinstance(a, dict):
        parts = [(made[k], a[k], b[k]) for k in a]
    elif _is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a)]
        parts = [tuple(getattr(v, n, None) for v in (made, a, b)) for n in names]
    else:
        return
    if not isinstance(a, tuple):
        yield made, a, b
    for three in parts:
        yield from _together(*three)
