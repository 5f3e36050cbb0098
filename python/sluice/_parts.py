"""Parameters of which this process holds only a part (distributed.fsdp)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._core import Tensor


def is_part(parameter: Any) -> bool:
    return bool(getattr(type(parameter), "_is_part", False))


def refuse_parts(parameters: Any, what: str) -> Any:
    """The parameters, with an iterator turned into a list. Throws for parts, because
    the norm of their gradients is not that of the whole gradients."""
    found = parameters
    if isinstance(found, Tensor):
        found = [found]
    elif isinstance(found, Iterator):
        found = list(found)
    elif not isinstance(found, Iterable):
        return found
    for one in found.values() if isinstance(found, Mapping) else found:
        if is_part(one[1] if isinstance(one, tuple) else one):
            raise NotImplementedError(
                f"{what}: these are a rank's parts of parameters, and their norm is "
                "not that of the whole ones; wanted "
                "sluice.distributed.fsdp.clip_grad_norm_(model, max_norm)"
            )
    return found


__all__ = ["is_part", "refuse_parts"]
