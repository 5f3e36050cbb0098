"""Products of matrices."""

from __future__ import annotations

from typing import Any

from ._checks import refuse
from ._emit import convert, emit, scoped
from ._math import _NUMBERS, same_type, allowed

__all__ = ["matmul", "tensordot"]


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices, or of batches of them.

    `a_is_sparse` and `b_is_sparse` are hints that change no result.
    """
    refuse("matmul", output_type=output_type, grad_a=grad_a, grad_b=grad_b)
    if transpose_a and adjoint_a:
        raise ValueError("Only one of `transpose_a` and `adjoint_a` can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of `transpose_b` and `adjoint_b` can be True.")
    del a_is_sparse, b_is_sparse
    with scoped(name, "MatMul", a, b) as full:
        a = convert(a, name="a")
        b = convert(b, name="b", hint=a.dtype)
        same_type("MatMul", a, b)
        allowed("MatMul", a.dtype, _NUMBERS)
        for x in (a, b):
            if x.shape.ndims is not None and x.shape.ndims < 2:
                raise ValueError(
                    f"matmul: {x.name} is {x.shape}; wanted at least 2 axes"
                )
        if adjoint_a and a.dtype.is_complex:
            a = emit(None, "conj", a)
        if adjoint_b and b.dtype.is_complex:
            b = emit(None, "conj", b)
        ranks = (a.shape.ndims, b.shape.ndims)
        flat = ranks == (2, 2) or None in ranks
        return emit(
            full,
            "matmul" if flat else "batch_mat_mul",
            a,
            b,
            transpose_a=transpose_a or adjoint_a,
            transpose_b=transpose_b or adjoint_b,
        )


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Products summed over pairs of axes: so many of the last and the first, or
    those of two lists."""
    from ._arrays import reshape, transpose

    with scoped(name, "Tensordot", a, b) as full:
        a = convert(a, name="a")
        b = convert(b, name="b", hint=a.dtype)
        same_type("Tensordot", a, b)
        left, right = a.shape.as_list(), b.shape.as_list()
        if None in left or None in right:
            raise NotImplementedError("tensordot: wanted operands of known shapes")
        if isinstance(axes, int):
            if not 0 <= axes <= min(len(left), len(right)):
                raise ValueError(f"tensordot: axes is {axes}; wanted 0 to the rank")
            mine: list[int] = list(range(len(left) - axes, len(left)))
            theirs: list[int] = list(range(axes))
        else:
            first, second = axes
            mine = [first] if isinstance(first, int) else list(first)
            theirs = [second] if isinstance(second, int) else list(second)
            mine = [i % len(left) for i in mine]
            theirs = [i % len(right) for i in theirs]
        if len(mine) != len(theirs):
            raise ValueError(
                f"Different number of contraction axes 'a' and 'b', {len(mine)} != "
                f"{len(theirs)}."
            )
        kept = [i for i in range(len(left)) if i not in mine]
        keeps = [i for i in range(len(right)) if i not in theirs]
        inner = 1
        for i in mine:
            inner *= left[i] or 0
        rows = reshape(transpose(a, kept + mine), [-1, inner])
        columns = reshape(transpose(b, theirs + keeps), [inner, -1])
        shape = [left[i] for i in kept] + [right[i] for i in keeps]
        return reshape(matmul(rows, columns), shape, name=f"{full}/")
