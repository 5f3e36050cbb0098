"""Tensors in pickles, by value; between processes, through shared memory."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from .. import _core
from .._core import Tensor

__all__: list[str] = []

# Elements of fewer bytes travel in the message itself.
_SMALL = 16384


def _finished(
    cls: type[Tensor], made: Tensor, requires_grad: bool, name: str
) -> Tensor:
    if cls is not Tensor:
        plain = made
        made = cls.__new__(cls)
        Tensor.__init__(made, plain)
    if name:
        made.name = name
    if made.requires_grad != requires_grad:
        made.requires_grad_(requires_grad)
    return made


def rebuild(
    cls: type[Tensor], data: Any, dtype: str, shape: tuple[int, ...],
    requires_grad: bool, name: str = "", device: str = "cpu",
) -> Tensor:  # fmt: skip
    """The tensor of a pickle, on the host where its device is not there. For pickle."""
    if dtype == "string":
        made = _core.tensor(data if data else [], _core.string if data else None)
        made = made.reshape(shape) if data else _core.empty_strings(shape)
    else:
        made = _core.from_bytes(data, dtype, shape)
    if device != "cpu":
        with contextlib.suppress(LookupError):
            made = _core.tensor_to(made, device)
    return _finished(cls, made, requires_grad, name)


def rebuild_shared(
    cls: type[Tensor], place: str, offset: int, take: bool, dtype: str,
    shape: tuple[int, ...], requires_grad: bool, name: str = "",
) -> Tensor:  # fmt: skip
    """The tensor another process has put into shared memory. For pickle."""
    made = _core.map_segment(place, dtype, shape, offset, take)
    if take:
        _tracker().unregister(place, "shared_memory")
    return _finished(cls, made, requires_grad, name)


def _tracker() -> Any:
    """Takes names away that are left when all processes have ended."""
    from multiprocessing import resource_tracker

    return resource_tracker


def _new_name() -> str:
    return f"/sluice-{os.getpid()}-{os.urandom(8).hex()}"


def _between_processes() -> bool:
    """Whether multiprocessing is pickling: a queue, a pipe, a new process."""
    reduction = sys.modules.get("multiprocessing.reduction")
    if reduction is None:
        return False
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == reduction.__file__:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _shared(self: Tensor) -> Any:
    """How to find it in shared memory; None when there is no room for it."""
    tail = (self.dtype.name, self.shape, self.requires_grad, self.name)
    place = _core.segment_of(self)
    if place is not None:
        return (rebuild_shared, (type(self), *place, False, *tail))
    if self.nbytes < _SMALL:
        return None
    name = _new_name()
    if not _core.put_in_segment(name, self):
        return None
    _tracker().register(name, "shared_memory")
    return (rebuild_shared, (type(self), name, 0, True, *tail))


def reduce(self: Tensor, protocol: Any = 4) -> Any:
    """For pickle: type, shape and elements; gradients are not taken along."""
    if self.symbolic:
        raise TypeError(
            f"{self!r} is part of a graph and cannot be pickled; "
            "wanted its value, from Session.run"
        )
    state = dict(self.__dict__) or None
    if self.dtype == _core.string:
        data: Any = self.reshape(-1).tolist()
    elif self.dtype.name in ("resource", "list"):
        raise TypeError(f"a tensor of {self.dtype.name} cannot be pickled")
    else:
        if self.device == "cpu" and _between_processes():
            shared = _shared(self)
            if shared is not None:
                return (*shared, state)
        data = _core.contiguous_elements(self)
        if protocol >= 5:
            import pickle

            data = pickle.PickleBuffer(data)
        else:
            data = bytes(data)
    more = (self.dtype.name, self.shape, self.requires_grad, self.name)
    there = () if self.device == "cpu" else (str(self.device),)
    return (rebuild, (type(self), data, *more, *there), state)


def _copied(self: Tensor, attributes: dict[str, Any]) -> Tensor:
    if self.symbolic and _core.recorder() is None:
        raise TypeError(f"{self!r} is part of a graph and cannot be copied")
    if self.symbolic and self._number:
        return self  # a number of Python's, which is itself
    made = self.detach().clone()
    made = _finished(type(self), made, self.requires_grad, self.name)
    made.__dict__.update(attributes)
    return made


def copy(self: Tensor) -> Tensor:
    """For copy.copy: a tensor of its own, as numpy's arrays do."""
    return _copied(self, self.__dict__)


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """For copy.deepcopy: a tensor of its own; its gradient is copied along."""
    from copy import deepcopy as deep

    if id(self) in memo:
        return memo[id(self)]
    made = _copied(self, {})
    memo[id(self)] = made
    made.__dict__.update(deep(self.__dict__, memo))
    if self.is_leaf and self.grad is not None:
        made.grad = self.grad.clone()
    return made


def share_memory_(self: Tensor) -> Tensor:
    """Moves the elements to memory that other processes see.

    Sent to another process, the tensor is then the same elements there: writes
    show on both sides, as long as this process keeps it. Views made before keep
    the elements where they were.
    """
    if self.symbolic:
        raise TypeError("share_memory_() of a tensor of a graph")
    if _core.segment_of(self) is None and not _core.move_to_segment(_new_name(), self):
        raise OSError("share_memory_(): no room in shared memory (/dev/shm)")
    return self


def is_shared(self: Tensor) -> bool:
    """Whether the elements are in memory that other processes can map."""
    return not self.symbolic and _core.segment_of(self) is not None


for _name, _method in {
    "__reduce_ex__": reduce,
    "__copy__": copy,
    "__deepcopy__": deepcopy,
    "share_memory_": share_memory_,
    "is_shared": is_shared,
}.items():
    setattr(Tensor, _name, _method)
