"""Where tensors are."""

from __future__ import annotations

import functools
from typing import Any, Callable

from .. import _core

__all__ = ["Device"]


class Device(str):
    """The name of a device, "cpu" or "cpu:0": a string with its parts."""

    __slots__ = ()

    @property
    def type(self) -> str:
        """The kind of device: "cpu"."""
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
    return _core.find_device(str(device).lower())


def device_like(x: Any, device: object) -> object:
    """The device asked for, or that of a tensor whose like is made."""
    if device is None and isinstance(x, _core.Tensor) and not x.symbolic:
        name = _core.tensor_device(x)
        return None if name == "cpu" else name
    return device


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
