"""Tensors in files: save and load."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from ._file_objects import is_file_object, read, write
from ._recorded import refuse_files

__all__ = ["load", "save"]

_FORMATS = (".safetensors", ".safetensors.index.json", ".npz", ".npy", ".pt", ".pth")


def _format(path: Any) -> str:
    name = os.fsdecode(os.fspath(path))
    for suffix in sorted(_FORMATS, key=len, reverse=True):
        if name.endswith(suffix):
            return suffix
    raise ValueError(
        f"{name!r} is of no format we know; wanted a name that ends in "
        + ", ".join(_FORMATS)
    )


def _has_floats(value: Any) -> bool:
    """Whether the value is a Python float, or a list of numbers with one. These have
    64 bits."""
    if isinstance(value, (list, tuple)):
        numbers = all(
            isinstance(v, (bool, int, float, list, tuple)) for v in value
        )
        return numbers and any(_has_floats(v) for v in value)
    return isinstance(value, float)


def _exactly(value: Any) -> Any:
    """The value, with floats as float64 tensors. A float32 tensor, the default, would
    read back as another number."""
    if _has_floats(value):
        return _core.tensor(value, dtype=_core.float64)
    return value


def _flatten(tree: Any, prefix: str, into: dict[str, Any]) -> None:
    if isinstance(tree, Mapping):
        items = [(str(key), value) for key, value in tree.items()]
    elif isinstance(tree, (list, tuple)) and not isinstance(tree, str):
        items = [(str(i), value) for i, value in enumerate(tree)]
    else:
        if prefix in into:
            raise ValueError(f"save: two tensors have the name {prefix!r}")
        into[prefix] = _exactly(tree)
        return
    for key, value in items:
        if value is not None:
            _flatten(value, f"{prefix}.{key}" if prefix else key, into)


def _named(obj: Any) -> dict[str, Any]:
    """Tensors by name: {"a": {"b": t}} gives "a.b"."""
    if hasattr(obj, "state_dict"):
        obj = obj.state_dict()
    if not isinstance(obj, (Mapping, list, tuple)):
        raise TypeError(
            f"save: the object is a {type(obj).__name__}; wanted tensors by name: "
            "a dict or list of tensors, also nested, or what has state_dict()"
        )
    flat: dict[str, Any] = {}
    _flatten(obj, "", flat)
    return flat


def save(
    obj: Any,
    path: Any,
    *,
    metadata: Mapping[str, str] | None = None,
    max_shard_bytes: int = 0,
) -> None:
    """Writes tensors to a file; its name says the format. A file object, such as
    io.BytesIO, gets the bytes of a ``.safetensors`` file.

    ``obj`` is a dict of tensors, which may be nested (names become "a.b"), a list,
    or an object with ``state_dict()``, such as a module or an optimizer. For ``.npy``
    it is one tensor. Python numbers become int64 and float64 tensors, so that
    ``item()`` reads the same number back. Formats: ``.safetensors``;
    ``.safetensors.index.json`` with several files of at most
    ``max_shard_bytes``; ``.npz``; ``.npy``; PyTorch's ``.pt`` and ``.pth``, which
    keep nested dicts and lists, numbers and text as they are. ``metadata`` is text
    kept in safetensors files. A file is written under a temporary name and renamed, so
    that either the old or the new file exists at any time.
    """
    refuse_files("save()")
    if is_file_object(path, "write"):
        write(path, ".safetensors", lambda name: save(obj, name, metadata=metadata))
        return
    form = _format(path)
    if metadata is not None and not form.startswith(".safetensors"):
        raise ValueError(f"save: {form} files have no metadata")
    if form == ".npy":
        _core.write_npy(path, _exactly(obj))
        return
    if form in (".pt", ".pth"):
        from . import _torch_files

        _torch_files.save(obj, path)
        return
    flat = _named(obj)
    if form == ".npz":
        _core.write_npz(path, flat)
        return
    sharded = form.endswith(".json")
    if max_shard_bytes < 0 or (max_shard_bytes and not sharded):
        raise ValueError(
            f"save: max_shard_bytes is {max_shard_bytes}; wanted a number above 0, "
            "and a path that ends in .safetensors.index.json"
        )
    if sharded and not max_shard_bytes:
        max_shard_bytes = 5 * 10**9
    _core.save_safetensors(path, flat, metadata, max_shard_bytes)


def load(
    path: Any, map_location: Any = None, *, weights_only: bool = True
) -> Any:
    """The tensors of a file by name, in the order they were saved; of a
    ``.npy`` file the tensor; of PyTorch's ``.pt`` and ``.pth`` what was saved.
    Of a file object the bytes that are left in it.

    Raises FileNotFoundError if there is no file, and ValueError if it is damaged or
    not in the format of its name. ``map_location`` is the device for the tensors.
    Nothing that a file names is executed: ``weights_only=False`` is refused.
    """
    refuse_files("load()")
    if not weights_only:
        raise ValueError(
            "load: weights_only is False; wanted True, nothing that a file names is "
            "executed"
        )
    if map_location is not None:
        from . import tree

        return tree.map(
            lambda t: t.to(map_location) if isinstance(t, _core.Tensor) else t,
            load(path),
        )
    if is_file_object(path, "read"):
        return read(path, load)
    form = _format(path)
    if form == ".npy":
        return _core.read_npy(path)
    if form in (".pt", ".pth"):
        from . import _torch_files

        return _torch_files.load(path)
    if form == ".npz":
        return _core.read_npz(path)
    return _core.load_safetensors(path)
