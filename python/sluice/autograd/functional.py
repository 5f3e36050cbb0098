"""Derivatives of functions at a point, by the names of torch.autograd.functional.

inputs and v are a tensor or a tuple of tensors; so are func's results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core, _grad, _jacobian

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _tuple(given: Any, what: str, name: str) -> tuple[Any, ...]:
    every = given if isinstance(given, tuple) else (given,)
    for one in every:
        if not isinstance(one, _core.Tensor):
            raise TypeError(
                f"{what}(): {name} holds a {type(one).__name__}; wanted tensors"
            )
    return every


def _plain(what: str, strict: bool) -> None:
    if strict:
        raise NotImplementedError(
            f"{what}(): strict=True; what a result does not depend on has zeros here"
        )


def _finished(made: Any, create_graph: bool) -> Any:
    return made if create_graph else _grad._let_go(made)


def _like(result: Any, given: Any) -> Any:
    """A tuple, unless one tensor was given for it."""
    return result if isinstance(given, tuple) else result[0]


def _checked(v: Any, wanted: Any, what: str) -> tuple[Any, ...]:
    """v beside what it belongs to; None stands for a 1 of a single number."""
    every = wanted if isinstance(wanted, tuple) else (wanted,)
    if v is None:
        if len(every) != 1 or every[0].numel() != 1:
            raise ValueError(f"{what}(): lacks v, for more than one number")
        return (_core.op_function("OnesLike")(every[0]),)
    given = _tuple(v, what, "v")
    if [tuple(t.shape) for t in given] != [tuple(t.shape) for t in every]:
        raise ValueError(
            f"{what}(): v is {[list(t.shape) for t in given]}; wanted "
            f"{[list(t.shape) for t in every]}"
        )
    return given


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """func(*inputs), and v times its Jacobian."""
    _plain("vjp", strict)
    out, pull = _grad.vjp(func, *_tuple(inputs, "vjp", "inputs"))
    given = _checked(v, out, "vjp")
    found = pull(given if isinstance(out, tuple) else given[0])
    return _finished((out, _like(found, inputs)), create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """func(*inputs), and its Jacobian times v."""
    _plain("jvp", strict)
    points = _tuple(inputs, "jvp", "inputs")
    along = _checked(v, inputs, "jvp")
    return _finished(_grad.jvp(func, points, along), create_graph)


def _scalar(func: Callable[..., Any], what: str) -> Callable[..., Any]:
    def value(*points: Any) -> Any:
        out = func(*points)
        if not isinstance(out, _core.Tensor) or out.numel() != 1:
            raise ValueError(f"{what}(): func gives no single number")
        return _core.op_function("Sum")(out) if out.ndim else out

    return value


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """func(*inputs), a single number, and its Hessian times v."""
    _plain("hvp", strict)
    points = _tuple(inputs, "hvp", "inputs")
    along = _checked(v, inputs, "hvp")
    found = _grad.hvp(_scalar(func, "hvp"), points, along)
    return _finished((func(*points), _like(tuple(found), inputs)), create_graph)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """func(*inputs), a single number, and v times its Hessian, which is symmetric."""
    return hvp(func, inputs, v, create_graph, strict)


def _ways(what: str, strategy: str) -> None:
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError(
            f'{what}(): strategy is {strategy!r}; wanted "reverse-mode" or '
            '"forward-mode"'
        )


def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False,
    strict: bool = False, vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """func's Jacobian: of shape (*result, *input), or tuples of tuples of such.

    Rows are always computed at once, as vectorize=True asks for.
    """
    _plain("jacobian", strict)
    _ways("jacobian", strategy)
    points = _tuple(inputs, "jacobian", "inputs")
    make = _jacobian.jacrev if strategy == "reverse-mode" else _jacobian.jacfwd
    numbers = tuple(range(len(points))) if isinstance(inputs, tuple) else 0
    return _finished(make(func, numbers)(*points), create_graph)


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False,
    strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Hessian of func, a single number: (*input, *input), or tuples of tuples."""
    _plain("hessian", strict)
    _ways("hessian", outer_jacobian_strategy)
    points = _tuple(inputs, "hessian", "inputs")
    numbers = tuple(range(len(points))) if isinstance(inputs, tuple) else 0
    outer = _jacobian.jacfwd if outer_jacobian_strategy[0] == "f" else _jacobian.jacrev
    slope = _grad.grad(_scalar(func, "hessian"), numbers, allow_unused=True)
    return _finished(outer(slope, numbers)(*points), create_graph)
