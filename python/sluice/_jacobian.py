"""Whole Jacobians and Hessians: jacrev, jacfwd, jacobian, hessian."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._array.device import beside
from ._flat import Results, as_it_is, called, name_of
from ._grad import _check_function, _Chosen, grad, jvp, vjp
from ._vmap import vmap

__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]


def _op(name: str) -> Any:
    return _core.op_function(name)


def _basis(like: Any) -> Any:
    """The unit vectors of a tensor's elements, as a tensor (n, *like.shape)."""
    n = _op("Size")(like)
    numbers = _op("Range")(_op("ZerosLike")(n), n, _op("OnesLike")(n))
    across = _op("ExpandDims")(numbers, axis=0)
    down = _op("ExpandDims")(numbers, axis=1)
    eye = _op("Cast")(_op("Equal")(down, across), dtype=like.dtype)
    return _op("Reshape")(beside(like, eye), _joined(_one(n), _op("Shape")(like)))


def _one(n: Any) -> Any:
    return _op("ExpandDims")(n, axis=0)


def _joined(*shapes: Any) -> Any:
    parts = [_op("Cast")(shape, dtype=_core.int64) for shape in shapes]
    return _op("Concat")(parts, axis=0)


def _shaped(block: Any, first: Any, second: Any) -> Any:
    """A block with the axes of one tensor, then those of another."""
    return _op("Reshape")(block, _joined(_op("Shape")(first), _op("Shape")(second)))


class _Flat:
    """f as a function of only the chosen tensors."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        argnums: int | Sequence[int],
        what: str,
    ) -> None:
        self.chosen = _Chosen(args, argnums, what)
        self.xs = self.chosen.given.tensors
        self._f = f
        self._kwargs = kwargs
        self._what = what
        out = Results(self._call(self.xs), what)
        self.tree, self.ys = out.tree, out.tensors

    def _call(self, points: Sequence[Any]) -> Any:
        return called(self._f)(*self.chosen.arguments(points), **self._kwargs)

    def __call__(self, *points: Any) -> list[Any]:
        return list(Results(self._call(points), self._what).tensors)

    def tree_of(self, blocks: list[list[Any]], argnums: int | Sequence[int]) -> Any:
        """The tree of trees for the user; blocks[i][j] is output i by input j."""
        rows = []
        for row in blocks:
            tree = self.chosen.given.spread(row)
            rows.append(tree[0] if isinstance(argnums, int) else tree)
        return self.tree.unflatten(rows)


def jacrev(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """The function that gives f's Jacobian, by reverse mode.

    For a result of shape (*m) and an argument of shape (*n) it has shape (*m, *n);
    for trees it is a tree like the result, of trees like the argument. Fast when
    results are smaller than arguments.
    """
    _check_function(f, "jacrev")

    @functools.wraps(f)
    def jacrev_f(*args: Any, **kwargs: Any) -> Any:
        flat = _Flat(f, args, kwargs, argnums, f"jacrev of {name_of(f)}")
        blocks = []
        for i, y in enumerate(flat.ys):

            def pull(u: Any, *points: Any, i: int = i) -> Any:
                _, back = vjp(lambda *p: flat(*p)[i], *points)
                return back(u)

            axes = (0,) + (None,) * len(flat.xs)
            found = vmap(pull, axes)(_basis(y), *flat.xs)
            blocks.append([_shaped(b, y, x) for b, x in zip(found, flat.xs)])
        return flat.tree_of(blocks, argnums)

    return as_it_is(jacrev_f)


def jacfwd(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """The function that gives f's Jacobian, by forward mode.

    Like jacrev, but fast when arguments are smaller than results.
    """
    _check_function(f, "jacfwd")

    @functools.wraps(f)
    def jacfwd_f(*args: Any, **kwargs: Any) -> Any:
        flat = _Flat(f, args, kwargs, argnums, f"jacfwd of {name_of(f)}")
        columns = []
        for j, x in enumerate(flat.xs):

            def push(v: Any, *points: Any, j: int = j) -> Any:
                def along(p: Any) -> Any:
                    return flat(*points[:j], p, *points[j + 1 :])

                return jvp(along, (points[j],), (v,))[1]

            axes = (0,) + (None,) * len(flat.xs)
            found = vmap(push, axes, out_axes=-1)(_basis(x), *flat.xs)
            columns.append([_shaped(b, y, x) for b, y in zip(found, flat.ys)])
        rows = [list(row) for row in zip(*columns)]
        return flat.tree_of(rows, argnums)

    return as_it_is(jacfwd_f)


jacobian = jacrev


def hessian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """The function that gives the Hessian of the scalar f.

    For an argument of shape (*n) it has shape (*n, *n); for trees it is a tree of
    trees like the argument.
    """
    _check_function(f, "hessian")
    return jacrev(grad(f, argnums, allow_unused=True), argnums)


