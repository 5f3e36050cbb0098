"""Nested structures as TensorFlow has them: lists, tuples, namedtuples, dicts.

The entries of a dict are in the order of its sorted keys. Anything else is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["flatten", "is_nested", "map_structure", "pack", "same"]


def is_nested(value: Any) -> bool:
    """Whether it is a structure, and no leaf."""
    return isinstance(value, (list, tuple, Mapping))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [value[k] for k in sorted(value)]
    return list(value)


def flatten(value: Any) -> list[Any]:
    """The leaves, from left to right."""
    if not is_nested(value):
        return [value]
    return [leaf for part in _parts(value) for leaf in flatten(part)]


def pack(like: Any, leaves: Any) -> Any:
    """The structure of the first with these leaves."""
    rest = iter(leaves)

    def build(one: Any) -> Any:
        if not is_nested(one):
            return next(rest)
        if isinstance(one, Mapping):
            made = {k: build(one[k]) for k in sorted(one)}
            return type(one)((k, made[k]) for k in one)
        parts = [build(part) for part in one]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)

    return build(like)


def map_structure(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """The structure of what the function makes of the leaves."""
    flat = [flatten(first)] + [flatten(o) for o in others]
    return pack(first, [function(*leaves) for leaves in zip(*flat)])


def same(what: str, a: Any, b: Any) -> None:
    """Raises unless both have one structure: TypeError for kinds of sequences,
    ValueError for numbers of them."""
    if is_nested(a) != is_nested(b):
        raise ValueError(
            f"{what}: the structures differ: one has a {type(a).__name__} where the "
            f"other has a {type(b).__name__}"
        )
    if not is_nested(a):
        return
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise TypeError(
            f"{what}: the structures differ: {type(a).__name__} and {type(b).__name__}"
        )
    if isinstance(a, Mapping) and set(a) != set(b):
        raise ValueError(f"{what}: the keys differ: {sorted(a)} and {sorted(b)}")
    if type(a) is not type(b) and not isinstance(a, Mapping):
        raise TypeError(
            f"{what}: the structures differ: {type(a).__name__} and {type(b).__name__}"
        )
    if len(a) != len(b):
        raise ValueError(
            f"{what}: the structures differ: {len(a)} and {len(b)} entries"
        )
    for x, y in zip(_parts(a), _parts(b)):
        same(what, x, y)
