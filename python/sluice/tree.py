"""Trees: nested tuples, lists, dicts, named tuples, dataclasses, None and Lists.

Leaves are everything else: tensors, numbers, objects. `register` makes a class of
one's own a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import _core
from ._core import TreeDef

__all__ = ["TreeDef", "flatten", "leaves", "map", "register", "structure", "unflatten"]


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
