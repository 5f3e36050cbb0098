"""Queues of a graph, which pass elements between steps.

An element is a tuple of tensors. `enqueue` waits while the queue is full,
`dequeue` while it is empty; neither holds a thread of the step. The elements
live in a Session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._closed import closed
from ._core import Operation, Tensor

__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]


@closed
class QueueBase(_core.Queue):
    """What all queues have."""

    names: list[str] | None

    def __init__(
        self,
        kind: str,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Sequence[str] | None,
        min_after_dequeue: int,
        seed: int | None,
        container: str | None,
        shared_name: str | None,
        name: str | None,
    ) -> None:
        super().__init__(
            kind,
            capacity,
            dtypes,
            shapes,
            min_after_dequeue,
            0 if seed is None else seed,
            container,
            shared_name,
            name,
        )
        self.names = None if names is None else list(names)
        if self.names is not None and len(self.names) != len(self.dtypes):
            raise ValueError(
                f"names has {len(self.names)} entries; wanted one for each of "
                f"the {len(self.dtypes)} components"
            )

    def _components(self, values: Any) -> Sequence[Any]:
        if self.names is not None:
            if not isinstance(values, Mapping):
                raise TypeError(
                    f"values is a {type(values).__name__}; wanted a dict with "
                    f"the queue's names, {self.names}"
                )
            if set(values) != set(self.names):
                raise ValueError(
                    f"values has the names {sorted(values)}; wanted {self.names}"
                )
            return [values[name] for name in self.names]
        count = len(self.dtypes)
        if isinstance(values, (tuple, list)) and len(values) == count:
            return values
        if count == 1:
            return [values]
        got = len(values) if isinstance(values, (tuple, list)) else 1
        raise ValueError(f"got {got} values; wanted one for each of {count} components")

    def _packed(self, tensors: list[Tensor]) -> Any:
        if self.names is not None:
            return dict(zip(self.names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def enqueue(self, vals: Any) -> Operation:
        """The operation that enqueues one element: a value per component."""
        return self._enqueue(self._components(vals))

    def enqueue_many(self, vals: Any) -> Operation:
        """The same with many elements: axis 0 of each value counts them."""
        return self._enqueue_many(self._components(vals))

    def dequeue(self) -> Any:
        """One element: a tensor, a list of tensors, or a dict if there are names."""
        return self._packed(self._dequeue())

    def dequeue_many(self, n: Any) -> Any:
        """A batch of n elements. Raises IndexError on a closed queue with fewer."""
        return self._packed(self._dequeue_many(n))

    def dequeue_up_to(self, n: Any) -> Any:
        """A batch of n elements, or the remaining ones of a closed queue."""
        return self._packed(self._dequeue_up_to(n))

    def __repr__(self) -> str:
        types = ", ".join(str(t) for t in self.dtypes)
        return f'<sluice.{type(self).__name__} "{self.name}" of ({types})>'


class FIFOQueue(QueueBase):
    """Elements come out in the order they went in.

    `capacity` -1 means unbounded. `shapes` has one entry per component, or is None
    if unknown; batches need fully known shapes.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        super().__init__(
            "fifo", capacity, dtypes, shapes, names, 0, 0, container, shared_name, name
        )


class RandomShuffleQueue(QueueBase):
    """Elements come out in a random order.

    At least `min_after_dequeue` elements stay in it for mixing, until it is closed.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        super().__init__(
            "shuffle",
            capacity,
            dtypes,
            shapes,
            names,
            min_after_dequeue,
            seed,
            container,
            shared_name,
            name,
        )


class PaddingFIFOQueue(QueueBase):
    """Elements may differ in sizes that `shapes` leaves open.

    A batch is padded with zeros to the largest.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        super().__init__(
            "padding",
            capacity,
            dtypes,
            shapes,
            names,
            0,
            0,
            container,
            shared_name,
            name,
        )


class PriorityQueue(QueueBase):
    """The smallest component 0, an int64 scalar, comes out first.

    `types` are those of the components after it, as are `shapes` and `names`.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        rest = list(types) if isinstance(types, (tuple, list)) else [types]
        all_shapes: Any = None
        if shapes is not None:
            all_shapes = [()] + list(shapes)
        all_names = None if names is None else ["priority", *names]
        super().__init__(
            "priority",
            capacity,
            [_core.int64, *rest],
            all_shapes,
            all_names,
            0,
            0,
            container,
            shared_name,
            name,
        )
