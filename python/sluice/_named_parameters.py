"""Parameter lists of users, as pairs of a name and a tensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core


def named(params: Any, what: str) -> list[tuple[str, Any]]:
    """Tensors, or (name, tensor) pairs, as pairs; unnamed ones have ""."""
    if isinstance(params, _core.Tensor):
        raise TypeError(
            f"{what}: the parameters are one Tensor; wanted an iterable of "
            "tensors, of (name, tensor) pairs or of dicts"
        )
    if isinstance(params, Mapping):
        return list(params.items())
    pairs: list[tuple[str, Any]] = []
    for p in params:
        if isinstance(p, tuple):
            if len(p) != 2 or not isinstance(p[0], str):
                raise TypeError(
                    f"{what}: a parameter is a tuple of {len(p)}; wanted "
                    "a (name, tensor) pair"
                )
            pairs.append(p)
        else:
            pairs.append(("", p))
    return pairs


def one_or_named(params: Any, what: str) -> list[tuple[str, Any]]:
    """The same, where a single tensor means a list of one."""
    return named([params] if isinstance(params, _core.Tensor) else params, what)


__all__: list[str] = []
