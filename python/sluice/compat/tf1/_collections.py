"""Collections of a graph: lists that hold tensors and operations by their names.

A tensor keeps its graph alive in a way that Python's collector cannot see. A graph
that kept tensors itself would never end, so that it keeps their names.
"""

from __future__ import annotations

import weakref
from collections.abc import MutableSequence
from typing import Any

__all__ = ["Collection"]


class _Named:
    """A tensor or an operation of the graph, by name."""

    __slots__ = ("is_tensor", "name")

    def __init__(self, name: str, is_tensor: bool) -> None:
        self.name, self.is_tensor = name, is_tensor


class Collection(MutableSequence[Any]):
    """A list of values of one graph. Its own thread's, as the graph is."""

    def __init__(self, graph: Any) -> None:
        self._graph = weakref.ref(graph)
        self._items: list[Any] = []

    def _put(self, value: Any) -> Any:
        from ._tensor import Operation, Tensor

        if isinstance(value, (Tensor, Operation)) and value.graph is self._graph():
            return _Named(value.name, isinstance(value, Tensor))
        return value

    def _get(self, item: Any) -> Any:
        if not isinstance(item, _Named):
            return item
        from ._tensor import wrap, wrap_operation

        graph: Any = self._graph()
        if item.is_tensor:
            return wrap(graph, graph.tensor(item.name))
        return wrap_operation(graph, graph.operation(item.name))

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._get(item) for item in self._items[index]]
        return self._get(self._items[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            self._items[index] = [self._put(v) for v in value]
        else:
            self._items[index] = self._put(value)

    def __delitem__(self, index: Any) -> None:
        del self._items[index]

    def insert(self, index: int, value: Any) -> None:
        """Puts a value before another."""
        self._items.insert(index, self._put(value))

    def __repr__(self) -> str:
        return repr(list(self))
