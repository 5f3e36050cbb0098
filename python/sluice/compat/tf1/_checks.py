"""Checks: of arguments, and those a step makes of sizes it alone knows."""

from __future__ import annotations

from typing import Any

from ... import _core
from ._emit import emit, emit_op
from ._graphs import get_default_graph

__all__ = ["checked_value", "refuse", "same_size_at", "same_sizes"]


def refuse(what: str, **given: Any) -> None:
    """NotImplementedError for an argument that is given and not there."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise NotImplementedError(
                f"{what}: {name} is {value!r}, which is not there; wanted it left out"
            )


def checked_value(x: Any, holds: Any, data: Any, message: str) -> Any:
    """x, once the step has seen that it holds; else InvalidArgumentError."""
    check = emit_op(
        get_default_graph().unique_name("Assert"),
        "Assert",
        emit(None, "all_of", holds),
        data,
        message=message,
    )
    with _core.control_dependencies([check._core]):
        return emit(None, "identity", x)


def same_sizes(x: Any, other: Any, op: str, last: int | None = None) -> Any:
    """x, whose sizes are those of another tensor: without its last axes for -1.

    REQUIRES: both have as many axes as that, as far as is known.
    """
    wanted = other.shape if last is None else other.shape[:last]
    if x.shape.is_fully_defined() and wanted.is_fully_defined():
        return x
    if x.shape.ndims is None or other.shape.ndims is None:
        raise NotImplementedError(f"{op}: wanted the number of axes known")
    mine, theirs = emit(None, "shape", x), emit(None, "shape", other)
    if last is not None:
        theirs = emit(None, "slice", theirs, [0], [wanted.ndims])
    message = f"{op}: the sizes differ; wanted equal ones"
    return checked_value(x, emit(None, "equal", mine, theirs), [mine, theirs], message)


def same_size_at(x: Any, other: Any, axis: int, op: str) -> Any:
    """A vector, as long as another tensor is along an axis."""
    if x.shape.is_fully_defined() and other.shape[axis].value is not None:
        return x
    mine = emit(None, "size", x)
    theirs = emit(None, "slice", emit(None, "shape", other), [axis], [1])
    message = f"{op}: the sizes differ; wanted equal ones"
    return checked_value(x, emit(None, "equal", theirs, mine), [mine, theirs], message)
