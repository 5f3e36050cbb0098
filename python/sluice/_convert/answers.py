"""What Python takes of __len__ and __bool__: of anything else it says what it wants."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._symbols.numbers import Symbol
from .texts import is_of_graph
from .values import Tensor, number_of, python_number

_assert = _core.op_function("Assert")


class _Answers:
    """An object of which Python asks how long it is, or whether it is true."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __len__(self) -> int:
        return self._answer  # type: ignore[no-any-return]


class _Truth(_Answers):
    def __bool__(self) -> bool:
        return self._answer  # type: ignore[no-any-return]


def _as_pythons(answer: Any) -> Any:
    """A number of the class that one of the graph has."""
    kind = python_number(answer) if isinstance(answer, Tensor) else None
    return answer if kind is None else kind(0)


def length(answer: Any) -> Any:
    """What len() gives of an object whose __len__ gives that."""
    if isinstance(answer, Symbol) and answer.__class__ is int:
        return answer
    if is_of_graph(answer):
        len(_Answers(_as_pythons(answer)))
        _assert(answer >= 0, message="__len__() should return >= 0")
        return number_of(answer, int)
    return len(_Answers(answer))


def is_long(answer: Any) -> bool:
    """Whether an object is true whose __len__ gives that."""
    return bool(length(answer))


def is_true(answer: Any) -> bool:
    """Whether an object is true whose __bool__ gives that."""
    if isinstance(answer, Symbol) and answer.__class__ is bool:
        return bool(answer)
    bool(_Truth(_as_pythons(answer)))
    return bool(answer)
