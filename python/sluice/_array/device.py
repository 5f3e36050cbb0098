"""Where tensors are."""

from __future__ import annotations

import functools
from typing import Any, Callable

from .. import _core

__all__ = ["Device"]


def _plain(name: str) -> str:
    """One name for each device: "cuda:0" for "cuda", "gpu" and "gpu:0"."""
    plain = name.lower()  # a str, whatever name is
    kind, _, number = plain.partition(":")
    if kind in ("cuda", "gpu"):
        return "cuda:" + (number or "0")
    return "cpu" if plain == "cpu:0" else plain


class Device(str):
    """The name of a device, "cpu", "cuda:0": a string with its parts.

    Equal to each name of the same device: "cuda:0", "cuda" and "gpu:0" are one.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        return str.__eq__(self, other) or _plain(self) == _plain(other)

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return NotImplemented if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(_plain(self))

    @property
    def type(self) -> str:
        """The kind of device: "cpu", "cuda"."""
        return self.partition(":")[0]

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """Which one of them, where the name says so."""
        number = self.partition(":")[2]
        return int(number) if number.isdigit() else None

    def __repr__(self) -> str:
        return f"device({str(self)!r})"


CPU = Device("cpu")


def check_device(device: object) -> str | None:
    """The device's short name; raises unless there is one of that name."""
    if device is None:
        return None
    if device == "cpu":
        return "cpu"
    if type(device) is int:  # as in PyTorch, the number of a GPU
        device = f"cuda:{device}"
    return _core.find_device(str(device).lower())


def device_like(x: Any, device: object) -> object:
    """The device asked for, or that of a tensor whose like is made."""
    if device is None and isinstance(x, _core.Tensor):
        return _core.device_for_like(x) or None
    return device


def beside(x: Any, made: Any) -> Any:
    """What a function makes for its work on x, where x lies."""
    name = _core.device_for_like(x)
    return _core.tensor_to(made, name) if name else made


def placed(make: Callable[..., Any]) -> Callable[..., Any]:
    """Puts what a function makes where its argument `device` says."""

    @functools.wraps(make)
    def made_there(*args: Any, **kwargs: Any) -> Any:
        name = check_device(kwargs.get("device"))
        if name is None:
            return make(*args, **kwargs)
        wanted = kwargs.pop("requires_grad", False)
        kwargs.pop("device")
        made = _core.tensor_to(make(*args, **kwargs), name)
        return made.requires_grad_() if wanted else made

    return made_there
