"""Types for the package's annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union

from ._core import Tensor, dtype

__all__ = ["Axes", "DTypeLike", "Ints", "Shape", "TensorLike"]


class _HasArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class _HasDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


# Everything accepted as a tensor: numbers, nested lists, arrays of other libraries.
TensorLike: TypeAlias = Union[
    Tensor, bool, int, float, complex, str, bytes, Sequence[Any], _HasArray,
    _HasDLPack,
]
# sl.float32, "float32", numpy.float32, float.
DTypeLike: TypeAlias = Union[dtype, str, type, Any]
Ints: TypeAlias = Union[int, Sequence[int]]
Axes: TypeAlias = Union[int, Sequence[int], None]
# None: a size that is not fixed.
Shape: TypeAlias = Union[int, Sequence[Union[int, None]]]
