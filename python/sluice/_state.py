"""State of a graph other than variables and queues: tables, accumulators and so on.

Each object is a handle. Its contents live in a Session, in a container under a name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _core
from ._closed import closed
from ._core import Operation, Stack, Tensor

__all__ = ["Accumulator", "Barrier", "HashTable", "Mutex", "Stack"]

# The function of an op, by the op's name.
_op = functools.cache(_core.op_function)


def _tensor(op: str, *inputs: Any, **attrs: Any) -> Tensor:
    made: Tensor = _op(op)(*inputs, **attrs)
    return made


def _operation(op: str, *inputs: Any, **attrs: Any) -> Operation:
    made: Operation = _op(op)(*inputs, **attrs)
    return made


def _handle(what: str, op: str, **attrs: Any) -> Tensor:
    if _core.current_graph() is None:
        raise RuntimeError(
            f"{what} needs a graph, and none is open on this thread; wanted "
            "`with sluice.Graph():`"
        )
    if attrs["container"] is None:
        attrs["container"] = _core.current_container()
    attrs = {name: value for name, value in attrs.items() if value is not None}
    return _tensor(op, **attrs)


@closed
class HashTable:
    """A table from keys (int32, int64 or strings) to values."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        value_shape: Sequence[int] = (),
        container: str | None = None,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.value_shape = tuple(value_shape)
        self.handle = _handle(
            "HashTable()",
            "HashTable",
            key_dtype=key_dtype,
            value_dtype=value_dtype,
            value_shape=self.value_shape,
            container=container,
            shared_name=shared_name,
            name=name,
        )

    def insert(self, keys: Any, values: Any) -> Operation:
        """Sets values; `values` has the shape of `keys`, then that of a value."""
        keys = _core.constant(keys, self.key_dtype) if _plain(keys) else keys
        values = _core.constant(values, self.value_dtype) if _plain(values) else values
        return _operation("TableInsert", self.handle, keys, values)

    def find(self, keys: Any, default: Any) -> Tensor:
        """The values of keys, with `default` for missing ones."""
        keys = _core.constant(keys, self.key_dtype) if _plain(keys) else keys
        if _plain(default):
            shape = self.value_shape or None
            default = _core.constant(default, self.value_dtype, shape)
        return _tensor("TableFind", self.handle, keys, default)

    def erase(self, keys: Any) -> Operation:
        """Removes keys and ignores missing ones."""
        keys = _core.constant(keys, self.key_dtype) if _plain(keys) else keys
        return _operation("TableErase", self.handle, keys)

    def export(self) -> tuple[Tensor, Tensor]:
        """All keys in ascending order, and their values."""
        keys, values = _op("TableExport")(
            self.handle,
            key_dtype=self.key_dtype,
            value_dtype=self.value_dtype,
            value_shape=self.value_shape,
        )
        return keys, values

    def size(self) -> Tensor:
        """The number of keys."""
        return _tensor("TableSize", self.handle)


@closed
class Accumulator:
    """Gathers gradients of many steps and gives away their mean or sum."""

    def __init__(
        self,
        dtype: Any,
        shape: Sequence[int | None] | None = None,
        reduction: str = "mean",
        container: str | None = None,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self.dtype, self.shape = dtype, shape
        self.handle = _handle(
            "Accumulator()",
            "Accumulator",
            dtype=dtype,
            shape=shape,
            reduction=reduction,
            container=container,
            shared_name=shared_name,
            name=name,
        )

    def apply_grad(self, grad: Any, local_step: Any = 0) -> Operation:
        """Adds a gradient. One from a step before the accumulator's is dropped."""
        grad = _core.constant(grad, self.dtype) if _plain(grad) else grad
        return _operation("AccumulatorApply", self.handle, local_step, grad)

    def take_grad(self, num_required: Any) -> Tensor:
        """Waits for that many gradients, takes the mean or sum of all, and advances the
        step."""
        return _tensor(
            "AccumulatorTake",
            self.handle,
            num_required,
            dtype=self.dtype,
            shape=self.shape,
        )

    def num_accumulated(self) -> Tensor:
        """The number of gradients that it holds."""
        return _tensor("AccumulatorCount", self.handle)

    def set_global_step(self, step: Any) -> Operation:
        """Sets the step below which gradients are dropped."""
        return _operation("AccumulatorSetStep", self.handle, step)


@closed
class Barrier:
    """Joins components that arrive separately under one key, a string."""

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Sequence[int]],
        container: str | None = None,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self.dtypes, self.shapes = list(dtypes), list(shapes)
        self.handle = _handle(
            "Barrier()",
            "Barrier",
            dtypes=self.dtypes,
            shapes=self.shapes,
            container=container,
            shared_name=shared_name,
            name=name,
        )

    def insert_many(self, component_index: int, keys: Any, values: Any) -> Operation:
        """Inserts one component of several keys: row i of `values` for keys[i]."""
        if _plain(values):
            values = _core.constant(values, self.dtypes[component_index])
        return _operation(
            "BarrierInsert", self.handle, keys, values, component=component_index
        )

    def take_many(
        self, num_elements: Any, allow_small_batch: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        """Waits for complete keys and takes the oldest ones: keys and components."""
        keys, *components = _op("BarrierTake")(
            self.handle,
            num_elements,
            dtypes=self.dtypes,
            shapes=self.shapes,
            allow_small_batch=allow_small_batch,
        )
        return keys, components

    def close(self, cancel_pending_enqueues: bool = False) -> Operation:
        """Accepts no new keys from then on."""
        return _operation(
            "BarrierClose", self.handle, cancel_pending=cancel_pending_enqueues
        )

    def ready_size(self) -> Tensor:
        """The number of complete keys not yet taken."""
        return _tensor("BarrierReadySize", self.handle)

    def incomplete_size(self) -> Tensor:
        """The number of keys that still lack a component."""
        return _tensor("BarrierIncompleteSize", self.handle)


@closed
class Mutex:
    """A lock that one step holds at a time."""

    def __init__(
        self,
        container: str | None = None,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self.handle = _handle(
            "Mutex()",
            "Mutex",
            container=container,
            shared_name=shared_name,
            name=name,
        )

    def acquire(self) -> Tensor:
        """Waits until the lock is free and takes it; the ticket releases it."""
        return _tensor("MutexAcquire", self.handle)

    def release(self, ticket: Tensor) -> Operation:
        """Releases the lock with the ticket that acquire gave."""
        return _operation("MutexRelease", self.handle, ticket)

    @contextmanager
    def critical(self) -> Iterator[list[Tensor]]:
        """Operations made inside run while the lock is held.

        The list receives the results of the section: the lock is released once they
        have been computed.

            with mutex.critical() as done:
                done.append(v.assign_add(1))
        """
        ticket = self.acquire()
        done: list[Any] = []
        with _core.control_dependencies([ticket]):
            yield done
        with _core.control_dependencies([ticket, *done]):
            done.append(self.release(ticket))


def _plain(value: Any) -> bool:
    """Whether the value is a Python literal, not a tensor or variable."""
    return not isinstance(value, (Tensor, _core.Variable))
