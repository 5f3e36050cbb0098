"""The standard's constants and element types."""

from __future__ import annotations

import math

from .._core import (
    bool as bool,
    complex64 as complex64,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)

__all__ = [
    "bool",
    "complex64",
    "e",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi
