"""Queues in the default graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ... import _queues
from ._graphs import opened, unique

__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]

QueueBase = _queues.QueueBase
_Class = TypeVar("_Class", bound=type)
_METHODS = "enqueue enqueue_many dequeue dequeue_many dequeue_up_to size close".split()


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, name: str | None = None, **keywords: Any) -> Any:
        with opened():
            return method(self, *args, **keywords)

    return call


def _in_graph(made: _Class) -> _Class:
    """The class, with queues and their operations in the default graph."""
    base: Any = made.__mro__[1]

    def init(self: Any, *args: Any, name: str | None = None, **keywords: Any) -> None:
        with opened():
            base.__init__(self, *args, name=unique(name), **keywords)

    setattr(made, "__init__", init)
    for method in _METHODS:
        setattr(made, method, _recorded(getattr(base, method)))
    return made


@_in_graph
class FIFOQueue(_queues.FIFOQueue):
    """Elements come out in the order they went in."""


@_in_graph
class RandomShuffleQueue(_queues.RandomShuffleQueue):
    """Elements come out in a random order."""


@_in_graph
class PaddingFIFOQueue(_queues.PaddingFIFOQueue):
    """Batches are padded with zeros."""


@_in_graph
class PriorityQueue(_queues.PriorityQueue):
    """The smallest first component comes out first."""
