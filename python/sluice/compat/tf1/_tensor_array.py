"""TensorArray: an array of tensors that loops carry."""

from __future__ import annotations

from typing import Any

from ... import _core
from ._checks import checked_value
from ._constants import known
from ._dtypes import as_dtype, int32, int64
from ._emit import convert, emit, scoped
from ._graphs import get_default_graph
from ._shapes import TensorShape
from ._tensor import wrap

__all__ = ["TensorArray"]


class _Kind:
    """What is known of the elements; the arrays that writes give share it."""

    def __init__(self, dtype: Any, shape: Any, grows: bool, infers: bool) -> None:
        self.dtype, self.shape = dtype, TensorShape(shape)
        self.count: int | None = None
        self.grows, self.infers = grows, infers

    def learn(self, shape: TensorShape) -> None:
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected {self.shape}"
            )
        if self.infers:
            self.shape = self.shape.merge_with(shape)


class TensorArray:
    """Tensors by index. Writing gives a new array, which loops carry.

    Any index may be read and written any number of times; TensorFlow allows
    one write, and one read unless `clear_after_read` is False.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise NotImplementedError("TensorArray: handle and flow are not there")
        # Reads do not change the elements, and there is one device.
        del clear_after_read, tensor_array_name, colocate_with_first_write_call
        if size is None:
            raise ValueError(
                "TensorArray: Cannot create TensorArray without its size; wanted size"
            )
        self._kind = _Kind(
            as_dtype(dtype), element_shape, bool(dynamic_size), bool(infer_shape)
        )
        with scoped(name, "TensorArray", size):
            count = convert(size, name="size")
            fixed = known(count)
            if fixed is not None and not self._kind.grows:
                self._kind.count = int(fixed)
            known_shape = self._kind.shape
            self._list = _core.List.sized(
                self._kind.dtype._core,
                emit(None, "cast", count, dtype=int64)._core,
                known_shape.as_list() if known_shape.ndims is not None else None,
            )
        self._graph = get_default_graph()

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._kind.dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing beyond the end makes it longer."""
        return self._kind.grows

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return self._kind.shape

    @property
    def graph(self) -> Any:
        """The graph it is of."""
        return self._graph

    def _with(self, items: Any) -> TensorArray:
        made = object.__new__(TensorArray)
        made._list, made._kind, made._graph = items, self._kind, self._graph
        return made

    def _checked_index(self, index: Any, what: str, grows: bool) -> Any:
        """The index, once the step has seen that it is in range."""
        place = convert(index, name="index", hint=int32)
        if not place.dtype.is_integer:
            raise TypeError(f"TensorArray: the index is {place.dtype.name}")
        value = known(place)
        if grows and value is not None and int(value) >= 0:
            return place._core
        wide = emit(None, "cast", place, dtype=int64)
        zero = convert(0, int64)
        fits = emit(None, "greater_equal", wide, zero)
        if not grows:
            size = wrap(self._graph, self._list.size())
            below = emit(None, "less", wide, size)
            fits = emit(None, "logical_and", fits, below)
        message = f"TensorArray: tried to {what} an index beyond the array's size"
        return checked_value(wide, fits, [wide], message)._core

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the value there."""
        with scoped(name, "TensorArrayWrite", value, index):
            value = convert(value, name="value", hint=self.dtype)
            if value.dtype != self.dtype:
                raise ValueError(
                    f"TensorArray: the value is {value.dtype.name}; wanted "
                    f"{self.dtype.name}"
                )
            self._kind.learn(value.shape)
            place = self._checked_index(index, "write", self._kind.grows)
            return self._with(self._list.set(place, value._core))

    def _told(self, full: str, made: Any, shape: TensorShape) -> Any:
        from ._fills import told_shape

        return emit(full, "identity", told_shape(wrap(self._graph, made), shape))

    def read(self, index: Any, name: str | None = None) -> Any:
        """The value there."""
        with scoped(name, "TensorArrayRead", index) as full:
            place = self._checked_index(index, "read", False)
            return self._told(full, self._list.get(place), self._kind.shape)

    def stack(self, name: str | None = None) -> Any:
        """All of them along a new first axis."""
        with scoped(name, "TensorArrayStack") as full:
            shape = TensorShape([self._kind.count]).concatenate(self._kind.shape)
            return self._told(full, self._list.stack(), shape)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Some of them along a new first axis."""
        with scoped(name, "TensorArrayGather", indices) as full:
            where = convert(indices, name="indices")
            shape = TensorShape([None]).concatenate(self._kind.shape)
            return self._told(full, self._list.gather(where._core), shape)

    def concat(self, name: str | None = None) -> Any:
        """One after the other along their first axis."""
        with scoped(name, "TensorArrayConcat") as full:
            shape = TensorShape([None]).concatenate(self._kind.shape[1:])
            return self._told(full, self._list.concat()[0], shape)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array of the slices of a tensor along its first axis."""
        with scoped(name, "TensorArrayUnstack", value):
            x = convert(value, self.dtype, name="value")
            self._kind.learn(x.shape[1:])
            return self._with(_core.List.of(x._core))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with slice k of the value at indices[k]."""
        with scoped(name, "TensorArrayScatter", value):
            x = convert(value, self.dtype, name="value")
            self._kind.learn(x.shape[1:])
            where = convert(indices, name="indices")
            return self._with(self._list.scatter(where._core, x._core))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array of stretches of these lengths along a tensor's first axis."""
        with scoped(name, "TensorArraySplit", value):
            x = convert(value, self.dtype, name="value")
            sizes = emit(None, "cast", convert(lengths), dtype=int64)
            return self._with(_core.List.split(x._core, sizes._core))

    def size(self, name: str | None = None) -> Any:
        """How many there are, as int32."""
        with scoped(name, "TensorArraySize") as full:
            return emit(full, "cast", wrap(self._graph, self._list.size()), dtype=int32)

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def close(self, name: str | None = None) -> Any:
        """An operation that does nothing: arrays are values."""
        from ._flow import no_op

        return no_op(name)
