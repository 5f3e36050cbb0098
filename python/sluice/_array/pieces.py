"""Tensors cut into pieces and put side by side, by the names of PyTorch and numpy."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from .axes import one_axis
from .shape import as_tensor, atleast_3d, concat, expand_dims, vstack

__all__ = [
    "column_stack",
    "dsplit",
    "dstack",
    "hsplit",
    "row_stack",
    "tensor_split",
    "vsplit",
]

row_stack = vstack


def tensor_split(
    x: Any, indices_or_sections: Any, dim: int = 0
) -> tuple[Tensor, ...]:
    """Cut along an axis: into so many parts of about one size, or at these places."""
    x = as_tensor(x)
    at = one_axis(dim, x.ndim, "tensor_split")
    size = int(x.shape[at])
    given = indices_or_sections
    if isinstance(given, Tensor):
        given = given.tolist()
    if isinstance(given, (tuple, list)):
        ends = [0, *given, size]
    else:
        if given <= 0:
            raise ValueError(f"tensor_split(): {given} parts; wanted 1 or more")
        each, more = divmod(size, given)
        ends = [i * each + min(i, more) for i in range(given + 1)]
    before = (slice(None),) * at
    return tuple(x[(*before, slice(a, b))] for a, b in zip(ends, ends[1:]))


def _split(x: Any, given: Any, dim: int, least: int, what: str) -> tuple[Tensor, ...]:
    x = as_tensor(x)
    if x.ndim < least:
        raise ValueError(f"{what}(): x has {x.ndim} axes; wanted {least} or more")
    if not isinstance(given, (tuple, list)) and x.shape[dim] % given:
        raise ValueError(f"{what}(): size {x.shape[dim]} of axis {dim} in {given} "
                         "parts; wanted parts of one size")  # fmt: skip
    return tensor_split(x, given, dim)


def hsplit(x: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cut along the second axis, vectors along their own."""
    one = as_tensor(x).ndim == 1
    return _split(x, indices_or_sections, 0 if one else 1, 1, "hsplit")


def vsplit(x: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cut along the first axis."""
    return _split(x, indices_or_sections, 0, 2, "vsplit")


def dsplit(x: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cut along the third axis."""
    return _split(x, indices_or_sections, 2, 3, "dsplit")


def column_stack(xs: Any) -> Tensor:
    """Columns side by side; vectors are columns."""
    made = [as_tensor(x) for x in xs]
    made = [x if x.ndim > 1 else _column(x) for x in made]
    return concat(made, 1)


def _column(x: Tensor) -> Tensor:
    return expand_dims(x if x.ndim else expand_dims(x, 0), 1)


def dstack(xs: Any) -> Tensor:
    """Along the third axis."""
    return concat([atleast_3d(x) for x in xs], 2)
