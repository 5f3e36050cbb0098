"""Tensors in file objects: io.BytesIO, open(..., "wb"), files of sockets.

The library writes and reads files by name, in parts, and renames them. For a file
object, such a file is written or read and its bytes are copied.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

_PART = 1 << 20
_BEGINNINGS = ((b"PK\x03\x04", ".npz"), (b"\x93NUMPY", ".npy"))


def is_file_object(path: Any, method: str) -> bool:
    """Whether the value is a file object and not a name."""
    named = isinstance(path, (str, bytes, os.PathLike))
    return not named and callable(getattr(path, method, None))


def _write_all(file: Any, data: bytes) -> None:
    view = memoryview(data)
    while view:
        done = file.write(view)
        # None means that everything was written; raw files may write a part.
        view = view[len(view) if done is None else done :]


def write(file: Any, suffix: str, save: Callable[[str], None]) -> None:
    """Writes what `save` writes to a file of that format into the object."""
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        path = pathlib.Path(folder, "tensors" + suffix)
        save(str(path))
        with path.open("rb") as whole:
            while part := whole.read(_PART):
                try:
                    _write_all(file, part)
                except TypeError as error:
                    raise TypeError(
                        f"save: {type(file).__name__} takes no bytes; wanted a file "
                        'opened for them, as with open(path, "wb")'
                    ) from error


def read(file: Any, load: Callable[[str], Any]) -> Any:
    """The result of `load` for a file with the remaining bytes of the object."""
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        kept = pathlib.Path(folder, "tensors")
        begin = b""
        with kept.open("wb") as whole:
            while part := file.read(_PART):
                if not isinstance(part, bytes | bytearray | memoryview):
                    raise TypeError(
                        f"load: {type(file).__name__} gives {type(part).__name__}; "
                        'wanted a file opened for bytes, as with open(path, "rb")'
                    )
                begin = begin or bytes(part[:8])
                whole.write(part)
        if not begin:
            raise ValueError(
                f"load: {type(file).__name__} has no bytes left to read; wanted it "
                "where they begin, as after seek(0)"
            )
        suffix = ".safetensors"
        for magic, form in _BEGINNINGS:
            if begin.startswith(magic):
                suffix = form
        if suffix == ".npz":
            from ._torch_files import is_torch_file

            suffix = ".pt" if is_torch_file(kept) else suffix
        path = kept.with_suffix(suffix)
        kept.rename(path)
        return load(str(path))
