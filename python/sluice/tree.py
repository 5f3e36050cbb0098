"""Trees: nested tuples, lists, dicts, named tuples, dataclasses, None and Lists.

Leaves are everything else: tensors, numbers, objects. `register` makes a class of
one's own a node.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any

from . import _core
from ._core import TreeDef

__all__ = [
    "TreeDef",
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "register",
    "structure",
    "transpose",
    "unflatten",
]


def flatten(tree: Any) -> tuple[list[Any], TreeDef]:
    """The leaves in order (of dicts by key), and the structure without them."""
    return _core.tree_flatten(tree)


def unflatten(treedef: TreeDef, leaves: Iterable[Any]) -> Any:
    """A tree of that structure with these leaves."""
    if not isinstance(treedef, TreeDef):
        raise TypeError(
            f"unflatten: treedef is a {type(treedef).__name__}; wanted a TreeDef, "
            "as flatten and structure give it"
        )
    return treedef.unflatten(leaves)


def leaves(tree: Any) -> list[Any]:
    """The leaves in order."""
    return _core.tree_flatten(tree)[0]


def structure(tree: Any) -> TreeDef:
    """The structure without the leaves; equal for trees of the same form."""
    return _core.tree_flatten(tree)[1]


def map(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:  # noqa: A001
    """The tree of f(leaf, ...) for leaves at the same place of all trees."""
    first, form = _core.tree_flatten(tree)
    columns = [first]
    for i, other in enumerate(rest):
        column, found = _core.tree_flatten(other)
        if found != form:
            raise ValueError(
                f"tree.map: tree {i + 1} is {found}; wanted {form}, as the first"
            )
        columns.append(column)
    return form.unflatten(f(*row) for row in zip(*columns))


def register(
    cls: type,
    flatten: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten: Callable[[Any, tuple[Any, ...]], Any],
) -> type:
    """Makes objects of a class nodes of trees.

    `flatten(object)` gives the children and whatever else is needed, which two
    objects of the same structure have equal; `unflatten(else, children)` makes an
    object of them.
    """
    _core.tree_register(cls, flatten, unflatten)
    return cls


def reduce(f: Callable[[Any, Any], Any], tree: Any, *initializer: Any) -> Any:
    """f(f(f(initializer, first leaf), second), ...); without initializer from the
    first leaf on."""
    return functools.reduce(f, leaves(tree), *initializer)


def all(tree: Any) -> bool:  # noqa: A001
    """Whether all leaves are true."""
    return builtins.all(leaves(tree))


def transpose(outer: TreeDef, inner: TreeDef | None, tree: Any) -> Any:
    """A tree of trees turned inside out: from outer of inner to inner of outer.

    inner=None: that of the first part.
    """
    parts = _parts(outer, tree)
    inner = structure(parts[0]) if inner is None and parts else inner
    if inner is None:
        raise ValueError("tree.transpose: no parts; wanted inner")
    columns = []
    for part in parts:
        column, form = _core.tree_flatten(part)
        if form != inner:
            raise ValueError(f"tree.transpose: a part is {form}; wanted {inner}")
        columns.append(column)
    return inner.unflatten(outer.unflatten(row) for row in zip(*columns))


def _parts(outer: TreeDef, tree: Any) -> list[Any]:
    """The trees that stand at the leaves of an outer structure."""
    return [part for _, part in _below(outer.unflatten(range(outer.num_leaves)), tree)]


def _below(prefix: Any, tree: Any) -> list[tuple[Any, Any]]:
    """(leaf of prefix, what stands there in tree), in order."""
    found = _children(prefix)
    if found is None:
        return [(prefix, tree)]
    inside = _children(tree)
    if (
        inside is None
        or type(tree) is not type(prefix)
        or [k for k, _ in inside] != [k for k, _ in found]
    ):
        raise ValueError(
            f"tree: {type(tree).__name__} where the prefix has "
            f"{type(prefix).__name__}; wanted the same nodes"
        )
    pairs = zip(found, inside)
    return [row for (_, p), (_, t) in pairs for row in _below(p, t)]


def _children(tree: Any) -> list[tuple[Any, Any]] | None:
    """(key, child) of a node, None of a leaf: one step of flatten."""
    if isinstance(tree, dict):
        return [(k, tree[k]) for k in sorted(tree)]
    fields = getattr(tree, "_fields", None)
    if isinstance(tree, tuple) and fields is not None:
        return list(zip(fields, tree))
    if isinstance(tree, (tuple, list)):
        return list(enumerate(tree))
    if tree is None:
        return []
    whole, form = _core.tree_flatten(tree)
    if len(whole) == 1 and whole[0] is tree:
        return None
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree)]
        return [(n, getattr(tree, n)) for n in names]
    return list(enumerate(whole))


def broadcast(prefix: Any, tree: Any) -> Any:
    """The prefix with each leaf repeated for all leaves of the tree below it."""
    made: list[Any] = []
    for leaf, part in _below(prefix, tree):
        made += [leaf] * len(leaves(part))
    return structure(tree).unflatten(made)


def leaves_with_path(tree: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """(path, leaf) of all leaves in order; a path is the keys, places and names of
    fields on the way."""
    found = _children(tree)
    if found is None:
        return [((), tree)]
    return [
        ((key, *path), leaf)
        for key, child in found
        for path, leaf in leaves_with_path(child)
    ]


def flatten_with_path(
    tree: Any,
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeDef]:
    """leaves_with_path, and the structure."""
    return leaves_with_path(tree), structure(tree)


def map_with_path(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """The tree of f(path, leaf, ...) for leaves at the same place of all trees."""
    paths = iter([path for path, _ in leaves_with_path(tree)])
    return map(lambda *row: f(next(paths), *row), tree, *rest)
