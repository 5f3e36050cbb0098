"""The families of programs, and the modes in which each of them runs.

A Way is two wraps of the function under test: a reference, usually imperative, and one
that must agree with it. T is the library.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable
from typing import Any

from . import closures, everyday, functional, stateful
from .outcome import Way
from .program import Program
from .running import Wrap


def plain(T: Any, f: Any) -> Any:
    return f


def captured(T: Any, f: Any) -> Any:
    return T.function(f)


def gradient(T: Any, f: Any) -> Any:
    return T.grad(f, allow_unused=True)


def gradient_of_captured(T: Any, f: Any) -> Any:
    return T.grad(T.function(f), allow_unused=True)


def captured_gradient(T: Any, f: Any) -> Any:
    return T.function(T.grad(f, allow_unused=True))


def _second(T: Any, f: Any) -> Any:
    def slope(*args: Any) -> Any:
        return (T.grad(f, allow_unused=True)(*args) ** 2).sum()

    return T.grad(slope, allow_unused=True)


def second(T: Any, f: Any) -> Any:
    return _second(T, f)


def captured_second(T: Any, f: Any) -> Any:
    return T.function(_second(T, f))


def second_of_captured(T: Any, f: Any) -> Any:
    return _second(T, T.function(f))


def second_scalar(T: Any, f: Any) -> Any:
    return T.grad(lambda x: T.grad(f, allow_unused=True)(x) ** 2, allow_unused=True)


def _backward(T: Any, f: Any) -> Any:
    """backward() outside f, as in training programs."""

    def call(x: Any, *rest: Any) -> Any:
        x = x.detach().requires_grad_()
        y = f(x, *rest)
        if y.requires_grad:
            y.backward()
        return y, x.grad

    return call


def backward(T: Any, f: Any) -> Any:
    return _backward(T, f)


def backward_of_captured(T: Any, f: Any) -> Any:
    return _backward(T, T.function(f))


def captured_backward(T: Any, f: Any) -> Any:
    return T.function(_backward(T, f))


def _lanes(x: Any) -> list[Any]:
    return [x, x * 0.5, -x]


def _one_by_one(T: Any, f: Any) -> Any:
    return lambda x, *rest: T.stack([f(lane, *rest) for lane in _lanes(x)])


def _mapped(T: Any, f: Any, whole: Any = lambda f: f) -> Any:
    def call(x: Any, *rest: Any) -> Any:
        lanes = T.stack(_lanes(x))
        return whole(T.vmap(lambda lane: f(lane, *rest)))(lanes)

    return call


def one_by_one(T: Any, f: Any) -> Any:
    return _one_by_one(T, f)


def map_of_captured(T: Any, f: Any) -> Any:
    return _mapped(T, T.function(f))


def captured_map(T: Any, f: Any) -> Any:
    return T.function(_mapped(T, f))


def slopes_one_by_one(T: Any, f: Any) -> Any:
    return _one_by_one(T, T.grad(f, allow_unused=True))


def map_of_slopes_of_captured(T: Any, f: Any) -> Any:
    return _mapped(T, T.grad(T.function(f), allow_unused=True))


def captured_map_of_slopes(T: Any, f: Any) -> Any:
    return T.function(_mapped(T, T.grad(f, allow_unused=True)))


def elements(T: Any, f: Any) -> Any:
    """The lanes of vmap one by one, because duals have no tensors."""

    def call(x: Any) -> Any:
        mapped = T.vmap(f)(T.stack(_lanes(x)))
        return [mapped[i] for i in range(3)]

    return call


def captured_elements(T: Any, f: Any) -> Any:
    return elements(T, T.function(f))


def _names(code: types.CodeType) -> set[str]:
    """All names in the code, including inner functions."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _in_session(T: Any, f: Any, slope: bool) -> Any:
    """f recorded from placeholders into its own graph, and run by a session."""
    from sluice._convert import convert

    # Graphs have no grad mode: `no_grad` has no effect there, only `detach()`.
    if slope and "quiet" in _names(f.__code__):
        return gradient(T, f)

    def call(*args: Any) -> Any:
        graph, feeds = T.Graph(), {}
        with graph:
            given = []
            for a in args:
                if isinstance(a, T.Tensor):
                    place = T.placeholder(a.dtype, list(a.shape))
                    feeds[place], a = a, place
                given.append(a)
            made = convert(f)(*given)
            if slope:
                (made,) = T.gradients(made, [given[0]], unconnected_gradients="zero")
        with T.Session(graph) as session:
            return session.run(made, feeds)

    return call


def in_session(T: Any, f: Any) -> Any:
    return _in_session(T, f, False)


def gradient_in_session(T: Any, f: Any) -> Any:
    return _in_session(T, f, True)


_CAPTURED = Way("function(f)", plain, captured)
_FUNCTIONAL = [
    Way("grad(function(f))", gradient, gradient_of_captured),
    Way("function(grad(f))", gradient, captured_gradient),
    Way("function(f) then backward()", backward, backward_of_captured),
    Way("backward() in function", backward, captured_backward),
    Way("function(grad(grad(f)))", second, captured_second),
    Way("grad(grad(function(f)))", second, second_of_captured),
    Way("vmap(function(f))", one_by_one, map_of_captured),
    Way("function(vmap(f))", one_by_one, captured_map),
    Way("vmap(grad(function(f)))", slopes_one_by_one, map_of_slopes_of_captured),
    Way("function(vmap(grad(f)))", slopes_one_by_one, captured_map_of_slopes),
    Way("f in a session", plain, in_session),
    Way("gradients of f in a session", gradient, gradient_in_session),
]
_DUALS = "capture.duals"
_CLOSURES = [
    Way("f", plain, plain, _DUALS),
    Way("function(f) beside duals", plain, captured, _DUALS),
    Way("grad(f)", gradient, gradient, _DUALS),
    Way("function(grad(f)) beside duals", gradient, captured_gradient, _DUALS),
    Way("grad(function(f)) beside duals", gradient, gradient_of_captured, _DUALS),
    Way("grad(grad(f))", second_scalar, second_scalar, _DUALS),
    Way("vmap(f)", elements, elements, _DUALS),
    Way("vmap(function(f)) beside duals", elements, captured_elements, _DUALS),
]

PROGRAMS: dict[str, Callable[[int], Program]] = {
    "state": stateful.program,
    "functional": functional.program,
    "closures": closures.program,
    "everyday": everyday.program,
}
# The wraps for the comparison with PyTorch, by family.
TORCH: dict[str, Wrap] = {"state": plain, "functional": backward}
_WAYS = {"state": [_CAPTURED], "functional": [_CAPTURED, *_FUNCTIONAL],
         "closures": _CLOSURES, "everyday": [_CAPTURED]}


def ways_of(family: str, seed: int | None = None) -> list[Way]:
    """All modes of a family; with a seed, those in which its program runs.

    A functional program runs in four of its modes: more programs find more than all
    modes of fewer programs.
    """
    if family == "functional" and seed is not None:
        return [_CAPTURED, *random.Random(seed).sample(_FUNCTIONAL, 3)]
    return _WAYS[family]
