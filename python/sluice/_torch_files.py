"""PyTorch's weight files, ``.pt`` and ``.pth``: read without executing what they name,
and written so that ``torch.load`` accepts them.

Such a file is a zip of a pickle and the tensors' bytes. A pickle names functions to
call. Here only those that make tensors, sizes and ordered dicts are known, all of them
our own. Anything else is refused by name.
"""

from __future__ import annotations

import collections
import io
import math
import os
import pickle
import struct
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import _core, _ops
from ._core import Tensor

__all__ = ["is_torch_file", "load", "save"]

# PyTorch's storage names, with our dtype and a numpy dtype of the same size.
_STORAGES = {
    "FloatStorage": ("float32", "<f4"),
    "DoubleStorage": ("float64", "<f8"),
    "HalfStorage": ("float16", "<f2"),
    "BFloat16Storage": ("bfloat16", "<u2"),
    "LongStorage": ("int64", "<i8"),
    "IntStorage": ("int32", "<i4"),
    "ShortStorage": ("int16", "<i2"),
    "CharStorage": ("int8", "<i1"),
    "ByteStorage": ("uint8", "<u1"),
    "BoolStorage": ("bool", "<u1"),
    "ComplexFloatStorage": ("complex64", "<c8"),
}
_NAMES = {name: storage for storage, (name, _) in _STORAGES.items()}
_TYPES = frozenset(
    "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool "
    "complex64".split()
)


# Limits for files that claim more elements, or expand to more bytes, than they hold.
_MOST, _EXPANDED = 1 << 24, 256 << 20


def _part(whole: zipfile.ZipFile, name: str, path: str) -> bytes:
    info = whole.getinfo(name)
    if info.file_size > max(_EXPANDED, 100 * info.compress_size):
        raise ValueError(
            f"load: {path!r} would expand {name} to {info.file_size} bytes; wanted a "
            "file that is not compressed, as torch.save writes"
        )
    return whole.read(info)


class _Kind(NamedTuple):
    """A class of storages."""

    name: str


class _Storage(NamedTuple):
    kind: str
    key: str
    count: int


def is_torch_file(path: Any) -> bool:
    """Whether the file is a zip that contains a pickle."""
    try:
        with zipfile.ZipFile(path) as whole:
            return any(n.endswith("/data.pkl") for n in whole.namelist())
    except zipfile.BadZipFile:
        return False


class _Reader(pickle.Unpickler):
    """Calls only functions that `find_class` gives, which are our own."""

    def __init__(self, whole: zipfile.ZipFile, folder: str, path: str) -> None:
        super().__init__(io.BytesIO(_part(whole, folder + "data.pkl", path)))
        self._whole, self._folder, self._path = whole, folder, path
        self._arrays: dict[str, Any] = {}
        self._tensors: dict[Any, Tensor] = {}

    def find_class(self, module: str, name: str) -> Any:
        known: dict[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): collections.OrderedDict,
            ("torch", "Size"): tuple,
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_tensor"): self._tensor,
            ("torch._utils", "_rebuild_parameter"): self._parameter,
            ("torch", "device"): _device_name,
        }
        if (module, name) in known:
            return known[module, name]
        if module == "torch" and name in _STORAGES:
            return _Kind(name)
        if module == "torch" and name in _TYPES:
            return _core.find_dtype(name)
        raise ValueError(
            f"load: {self._path!r} names {module}.{name}, and nothing that a file "
            "names is executed; wanted tensors, numbers, text, dicts and lists, as in "
            "torch.save(net.state_dict(), path)"
        )

    def persistent_load(self, pid: Any) -> Any:
        if not isinstance(pid, tuple) or len(pid) != 5 or pid[0] != "storage":
            raise ValueError(f"load: {self._path!r} holds {pid!r}; wanted a storage")
        _, kind, key, _, count = pid
        if not isinstance(kind, _Kind):
            raise ValueError(f"load: {self._path!r} has a storage without a type")
        return _Storage(kind.name, str(key), int(count))

    def _elements(self, of: _Storage) -> Any:
        if of.key not in self._arrays:
            self._arrays[of.key] = _part(
                self._whole, f"{self._folder}data/{of.key}", self._path
            )
        import numpy as np

        kind = np.dtype(_STORAGES[of.kind][1])
        data = self._arrays[of.key]
        if len(data) < of.count * kind.itemsize:
            raise ValueError(
                f"load: {self._path!r} is damaged: storage {of.key} has {len(data)} "
                f"bytes; wanted {of.count * kind.itemsize}"
            )
        return np.frombuffer(data, kind, of.count)

    def _tensor(
        self, of: Any, offset: int, size: Any, stride: Any, *more: Any
    ) -> Tensor:
        if not isinstance(of, _Storage):
            raise ValueError(f"load: {self._path!r} has a tensor without a storage")
        size, stride = tuple(map(int, size)), tuple(map(int, stride))
        place = (of, int(offset), size, stride)
        if place not in self._tensors:  # tied weights stay tied
            self._tensors[place] = self._made(*place)
        return self._tensors[place]

    def _made(self, of: _Storage, offset: int, size: Any, stride: Any) -> Tensor:
        import numpy as np

        elements = self._elements(of)
        least = len(size) == len(stride) and min((*size, *stride, offset), default=0)
        last = offset + sum((n - 1) * s for n, s in zip(size, stride))
        if least is False or least < 0 or 0 not in size and last >= of.count:
            raise ValueError(
                f"load: {self._path!r} is damaged: a tensor of {list(size)}, {stride} "
                f"apart from {offset} on, in {of.count} elements"
            )
        if math.prod(size) > max(of.count, _MOST):
            raise ValueError(
                f"load: {self._path!r} claims a tensor of {list(size)} in {of.count} "
                "elements; wanted one saved as it is, not expanded"
            )
        bytes_apart = [s * elements.itemsize for s in stride]
        if 0 in size:
            view = np.zeros(size, elements.dtype)
        else:
            view = np.lib.stride_tricks.as_strided(
                elements[offset:], size, bytes_apart, writeable=False
            )
        name = _STORAGES[of.kind][0]
        own = np.array(view)  # a contiguous copy
        if name == "bool":
            return _core.tensor(own != 0)
        if name == "bfloat16":
            wide = (own.astype(np.uint32) << 16).view(np.float32)
            return _ops.cast(_core.tensor(wide.reshape(own.shape)), _core.bfloat16)
        return _core.tensor(own)

    def _parameter(self, data: Tensor, requires_grad: bool, hooks: Any) -> Tensor:
        return data


def _device_name(*parts: Any) -> str:
    return ":".join(str(p) for p in parts)


def load(path: Any) -> Any:
    """The object passed to torch.save: dicts and lists of tensors, numbers and text."""
    name = os.fsdecode(os.fspath(path))
    if not os.path.exists(name):
        raise FileNotFoundError(f"load: there is no {name!r}")
    try:
        with zipfile.ZipFile(name) as whole:
            names = whole.namelist()
            pickles = [n for n in names if n.endswith("/data.pkl")]
            if len(pickles) != 1:
                raise ValueError(
                    f"load: {name!r} has no data.pkl, as torch.save writes"
                )
            folder = pickles[0].removesuffix("data.pkl")
            order = folder + "byteorder"
            if order in names and whole.read(order) != b"little":
                raise ValueError(f"load: {name!r} has the bytes of big-endian machines")
            return _Reader(whole, folder, name).load()
    except zipfile.BadZipFile as error:
        raise ValueError(
            f"load: {name!r} is no zip, which torch.save writes since PyTorch 1.6; "
            "wanted such a file"
        ) from error
    except (pickle.UnpicklingError, EOFError, LookupError, TypeError, AttributeError,
            OverflowError, RuntimeError, struct.error) as error:  # fmt: skip
        raise ValueError(f"load: {name!r} is damaged: {error}") from error


class _Writer:
    """A pickle of protocol 2, and the tensors it names."""

    def __init__(self) -> None:
        self._out = io.BytesIO()
        self.storages: list[bytes] = []
        self._keys: dict[int, tuple[Tensor, str]] = {}

    def whole(self, value: Any) -> bytes:
        self._out.write(b"\x80\x02")
        self._put(value, "")
        self._out.write(b".")
        return self._out.getvalue()

    def _text(self, value: str) -> None:
        data = value.encode("utf-8", "surrogatepass")
        self._out.write(b"X" + struct.pack("<I", len(data)) + data)

    def _int(self, value: int) -> None:
        if -(2**31) <= value < 2**31:
            self._out.write(b"J" + struct.pack("<i", value))
            return
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        self._out.write(b"\x8a" + struct.pack("<B", len(data)) + data)

    def _global(self, module: str, name: str) -> None:
        self._out.write(f"c{module}\n{name}\n".encode())

    def _tuple(self, values: Any, put: Callable[..., None], *more: Any) -> None:
        self._out.write(b"(")
        for value in values:
            put(value, *more)
        self._out.write(b"t")

    def _put(self, value: Any, at: str) -> None:
        if value is None:
            self._out.write(b"N")
        elif isinstance(value, bool):
            self._out.write(b"\x88" if value else b"\x89")
        elif isinstance(value, int):
            self._int(value)
        elif isinstance(value, float):
            self._out.write(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            self._text(value)
        elif isinstance(value, Tensor):
            self._tensor(value)
        elif isinstance(value, Mapping):
            self._out.write(b"}(")
            for key, each in value.items():
                self._put(key, f"{at}.{key}")
                self._put(each, f"{at}.{key}")
            self._out.write(b"u")
        elif isinstance(value, list):
            self._out.write(b"](")
            for i, each in enumerate(value):
                self._put(each, f"{at}.{i}")
            self._out.write(b"e")
        elif isinstance(value, tuple):
            self._tuple(value, self._put, at)
        elif hasattr(value, "__array__"):
            self._tensor(_core.tensor(value))
        else:
            raise TypeError(
                f"save: {at.lstrip('.') or 'the object'} is a {type(value).__name__}; "
                "wanted tensors, numbers, text, dicts, lists and tuples"
            )

    def _tensor(self, value: Tensor) -> None:
        name = value.dtype.name
        if name not in _NAMES:
            raise TypeError(
                f"save: a tensor of {name}, for which PyTorch has no storage"
            )
        if id(value) not in self._keys:
            self._keys[id(value)] = (value, str(len(self.storages)))
            self.storages.append(_bytes(value.detach()))
        sizes = tuple(int(n) for n in value.shape)
        strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        self._global("torch._utils", "_rebuild_tensor_v2")
        self._out.write(b"((")
        self._text("storage")
        self._global("torch", _NAMES[name])
        self._text(self._keys[id(value)][1])
        self._text("cpu")
        self._int(math.prod(sizes))
        self._out.write(b"tQ")
        self._int(0)
        self._tuple(sizes, self._int)
        self._tuple(strides, self._int)
        self._out.write(b"\x89")
        self._global("collections", "OrderedDict")
        self._out.write(b")RtR")


def _bytes(x: Tensor) -> bytes:
    if x.dtype == _core.bfloat16:
        import numpy as np

        wide = np.ascontiguousarray(_ops.cast(x, _core.float32).numpy())
        return (wide.view(np.uint32) >> 16).astype("<u2").tobytes()
    data = x.numpy()
    return data.astype(data.dtype.newbyteorder("<")).tobytes()


def save(obj: Any, path: Any) -> None:
    """Writes tensors, numbers and text in dicts and lists, atomically."""
    writer = _Writer()
    pickled = writer.whole(obj.state_dict() if hasattr(obj, "state_dict") else obj)
    name = os.fsdecode(os.fspath(path))
    place = os.path.dirname(os.path.abspath(name))
    handle, beside = tempfile.mkstemp(prefix=".sluice-", dir=place)
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as whole:
            whole.writestr("archive/data.pkl", pickled)
            whole.writestr("archive/byteorder", "little")
            for key, data in enumerate(writer.storages):
                whole.writestr(f"archive/data/{key}", data)
            whole.writestr("archive/version", "3\n")
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, name)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
