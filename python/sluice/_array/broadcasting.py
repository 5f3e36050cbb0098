"""The sizes that shapes have together."""

from __future__ import annotations

from typing import Any

from .axes import whole


def is_int(x: Any) -> bool:
    if isinstance(x, int):
        return True
    # Tensors and arrays have __index__, too.
    return hasattr(x, "__index__") and getattr(x, "ndim", 0) == 0


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape arrays of these shapes have together."""
    made: list[int] = []
    for shape in shapes:
        shape = (shape,) if is_int(shape) else tuple(shape)
        made = [1] * (len(shape) - len(made)) + made
        for i in range(1, len(shape) + 1):
            size, other = whole(shape[-i], "a size"), made[-i]
            if size < 0:
                raise ValueError(f"a size is {size}; wanted 0 or more")
            if size != other and 1 not in (size, other):
                raise ValueError(f"shapes {shapes} do not broadcast together")
            made[-i] = other if size == 1 else size
    return tuple(made)
