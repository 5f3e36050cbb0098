"""out=: a function's results, written over tensors that are given."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Tensor

__all__: list[str] = []


def _over(made: Any, out: Any, what: str) -> Any:
    if not isinstance(made, Tensor) or not isinstance(out, Tensor):
        raise TypeError(
            f"{what}(): out is a {type(out).__name__} for a {type(made).__name__}; "
            "wanted a tensor for each result that is one"
        )
    if _core.is_grad_enabled() and (made._tracked or out._tracked):
        raise RuntimeError(
            f"{what}(): out has no gradients, and an argument requires them; wanted "
            "the result without out, or no_grad() around the call"
        )
    if made.ndim != out.ndim or not made.symbolic and made.shape != out.shape:
        raise ValueError(
            f"{what}(): out is {list(out.shape)}, the result {list(made.shape)}; "
            "wanted one shape, for a tensor keeps its size"
        )
    real, of = _kind(out.dtype), _kind(made.dtype)
    if real < of:
        raise TypeError(
            f"{what}(): out is {out.dtype.name}, the result {made.dtype.name}; wanted "
            "a type that holds it"
        )
    return out.copy_(made)


def _kind(dtype: Any) -> int:
    """Bools, integers, floats, complex numbers."""
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating_point else 0 if dtype == _core.bool else 1


def written(made: Any, out: Any, what: str) -> Any:
    """out, or several, with the results of a function of that name in it."""
    if not isinstance(out, (tuple, list)):
        return _over(made, out, what)
    several = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(several) != len(out):
        raise ValueError(
            f"{what}(): {len(out)} tensors for {len(several)} results; wanted as many"
        )
    kept = [_over(m, o, what) for m, o in zip(several, out)]
    if hasattr(made, "_fields"):
        return type(made)(*kept)
    return type(out)(kept)
