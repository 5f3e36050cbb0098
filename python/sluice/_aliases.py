"""PyTorch's other names of element types and shapes."""

from __future__ import annotations

from ._core import (
    complex64 as cfloat,
    float16 as half,
    float32 as float,
    float64 as double,
    int16 as short,
    int32 as int,
    int64 as long,
)

__all__ = ["Size", "cfloat", "double", "float", "half", "int", "long", "short"]

# Shapes are tuples: x.shape is one, and a shape may be made of one.
Size = tuple
