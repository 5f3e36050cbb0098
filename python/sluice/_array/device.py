"""Where tensors are."""

from __future__ import annotations

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


def check_device(device: object) -> None:
    """Raises unless it names the CPU, where all imperative tensors are."""
    if device is None or device == "cpu":
        return
    name = str(device)
    if name.strip("/").partition(":")[0].lower() != "cpu":
        raise ValueError(f"device is {name!r}; wanted 'cpu', the only one there is")
