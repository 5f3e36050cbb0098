"""custom_jvp: functions with a forward derivative of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._custom_vjp import custom_vjp
from ._flat import carries_gradient, name_of
from ._grad import vjp

__all__ = ["custom_jvp"]


def _zeros(tree: Any) -> Any:
    """The tree with zeros in the place of its tensors and numbers."""
    leaves, form = _core.tree_flatten(tree)
    zeros = _core.op_function("ZerosLike")
    return form.unflatten(
        zeros(leaf if isinstance(leaf, _core.Tensor) else _core.tensor(leaf))
        for leaf in leaves
    )


class custom_jvp:
    """A function whose derivatives follow from what `defjvp` was given.

        @sl.custom_jvp
        def f(x, y): ...

        @f.defjvp
        def f_jvp(primals, tangents):
            return f(*primals), how_far_f_moves

    f_jvp takes a tuple of arguments and a tuple of their tangents. It must be linear
    in the tangents, because reverse-mode gradients use its transpose. Arguments of
    `nondiff_argnums` come first in its call, unchanged. Arguments that are not
    floating-point have tangents of 0.
    """

    def __init__(
        self, f: Callable[..., Any], nondiff_argnums: Sequence[int] = ()
    ) -> None:
        if not callable(f):
            raise TypeError(f"custom_jvp: got a {type(f).__name__}; wanted a function")
        functools.update_wrapper(self, f)
        self._f = f
        self._still = tuple(nondiff_argnums)
        self._rule: Callable[..., Any] | None = None

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Sets the rule for tangents; also as a decorator."""
        if not callable(rule):
            raise TypeError("defjvp: wanted a function of primals and tangents")
        self._rule = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Sets one rule for each argument.

        rule(tangent, out, *primals) returns the change of f; None means no change.
        """
        if self._still:
            raise TypeError("defjvps: has no place for nondiff_argnums; wanted defjvp")

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            out = self(*primals)
            pairs = [(each, t) for each, t in zip(rules, tangents) if each is not None]
            moved = [each(t, out, *primals) for each, t in pairs]
            return out, sum(moved[1:], moved[0]) if moved else _zeros(out)

        self._rule = rule

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any) -> Any:
        rule = self._rule
        if rule is None:
            raise TypeError(
                f"custom_jvp: {name_of(self)} has no derivative yet; "
                "wanted a call of defjvp before"
            )
        still = [args[i] for i in self._still]
        moving = [i for i in range(len(args)) if i not in self._still]

        def value(*primals: Any) -> Any:
            given = list(args)
            for i, primal in zip(moving, primals):
                given[i] = primal
            return self._f(*given)

        def forward(*primals: Any) -> tuple[Any, Any]:
            return value(*primals), primals

        def backward(primals: Any, g: Any) -> tuple[Any, ...]:
            return _pulled(rule, still, primals, g, name_of(self))

        made = custom_vjp(value)
        made.defvjp(forward, backward)
        return made(*(args[i] for i in moving))


def _pulled(
    rule: Callable[..., Any], still: Sequence[Any], primals: Any, g: Any, name: str
) -> tuple[Any, ...]:
    """The gradients: the transpose of the rule, which is the same at any tangents."""
    starts = tuple(_zeros(primal) for primal in primals)
    floats = [i for i, start in enumerate(starts) if _moves(start)]

    def moved(*tangents: Any) -> Any:
        every = list(starts)
        for i, tangent in zip(floats, tangents):
            every[i] = tangent
        found = rule(*still, tuple(primals), tuple(every))
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise TypeError(
                f"custom_jvp: the rule of {name} returned a {type(found).__name__}; "
                "wanted (result, how far it moves)"
            )
        return found[1]

    _, pull = vjp(moved, *(starts[i] for i in floats))
    found = iter(pull(g))
    return tuple(next(found) if i in floats else None for i in range(len(starts)))


def _moves(tree: Any) -> bool:
    return any(carries_gradient(leaf) for leaf in _core.tree_flatten(tree)[0])
