"""TensorArray: an array of tensors that loops carry."""

from __future__ import annotations

from typing import Any

from ... import _core, tree
from ..._core import List, Tensor
from ._arrays import convert_to_tensor
from ._graphs import opened


class TensorArray:
    """Tensors by index. Writing gives a new array, which loops carry.

    Any index may be read and written any number of times.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        name: str | None = None,
    ) -> None:
        with opened():
            self._list = List.sized(dtype, convert_to_tensor(size), element_shape)
        self.dtype = dtype

    def _with(self, items: List) -> TensorArray:
        made = object.__new__(TensorArray)
        made._list, made.dtype = items, self.dtype
        return made

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the value there."""
        with opened():
            value = convert_to_tensor(value, self.dtype)
            return self._with(self._list.set(index, value))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The value there."""
        with opened():
            return self._list.get(index)

    def stack(self, name: str | None = None) -> Tensor:
        """All of them along a new first axis."""
        with opened():
            return self._list.stack()

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some of them along a new first axis."""
        with opened():
            return self._list.gather(indices)

    def concat(self, name: str | None = None) -> Tensor:
        """One after the other along their first axis."""
        with opened():
            joined: Tensor = self._list.concat()[0]
            return joined

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array of the slices of a tensor along its first axis."""
        with opened():
            return self._with(List.of(convert_to_tensor(value, self.dtype)))

    def size(self, name: str | None = None) -> Tensor:
        """How many there are, as int32."""
        with opened():
            count: Any = _core.op_function("Cast")(
                self._list.size(), dtype=_core.int32
            )
            made: Tensor = count
            return made

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def close(self, name: str | None = None) -> None:
        """Accepted: arrays are values."""


tree.register(
    TensorArray,
    lambda array: ((array._list,), array.dtype),
    lambda dtype, children: _rebuilt(dtype, children),
)


def _rebuilt(dtype: Any, children: Any) -> TensorArray:
    made = object.__new__(TensorArray)
    (made._list,), made.dtype = children, dtype
    return made
