"""Checks results of __len__ and __bool__ as Python does, with its error messages."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._symbols.numbers import Symbol
from .texts import is_of_graph
from .values import Tensor, number_of, python_number

_assert = _core.op_function("Assert")


class _Answers:
    """An object whose length or truth Python reads."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __len__(self) -> int:
        return self._answer  # type: ignore[no-any-return]


class _Truth(_Answers):
    def __bool__(self) -> bool:
        return self._answer  # type: ignore[no-any-return]


def _as_pythons(answer: Any) -> Any:
    """A Python number of the same class as a number of the graph."""
    kind = python_number(answer) if isinstance(answer, Tensor) else None
    return answer if kind is None else kind(0)


def length(answer: Any) -> Any:
    """The len() of an object whose __len__ gives the answer."""
    if isinstance(answer, Symbol) and answer.__class__ is int:
        return answer
    if is_of_graph(answer):
        len(_Answers(_as_pythons(answer)))
        _assert(answer >= 0, message="__len__() should return >= 0")
        return number_of(answer, int)
    return len(_Answers(answer))


def is_long(answer: Any) -> bool:
    """The truth of an object whose __len__ gives the answer."""
    return bool(length(answer))


def is_true(answer: Any) -> bool:
    """The truth of an object whose __bool__ gives the answer."""
    if isinstance(answer, Symbol) and answer.__class__ is bool:
        return bool(answer)
    bool(_Truth(_as_pythons(answer)))
    return bool(answer)
