"""Gradients held against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._flat import Arguments, Results, carries_gradient, name_of

__all__ = ["gradcheck", "gradgradcheck"]


def _check(
    f: Callable[..., Any],
    inputs: Any,
    eps: float,
    atol: float,
    rtol: float,
    raise_exception: bool,
    second: bool,
    what: str,
) -> bool:
    if not callable(f):
        raise TypeError(f"{what}: got a {type(f).__name__}; wanted a function")
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    given = Arguments(args, lambda t: carries_gradient(t) and t.requires_grad)
    if not given.tensors:
        given = Arguments(args, carries_gradient)
    if not given.tensors:
        raise ValueError(f"{what}: no input is a floating-point tensor")

    def flat(tensors: list[Any]) -> list[Any]:
        return Results(f(*given.rebuild(tensors)), f"{what} of {name_of(f)}").tensors

    try:
        _core.gradcheck(flat, given.tensors, eps, max(atol, rtol), second)
    except RuntimeError:
        if raise_exception:
            raise
        return False
    return True


def gradcheck(
    f: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-5,
    raise_exception: bool = True,
) -> bool:
    """Whether f's gradients at these float64 inputs agree with differences.

    Checks the inputs that require gradients, or all when none does. Raises
    RuntimeError that names the element, or returns False.
    """
    return _check(
        f, inputs, eps, atol, rtol, raise_exception, False, "gradcheck"
    )


def gradgradcheck(
    f: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-5,
    raise_exception: bool = True,
) -> bool:
    """The same for the gradients of f's gradients too."""
    return _check(
        f, inputs, eps, atol, rtol, raise_exception, True, "gradgradcheck"
    )
