"""custom_vjp: functions with a gradient of their own."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._flat import (
    Arguments,
    Held,
    Results,
    called,
    flatten,
    is_array,
    name_of,
    to_tensor,
    zeros_like,
)

__all__ = ["custom_vjp"]


class _Inside(threading.local):
    """The functions whose forward function runs on this thread."""

    def __init__(self) -> None:
        self.owners: list[Any] = []


_inside = _Inside()


class custom_vjp:
    """A function whose gradient is what `defvjp` was given.

        @sl.custom_vjp
        def f(x, y): ...

        f.defvjp(f_fwd, f_bwd)

    f_fwd(x, y) returns (f(x, y), residuals). f_bwd(residuals, g) returns a tuple with
    one gradient for each argument: a tree like the argument, or None. Arguments of
    `nondiff_argnums` come first in the call of f_bwd and have no gradient.
    """

    def __init__(
        self, f: Callable[..., Any], nondiff_argnums: Sequence[int] = ()
    ) -> None:
        if not callable(f):
            raise TypeError(f"custom_vjp: got a {type(f).__name__}; wanted a function")
        functools.update_wrapper(self, f)
        self._f = f
        self._still = tuple(nondiff_argnums)
        self._fwd: Callable[..., Any] | None = None
        self._bwd: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Sets the forward and backward functions."""
        if not callable(fwd) or not callable(bwd):
            raise TypeError("defvjp: wanted two functions, forward and backward")
        self._fwd, self._bwd = fwd, bwd

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any) -> Any:
        if self._fwd is None:
            raise TypeError(
                f"custom_vjp: {name_of(self)} has no gradient yet; "
                "wanted a call of defvjp before"
            )
        # f_fwd may compute f(x, y) by calling f, as programs for JAX do.
        if any(owner is self for owner in _inside.owners):
            return self._f(*args)
        moving = [i for i in range(len(args)) if i not in self._still]
        given = Arguments([args[i] for i in moving])
        call = _Call(self, args, moving, given)
        results = _core.custom_gradient(call.forward, call.backward, given.tensors)
        given.forget()
        return call.structure.unflatten(results)


class _Call:
    """One call of a custom_vjp, with the data for its gradient."""

    def __init__(
        self,
        owner: custom_vjp,
        args: Sequence[Any],
        moving: list[int],
        given: Arguments,
    ) -> None:
        self._owner = owner
        self._args = Held([None if i in moving else a for i, a in enumerate(args)])
        self._moving = moving
        self._given = given
        self._residuals = Held(None)
        self.structure: Any = None
        # For each differentiable argument: its structure, and which leaves are tensors.
        self._trees: list[tuple[Any, list[bool]]] = []
        for i in moving:
            leaves, structure = flatten(args[i])
            self._trees.append((structure, [is_array(leaf) for leaf in leaves]))

    def _run_forward(self, tensors: Sequence[Any]) -> tuple[Any, Any]:
        args = self._args.get()
        for i, arg in zip(self._moving, self._given.rebuild(tensors)):
            args[i] = arg
        assert self._owner._fwd is not None
        _inside.owners.append(self._owner)
        try:
            out = called(self._owner._fwd)(*args)
        finally:
            _inside.owners.pop()
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(
                f"custom_vjp: the forward function of {name_of(self._owner)} returned "
                f"a {type(out).__name__}; wanted (result, residuals)"
            )
        return out[0], out[1]

    def forward(self, tensors: list[Any]) -> list[Any]:
        value, residuals = self._run_forward(tensors)
        self._residuals = Held(residuals)
        results = Results(value, f"custom_vjp {name_of(self._owner)}")
        self.structure = results.tree
        return results.tensors

    def backward(self, xs: list[Any], ys: list[Any], gs: list[Any]) -> list[Any]:
        # For higher-order gradients, residuals must stay connected to xs.
        if _core.is_grad_enabled() or any(x._deferred for x in xs):
            residuals = self._run_forward(xs)[1]
        else:
            residuals = self._residuals.get()
        gs = [zeros_like(y) if g is None else g for g, y in zip(gs, ys)]
        args = self._args.get()
        still = [args[i] for i in self._owner._still]
        assert self._owner._bwd is not None
        bwd = called(self._owner._bwd)
        found = bwd(*still, residuals, self.structure.unflatten(gs))
        if not isinstance(found, (tuple, list)) or len(found) != len(self._moving):
            raise TypeError(
                f"custom_vjp: the backward function of {name_of(self._owner)} returned "
                f"{_shown(found)}; wanted a tuple of {len(self._moving)} gradients"
            )
        return self._gradients(found, xs)

    def _gradients(self, found: Sequence[Any], xs: list[Any]) -> list[Any]:
        """One gradient or None for each of the tensors."""
        gradients: list[Any] = []
        for n, (tree, (structure, arrays)) in enumerate(zip(found, self._trees)):
            if tree is None:
                mine = [None] * len(arrays)
            elif structure.num_leaves == 1 and is_array(tree):
                mine = [tree]
            else:
                mine = _like(structure, len(arrays), tree, n)
            gradients += [
                None if g is None else to_tensor(g)
                for g, array in zip(mine, arrays)
                if array
            ]
        return gradients


def _like(structure: Any, count: int, tree: Any, n: int) -> list[Any]:
    """The leaves of a tree, each of which may be None."""
    places = structure.unflatten(range(count))
    found: list[Any] = [None] * count

    def walk(place: Any, value: Any) -> None:
        if value is None or place is None:
            return
        if isinstance(place, int):
            found[place] = value
        elif isinstance(place, dict) and isinstance(value, dict):
            for key in place:
                walk(place[key], value.get(key))
        elif isinstance(place, (tuple, list)) and len(place) == len(value):
            for p, v in zip(place, value):
                walk(p, v)
        else:
            raise TypeError(
                f"custom_vjp: gradient {n} is {_shown(value)}; wanted a tree like "
                "the argument"
            )

    walk(places, tree)
    return found


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
