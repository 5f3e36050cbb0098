"""Queues: elements that steps hand to each other."""

from __future__ import annotations

from typing import Any

from ... import _core
from ._dtypes import as_dtype, int32, int64
from ._emit import convert, emit, emit_op, scoped
from ._graphs import get_default_graph, get_seed, opened
from ._shapes import TensorShape
from ._tensor import wrap

__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


class QueueBase:
    """What all queues have; made by one of the classes below."""

    _core: Any

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any) -> None:
        raise NotImplementedError(
            "QueueBase: wanted one of its classes, as tf.FIFOQueue"
        )

    def _make(
        self,
        kind: str,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any,
        shared_name: str | None,
        name: str,
        min_after_dequeue: int = 0,
        seed: int | None = None,
    ) -> None:
        self._dtypes = [as_dtype(t) for t in _as_list(dtypes)]
        self._shapes = self._known_shapes(shapes)
        self._names = None if names is None else [str(n) for n in names]
        if self._names is not None and len(self._names) != len(self._dtypes):
            raise ValueError(
                f"Queue names must have the same length as the datatypes: "
                f"{len(self._names)} and {len(self._dtypes)}"
            )
        seeds = get_seed(seed) if kind == "shuffle" else (None, None)
        mixed = 0
        if seeds[0] is not None and seeds[1] is not None:
            mixed = (seeds[0] * 0x9E3779B1 + seeds[1]) % 2**31 or 1
        self._graph = get_default_graph()
        with opened(self._graph):
            self._graph._check_open()
            full = self._graph.unique_name(name)
            sizes = None if shapes is None else [s.as_list() for s in self._shapes]
            self._core = _core.Queue(
                kind,
                capacity,
                [t._core for t in self._dtypes],
                sizes,
                min_after_dequeue,
                mixed,
                None,
                shared_name,
                full,
            )

    def _known_shapes(self, shapes: Any) -> list[TensorShape]:
        if shapes is None:
            return [TensorShape(None)] * len(self._dtypes)
        given = shapes
        alone = isinstance(shapes, TensorShape) or not isinstance(shapes, (list, tuple))
        if alone or (shapes and all(isinstance(s, int) or s is None for s in shapes)):
            given = [shapes]
        elif not shapes and len(self._dtypes) == 1:
            given = [shapes]
        found = [TensorShape(s) for s in given]
        if len(found) != len(self._dtypes):
            raise ValueError(
                "Queue shapes must have the same length as dtypes, received "
                f"len(shapes)={len(found)}, len(dtypes)={len(self._dtypes)}"
            )
        return found

    @property
    def name(self) -> str:
        """Its name."""
        found: str = self._core.name
        return found

    @property
    def dtypes(self) -> list[Any]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """What is known of the shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, when they have some."""
        return self._names

    @property
    def graph(self) -> Any:
        """The graph it is of."""
        return self._graph

    # ---- Values of elements ----

    def _components(self, vals: Any) -> list[Any]:
        if self._names is not None:
            if not isinstance(vals, dict):
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(vals) != sorted(self._names):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue. "
                    f"Dictionary: {sorted(vals)}, Queue: {sorted(self._names)}"
                )
            given = [vals[n] for n in self._names]
        elif isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        else:
            given = _as_list(vals)
        if len(given) != len(self._dtypes):
            raise ValueError(f"Expected {len(self._dtypes)} values, got {len(given)}")
        return [
            convert(v, t, name=f"component_{i}")
            for i, (v, t) in enumerate(zip(given, self._dtypes))
        ]

    def _packed(self, full: str, tensors: Any, lead: Any, known: bool) -> Any:
        from ._fills import told_shape

        made = []
        for tensor, shape in zip(tensors, self._shapes):
            one = wrap(self._graph, tensor)
            if known:
                one = told_shape(one, TensorShape(lead).concatenate(shape))
            made.append(one)
        first = emit(full, "identity", made[0])
        made = [first, *made[1:]]
        if self._names is not None:
            return dict(zip(self._names, made))
        return made[0] if len(made) == 1 else made

    def _after(self, full: str, change: Any) -> Any:
        with _core.control_dependencies([change]):
            return emit_op(full, "NoOp")

    # ---- Operations ----

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """The operation that puts one element in."""
        with scoped(name, f"{self.name}_enqueue", self) as full:
            values = self._components(vals)
            for value, shape in zip(values, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            with _core.name_scope(full):
                change = self._core._enqueue([v._core for v in values])
            return self._after(full, change)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """The same with many elements: axis 0 of each value counts them."""
        with scoped(name, f"{self.name}_EnqueueMany", self) as full:
            values = self._components(vals)
            for value, shape in zip(values, self._shapes):
                value.shape.with_rank_at_least(1)
                value.shape[1:].assert_is_compatible_with(shape)
            with _core.name_scope(full):
                change = self._core._enqueue_many([v._core for v in values])
            return self._after(full, change)

    def dequeue(self, name: str | None = None) -> Any:
        """One element: a tensor, a list of them, or a dict when there are names."""
        with scoped(name, f"{self.name}_Dequeue", self) as full:
            with _core.name_scope(full):
                found = self._core._dequeue()
            return self._packed(full, found, [], True)

    def _batch(self, what: str, n: Any, name: str | None, label: str) -> Any:
        for shape in self._shapes:
            if shape.ndims is None:
                raise ValueError(
                    f"{what}: the shapes of the elements are not known; wanted shapes"
                )
        with scoped(name, f"{self.name}_{label}", self) as full:
            from ._constants import known

            count = known(n)
            core = n
            if count is None:
                core = emit(None, "cast", convert(n), dtype=int64)._core
            else:
                core = int(count)
            with _core.name_scope(full):
                found = getattr(self._core, f"_{what}")(core)
            lead = [int(count)] if count is not None else [None]
            if what == "dequeue_up_to":
                lead = [None]
            return self._packed(full, found, lead, True)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """A batch of n elements. OutOfRangeError on a closed queue with fewer."""
        return self._batch("dequeue_many", n, name, "DequeueMany")

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """A batch of n elements, or what a closed queue has left."""
        return self._batch("dequeue_up_to", n, name, "DequeueUpTo")

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> Any:
        """The operation that closes it: later enqueues fail, dequeues get what is
        left."""
        with scoped(name, f"{self.name}_Close", self) as full:
            with _core.name_scope(full):
                change = self._core.close(cancel_pending_enqueues)
            return self._after(full, change)

    def size(self, name: str | None = None) -> Any:
        """How many elements it holds, int32."""
        with scoped(name, f"{self.name}_Size", self) as full:
            with _core.name_scope(full):
                found = self._core.size()
            return emit(full, "cast", wrap(self._graph, found), dtype=int32)

    def is_closed(self, name: str | None = None) -> Any:
        """Whether it is closed."""
        with scoped(name, f"{self.name}_Is_Closed", self) as full:
            with _core.name_scope(full):
                found = self._core.is_closed()
            return emit(full, "identity", wrap(self._graph, found))


class FIFOQueue(QueueBase):
    """Elements come out in the order they went in."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        self._make("fifo", capacity, dtypes, shapes, names, shared_name, name)


class RandomShuffleQueue(QueueBase):
    """Elements come out in a random order; so many are kept back to mix with."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        self._make(
            "shuffle",
            capacity,
            dtypes,
            shapes,
            names,
            shared_name,
            name,
            min_after_dequeue,
            seed,
        )


class PaddingFIFOQueue(QueueBase):
    """Elements may differ in sizes that `shapes` leaves open; batches are padded
    with zeros."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if len(_as_list(dtypes)) != len(_as_list(shapes)):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(_as_list(dtypes))} dtypes and {len(_as_list(shapes))} shapes."
            )
        self._make("padding", capacity, dtypes, shapes, names, shared_name, name)

    def _known_shapes(self, shapes: Any) -> list[TensorShape]:
        return [TensorShape(s) for s in shapes]


class PriorityQueue(QueueBase):
    """The smallest component 0, an int64 scalar, comes out first; `types` are those
    of the components after it."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        rest = _as_list(types)
        sizes: Any = None if shapes is None else [[], *shapes]
        if names is not None and len(names) != len(rest) + 1:
            raise ValueError(
                f"PriorityQueue: {len(names)} names; wanted one for each component, "
                "the priority among them"
            )
        self._make(
            "priority", capacity, [int64, *rest], sizes, names, shared_name, name
        )
