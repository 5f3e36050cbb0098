"""Reads parts of safetensors files, and copies tensors into existing ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .. import _core
from .._closed import closed
from .._core import KeyReport, Tensor
from .._recorded import refuse_files

__all__ = ["SafetensorsFile", "TensorInfo", "load_into", "safe_open"]


class TensorInfo(NamedTuple):
    """What a file says of a tensor; ``type`` as the file has it ("F32")."""

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int


@closed
class SafetensorsFile(Mapping[str, Tensor]):
    """A safetensors file (or an index of several), read tensor by tensor: only
    what is asked for is read.

        with io.SafetensorsFile("large.safetensors") as file:
            w = file["fc1.weight"]
    """

    def __init__(self, path: Any) -> None:
        refuse_files("a SafetensorsFile")
        self._reader: Any = _core.SafetensorsReader(path)

    def _open(self) -> Any:
        if self._reader is None:
            raise ValueError("the file was closed")
        refuse_files("a SafetensorsFile")
        return self._reader

    def infos(self) -> list[TensorInfo]:
        """All tensors in the file."""
        return [TensorInfo(*info) for info in self._open().infos()]

    def metadata(self) -> dict[str, str]:
        """The text saved with the tensors."""
        text: dict[str, str] = self._open().metadata()
        return text

    def __getitem__(self, name: str) -> Tensor:
        if not self._open().contains(name):
            raise KeyError(name)
        tensor: Tensor = self._open().read(name)
        return tensor

    def get_tensor(self, name: str) -> Tensor:
        """The same as ``file[name]``, under the name of the safetensors package."""
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter([info.name for info in self.infos()])

    def __len__(self) -> int:
        return len(self._open().infos())

    def close(self) -> None:
        """Closes the file."""
        self._reader = None

    def __enter__(self) -> SafetensorsFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def safe_open(
    path: Any, framework: str = "sluice", device: str = "cpu"
) -> SafetensorsFile:
    """A SafetensorsFile, opened as the safetensors package does."""
    if device != "cpu":
        raise ValueError(f"device is {device!r}; wanted 'cpu'")
    return SafetensorsFile(path)


def load_into(
    targets: Any,
    tensors: Mapping[str, Any],
    *,
    rename: Mapping[str, str] | None = None,
    prefixes: Mapping[str, str] | None = None,
    strict: bool = True,
) -> KeyReport:
    """Copies tensors of a file into those that are there, by name.

    ``targets`` is a dict of tensors or an object with ``state_dict()``. ``rename``
    maps names in the file to ours, and ``prefixes`` maps beginnings of names. With
    ``strict``, names that are missing, unexpected or of another dtype or shape raise
    a ValueError with a table of them, and nothing is copied. Otherwise the matching
    tensors are loaded and the returned KeyReport lists the others.
    """
    if hasattr(targets, "state_dict"):
        targets = targets.state_dict()
    return _core.load_into(
        targets,
        tensors,
        list((rename or {}).items()),
        list((prefixes or {}).items()),
        strict,
    )
