"""grad, value_and_grad, vjp, jvp, hvp."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._autograd import enable_grad
from ._flat import (
    Arguments,
    Results,
    as_it_is,
    called,
    carries_gradient,
    flatten,
    name_of,
    zeros_like,
)
from ._symbols.numbers import known_sizes

__all__ = ["grad", "hvp", "jvp", "value_and_grad", "vjp"]


def _check_function(f: Any, what: str) -> None:
    if not callable(f):
        raise TypeError(f"{what}: got a {type(f).__name__}; wanted a function")


def _numbers(argnums: int | Sequence[int], count: int, what: str) -> list[int]:
    """The chosen argument numbers, counted from the front."""
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    for n in numbers:
        if not isinstance(n, int):
            raise TypeError(f"{what}: argnums holds a {type(n).__name__}")
        if not -count <= n < count:
            raise ValueError(
                f"{what}: argnums is {argnums}, but there are {count} arguments"
            )
    return [n % count for n in numbers]


class _Chosen:
    """A call, with the arguments to differentiate."""

    def __init__(
        self, args: Sequence[Any], argnums: int | Sequence[int], what: str
    ) -> None:
        self.args = list(args)
        self.numbers = _numbers(argnums, len(args), what)
        self.given = Arguments(
            [args[n] for n in self.numbers], carries_gradient, numbers=True
        )
        if not self.given.tensors:
            raise TypeError(
                f"{what}: argument {argnums} holds no floating-point tensor"
            )
        self.points, self.made = _core.points(self.given.tensors)

    def arguments(self, points: Sequence[Any]) -> list[Any]:
        """All arguments, with these points in place of the chosen ones."""
        args = list(self.args)
        for n, arg in zip(self.numbers, self.given.rebuild(points)):
            args[n] = arg
        return args

    def check_other_ways(self, value: Any, what: str) -> None:
        """Raises where f reads an argument only as an enclosing variable."""
        for n, (x, point) in enumerate(zip(self.given.tensors, self.points)):
            if not isinstance(x, _core.Tensor) or not _core.why_no_grad(value, point):
                continue
            if (x._deferred or x._tracked) and not _core.why_no_grad(value, x):
                raise ValueError(
                    f"{what}: the result depends on tensor {n} of the arguments, but "
                    "by another way (a closure, an attribute), where it is a constant "
                    "to this derivative; wanted the function to read its argument"
                )

    def retire(self) -> None:
        """Ends the derivative: its points need no more gradients."""
        _core.retire(self.own_leaves())

    def own_leaves(self) -> list[Any]:
        """The points that are unknown outside."""
        return [p for p, made in zip(self.points, self.made) if made]


def _let_go(tree: Any) -> Any:
    """The same tree with its tensors detached."""
    leaves, structure = flatten(tree)
    return structure.unflatten(
        leaf.detach() if isinstance(leaf, _core.Tensor) and leaf._tracked else leaf
        for leaf in leaves
    )


def _kept_if_beyond(tree: Any, others: list[Any], own: list[Any]) -> Any:
    """The same tree. After a branch, its tensors keep a history in the runs in which
    the history of one of all these reaches beyond the derivative's points."""
    if _core.recorder() is None:
        return tree
    leaves, structure = flatten(tree)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, _core.Tensor)]
    made = _core.kept_if_beyond([leaves[i] for i in places], others, own)
    for i, one in zip(places, made):
        if one is not None:
            leaves[i] = one
    return structure.unflatten(leaves)


def _tensors_in(tree: Any) -> list[Any]:
    return [leaf for leaf in flatten(tree)[0] if isinstance(leaf, _core.Tensor)]


def _scalar(value: Any, what: str) -> Any:
    if not isinstance(value, _core.Tensor):
        raise TypeError(
            f"{what}: the function returned a {type(value).__name__}; "
            "wanted a scalar tensor"
        )
    if not carries_gradient(value):
        raise TypeError(
            f"{what}: the function returned a tensor of {value.dtype}; "
            "wanted a floating-point scalar"
        )
    sizes = known_sizes(value)
    if sizes is not None and any(size not in (1, None) for size in sizes):
        raise ValueError(
            f"{what}: the function returned a tensor of shape {sizes}; "
            "wanted a scalar (vjp and jacrev take others)"
        )
    if (value._deferred or value.symbolic) and (sizes is None or None in sizes):
        _check_one_element(value, what)
    return value


def _check_one_element(value: Any, what: str) -> None:
    """The same at run time, when the sizes are known."""
    size = _core.op_function("Size")(value)
    _core.op_function("Assert")(
        _core.op_function("Equal")(size, _core.op_function("OnesLike")(size)),
        [_core.op_function("Shape")(value)],
        message=f"{what}: the function returned a tensor of more than one element; "
        "wanted a scalar (vjp and jacrev take others), got one of sizes",
    )


def value_and_grad(
    f: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    allow_unused: bool = False,
) -> Callable[..., Any]:
    """The function that gives f's value and its gradient: (f(x), df/dx).

    f returns a scalar, or (scalar, anything) with `has_aux`. The gradient is a tree
    like argument `argnums` (a tuple of trees for several), with None in the places
    of leaves that are not floating-point tensors. A tensor the result does not
    depend on is an error that says why, or zeros with `allow_unused`.
    """
    _check_function(f, "value_and_grad")

    def _unconnected(chosen: _Chosen, value: Any, aux: Any, what: str) -> Any:
        if not allow_unused:
            chosen.check_other_ways(value, what)
            why = _core.why_no_grad(value, chosen.points[0])
            raise ValueError(f"{what}: the result depends on no argument: {why}")
        grads = chosen.given.spread([zeros_like(p).detach() for p in chosen.points])
        result = grads[0] if isinstance(argnums, int) else grads
        return ((value, aux) if has_aux else value), result

    @functools.wraps(f)
    def value_and_grad_f(*args: Any, **kwargs: Any) -> Any:
        what = f"grad of {name_of(f)}"
        chosen = _Chosen(args, argnums, what)
        recorded = _core.is_grad_enabled()
        with enable_grad(), _core.ApartFromCheckpoints():
            out = called(f)(*chosen.arguments(chosen.points), **kwargs)
            aux = None
            if has_aux:
                if not isinstance(out, (tuple, list)) or len(out) != 2:
                    raise TypeError(f"{what}: wanted (value, aux) with has_aux")
                out, aux = out
            value = _scalar(out, what)
            kept = recorded and _core.reaches_beyond(
                [value, *_tensors_in(aux)], chosen.own_leaves()
            )
            if not value._deferred and not value._tracked:
                return _unconnected(chosen, value, aux, what)
            if not allow_unused and _core.recorder() is not None:
                _core.check_gradients_known([value], chosen.points, True)
            try:
                found = _core.gradients(
                    [value],
                    chosen.points,
                    None if value.symbolic else [_core.op_function("OnesLike")(value)],
                    kept,
                    kept,
                    "zeros" if allow_unused else "error",
                    True,
                )
            except ValueError:
                chosen.check_other_ways(value, what)
                raise
        chosen.retire()
        if kept:
            value, aux, found = _kept_if_beyond(
                (value, aux, list(found)), [], chosen.own_leaves()
            )
        else:
            value, aux = _let_go((value, aux))
        grads = chosen.given.spread(found)
        result = grads[0] if isinstance(argnums, int) else grads
        return ((value, aux) if has_aux else value), result

    return as_it_is(value_and_grad_f)


def grad(
    f: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    allow_unused: bool = False,
) -> Callable[..., Any]:
    """The function that gives f's gradient; (gradient, aux) with `has_aux`.

    Like value_and_grad, without the value.
    """
    both = value_and_grad(f, argnums, has_aux, allow_unused=allow_unused)

    @functools.wraps(f)
    def grad_f(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return as_it_is(grad_f)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """f(*primals), and the function that pulls cotangents of it back.

    That function takes a tree like f's result and returns a tuple with a tree of
    gradients for each of the primals. With `has_aux`: (out, vjp_fn, aux).
    """
    _check_function(f, "vjp")
    what = f"vjp of {name_of(f)}"
    chosen = _Chosen(primals, tuple(range(len(primals))), what)
    recorded = _core.is_grad_enabled()
    with enable_grad(), _core.ApartFromCheckpoints():
        out = called(f)(*chosen.arguments(chosen.points))
        aux = None
        if has_aux:
            out, aux = out
        results = Results(out, what)
    kept = recorded and _core.reaches_beyond(
        [*results.tensors, *_tensors_in(aux)], chosen.own_leaves()
    )
    flows = [carries_gradient(y) for y in results.tensors]

    def vjp_fn(cotangents: Any) -> tuple[Any, ...]:
        given = Results(cotangents, f"the argument of the {what}")
        if given.tree != results.tree:
            raise ValueError(
                f"{what}: cotangents are {given.tree}; wanted {results.tree}"
            )
        create = _core.is_grad_enabled() and (
            kept or any(g._tracked for g in given.tensors)
        )
        ys = [y for y, yes in zip(results.tensors, flows) if yes]
        gs = [g for g, yes in zip(given.tensors, flows) if yes]
        tracked = [y._deferred or y._tracked for y in ys]
        if not any(tracked):
            return chosen.given.spread([zeros_like(p).detach() for p in chosen.points])
        found = _core.gradients(
            [y for y, yes in zip(ys, tracked) if yes],
            chosen.points,
            [g for g, yes in zip(gs, tracked) if yes],
            True,
            create,
            "zeros",
            True,
        )
        if create:
            others = [*results.tensors, *_tensors_in(aux), *given.tensors]
            found = _kept_if_beyond(list(found), others, chosen.own_leaves())
        return chosen.given.spread(found)

    chosen.retire()
    if kept:
        out, aux = _kept_if_beyond((out, aux), [], chosen.own_leaves())
    else:
        out, aux = _let_go((out, aux))
    return (out, vjp_fn, aux) if has_aux else (out, vjp_fn)


def _pair(primals: Any, other: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], bool]:
    """Both as tuples of arguments, and whether they were tuples before."""
    if isinstance(primals, (tuple, list)) and not hasattr(primals, "_fields"):
        if not isinstance(other, (tuple, list)) or len(other) != len(primals):
            raise ValueError(
                f"{len(primals)} primals; wanted as many tangents, in a tuple"
            )
        return tuple(primals), tuple(other), True
    return (primals,), (other,), False


def jvp(
    f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False
) -> Any:
    """f(*primals), and its change along the tangents: forward mode.

    Tangents are trees like the primals, in which None means zeros.
    """
    _check_function(f, "jvp")
    what = f"jvp of {name_of(f)}"
    primals, tangents, _ = _pair(primals, tangents)
    chosen = _Chosen(primals, tuple(range(len(primals))), what)
    along = _tangents_for(chosen, tangents, what)
    recorded = _core.is_grad_enabled()
    ones = _core.op_function("OnesLike")
    with enable_grad(), _core.ApartFromCheckpoints():
        out = called(f)(*chosen.arguments(chosen.points))
        aux = None
        if has_aux:
            out, aux = out
        results = Results(out, what)
        ys = results.tensors
        flows = [
            carries_gradient(y) and (y._deferred or y._tracked) for y in ys
        ]
        moving = [y for y, yes in zip(ys, flows) if yes]
        kept = recorded and _core.reaches_beyond(
            [*ys, *_tensors_in(aux), *(t for t in along if t is not None)],
            chosen.own_leaves(),
        )
        # The pulled-back gradient is linear in the incoming one. Its derivative
        # along the tangents is the change of f.
        stand_ins = [ones(y) for y in moving]
        for u in stand_ins:
            if not u._deferred:
                u.detach_().requires_grad_()
        pulled = _core.gradients(
            moving, chosen.points, stand_ins, True, True, "zeros", True
        ) if moving else []
        pairs = [
            (p, t)
            for p, t in zip(pulled, along)
            if t is not None and (p._deferred or p._tracked)
        ]
        moved = _core.gradients(
            [p for p, _ in pairs],
            stand_ins,
            [t for _, t in pairs],
            kept,
            kept,
            "zeros",
            True,
        ) if pairs else [zeros_like(y) for y in moving]
    chosen.retire()
    _core.retire(stand_ins)
    found = iter(moved)
    change = results.tree.unflatten(
        next(found) if yes else zeros_like(y) for y, yes in zip(ys, flows)
    )
    if kept:
        tangents = [t for t in along if t is not None]
        out, change, aux = _kept_if_beyond(
            (out, change, aux), tangents, [*chosen.own_leaves(), *stand_ins]
        )
    else:
        out, change, aux = _let_go((out, change, aux))
    return (out, change, aux) if has_aux else (out, change)


def _tangents_for(
    chosen: _Chosen, tangents: Sequence[Any], what: str
) -> list[Any]:
    """One tangent, or None, for each point."""
    if all(t is None for t in tangents):
        return [None] * len(chosen.points)
    filled = [
        arg if t is None else t
        for t, arg in zip(tangents, chosen.given.spread([None] * len(chosen.points)))
    ]
    given = Arguments(filled, carries_gradient, numbers=True)
    if len(given.tensors) == len(chosen.points):
        along = list(given.tensors)
    else:
        # Some arguments have no tangent.
        along = []
        for n, t in enumerate(tangents):
            points = Arguments(
                [chosen.args[n]], carries_gradient, numbers=True
            ).tensors
            own = [] if t is None else Arguments(
                [t], carries_gradient, numbers=True
            ).tensors
            if t is not None and len(own) != len(points):
                raise ValueError(
                    f"{what}: tangent {n} holds {len(own)} tensors; "
                    f"wanted {len(points)}, as its primal"
                )
            along += own if t is not None else [None] * len(points)
    for t, p in zip(along, chosen.points):
        if t is None:
            continue
        # Only sizes that are the same for all arguments of a recording.
        sizes, wanted = _core.known_shape(t), _core.known_shape(p)
        if not _may_be_equal(sizes, wanted) or t.dtype != p.dtype:
            raise ValueError(
                f"{what}: a tangent is {t.dtype} of shape {sizes}; "
                f"wanted {p.dtype} of shape {wanted}, as its primal"
            )
        if sizes != wanted:
            _check_equal_shapes(t, p, what)
    return along


def _may_be_equal(a: Any, b: Any) -> bool:
    """Whether shapes may be equal, as far as the graph knows them."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(
        m is None or n is None or m == n for m, n in zip(a, b)
    )


def _check_equal_shapes(tangent: Any, primal: Any, what: str) -> None:
    """The same at run time, when the sizes are known."""
    shape = _core.op_function("Shape")
    _core.op_function("Assert")(
        _core.op_function("Equal")(shape(tangent), shape(primal)),
        [shape(tangent), shape(primal)],
        message=f"{what}: a tangent has other sizes than its primal",
    )


def hvp(f: Callable[..., Any], primals: Any, v: Any) -> Any:
    """The Hessian of the scalar f at the primals, times v.

    `primals` is one argument (a tree) or a tuple of them; v and the result have the
    same form.
    """
    _check_function(f, "hvp")
    args, along, several = _pair(primals, v)
    slope = grad(f, tuple(range(len(args))), allow_unused=True)
    _, pull = vjp(lambda *a: slope(*a), *args)
    result = pull(tuple(along))
    return result if several else result[0]
