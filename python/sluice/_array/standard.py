"""What the array standard asks of arrays beside operators: their namespace, moves."""

from __future__ import annotations

from typing import Any

from .._core import Tensor

__all__: list[str] = []

# Later ones add names and arguments to those before.
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    """The module of functions that follow the standard, sluice.array_api."""
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(
            f"__array_namespace__(): api_version is {api_version!r}; wanted one of "
            + ", ".join(_VERSIONS)
        )
    from .. import array_api

    return array_api


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """On another device: this tensor, where its elements are there already."""
    if stream is not None:
        raise ValueError(
            "to_device(): stream is given; wanted None, devices order their own work"
        )
    return self.to(device=device)


setattr(Tensor, "__array_namespace__", namespace)
setattr(Tensor, "to_device", to_device)
