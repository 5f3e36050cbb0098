"""DType: a type of elements, as TensorFlow's programs ask about it.

Immutable; there is one object for each type.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ... import _core

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]


class DType:
    """The type of the elements of a tensor."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._core = getattr(_core, name)

    @property
    def name(self) -> str:
        """As "float32"."""
        return self._name

    @property
    def base_dtype(self) -> DType:
        """Itself: values of variables have the type of any other."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of its parts when it is complex, else itself."""
        return {"complex64": float32, "complex128": float64}.get(self._name, self)

    @property
    def as_numpy_dtype(self) -> Any:
        """numpy's class: float32 is numpy.float32, string is object."""
        if self._name == "string":
            return object
        if self._name == "bfloat16":
            import ml_dtypes

            return ml_dtypes.bfloat16
        return np.bool_ if self._name == "bool" else getattr(np, self._name)

    @property
    def is_floating(self) -> builtins.bool:
        """Whether it is a real float."""
        return self._name in ("float16", "float32", "float64", "bfloat16")

    @property
    def is_integer(self) -> builtins.bool:
        """Whether it is a whole number; bool is none."""
        return self._name.lstrip("u").startswith("int")

    @property
    def is_complex(self) -> builtins.bool:
        """Whether it is a complex number."""
        return self._name.startswith("complex")

    @property
    def is_bool(self) -> builtins.bool:
        """Whether it is bool."""
        return self._name == "bool"

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether it is a whole number without a sign."""
        return self._name.startswith("uint")

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """All of them are."""
        return True

    @property
    def size(self) -> int:
        """Bytes of an element; 0 for string, whose elements differ."""
        return 0 if self._name == "string" else np.dtype(self.as_numpy_dtype).itemsize

    def _limits(self) -> Any:
        if self.is_integer:
            return np.iinfo(self.as_numpy_dtype)
        if self._name == "bfloat16":
            import ml_dtypes

            return ml_dtypes.finfo(ml_dtypes.bfloat16)
        if self.is_floating:
            return np.finfo(self.as_numpy_dtype)
        raise TypeError(f"{self._name} has no smallest and no largest number")

    @property
    def min(self) -> Any:
        """The smallest number."""
        return self._limits().min

    @property
    def max(self) -> Any:
        """The largest number."""
        return self._limits().max

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether it is the same type."""
        return self == other

    def __eq__(self, other: Any) -> builtins.bool:
        if other is None:
            return False
        if not isinstance(other, DType):
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self is other

    def __ne__(self, other: Any) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __reduce__(self) -> Any:
        return as_dtype, (self._name,)


# The dtypes that Sluice and TensorFlow share.
_NAMES = """bfloat16 bool complex128 complex64 float16 float32 float64 int16 int32
int64 int8 string uint16 uint32 uint64 uint8""".split()
_known = {name: DType(name) for name in _NAMES if hasattr(_core, name)}
globals().update(_known)
half, double = _known["float16"], _known["float64"]
float32, float64, int32, int64 = (
    _known[n] for n in ("float32", "float64", "int32", "int64")
)
bool, string, uint64 = _known["bool"], _known["string"], _known["uint64"]


def as_dtype(type_value: Any) -> DType:
    """The type that a DType, a numpy type, a Python class or a name stands for."""
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, _core.dtype):
        return _known[type_value.name]
    if isinstance(type_value, str):
        name = {"half": "float16", "double": "float64", "float": "float32"}.get(
            type_value, type_value
        )
        if name in _known:
            return _known[name]
    elif type_value is float:
        return float32
    elif type_value is builtins.bool:
        return bool
    elif not any(type_value is t for t in (None, int, str)):  # nor has TensorFlow
        try:
            kind = np.dtype(type_value)
        except TypeError:
            pass
        else:
            if kind.kind in "OSU":
                return string
            if kind.name in _known:
                return _known[kind.name]
    raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")


__all__ = [n for n in __all__ if n in globals()]
