"""The GPUs of this machine: which there are, their memory, waiting for them.

    if sl.cuda.is_available():
        model.cuda()
    begin, end = sl.cuda.Event(enable_timing=True), sl.cuda.Event(enable_timing=True)
    begin.record()
    ...
    end.record()
    end.synchronize()
    print(begin.elapsed_time(end), "ms")

Calls on a GPU are issued in order on one stream of that GPU and return before it
is done; whoever needs a value waits for it. docs/gpu.md says more.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, NamedTuple

from . import _core
from ._closed import closed
from ._device import device as _device

__all__ = [
    "Event",
    "ExternalStream",
    "Stream",
    "allow_tf32",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_bf16_supported",
    "max_memory_allocated",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_float32_matmul_precision",
    "get_float32_matmul_precision",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """Whether there is a GPU, a driver for it, and CUDA in this build."""
    return _core.cuda_device_count() > 0


def device_count() -> int:
    """How many GPUs there are; 0 where is_available() is False."""
    return _core.cuda_device_count()


def _index(device: Any) -> int:
    """A device, its name or its number, as a number."""
    if _core.cuda_device_count() == 0:
        raise RuntimeError(f"there is no GPU here: {_core.cuda_why_unavailable()}")
    if device is None:
        return 0
    if isinstance(device, str):
        named = _device(device)
        if named.type not in ("cuda", "gpu"):
            raise ValueError(f'the device is "{device}"; wanted one like "cuda:0"')
        return named.index or 0
    if not isinstance(device, int):
        raise TypeError(
            f"the device is a {type(device).__name__}; wanted a number or a name "
            'like "cuda:0"'
        )
    return device


def current_device() -> int:
    """The number of the GPU that "cuda" means, which is 0."""
    return _index(None)


class DeviceProperties(NamedTuple):
    """What a GPU is."""

    name: str
    major: int
    minor: int
    multi_processor_count: int
    total_memory: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Its name, compute capability, processors and bytes of memory."""
    return DeviceProperties(**_core.cuda_properties(_index(device)))


def get_device_name(device: Any = None) -> str:
    """Its name: "NVIDIA H200"."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Its compute capability: (9, 0)."""
    found = get_device_properties(device)
    return found.major, found.minor


def is_bf16_supported() -> bool:
    """Whether the GPU computes with bfloat16; all that Sluice runs on do."""
    return is_available()


def synchronize(device: Any = None) -> None:
    """Waits until the GPU has done all that it was given.

    Raises what a kernel found wrong meanwhile, with the line of its call.
    """
    _core.cuda_synchronize(_index(device))


# ---- Memory ----


def memory_stats(device: Any = None) -> dict[str, int]:
    """Bytes of tensors (allocated, max_allocated), bytes taken from the driver
    (reserved), and the number of allocations there were."""
    return _core.cuda_memory(_index(device))


def memory_allocated(device: Any = None) -> int:
    """Bytes of the tensors that are on the GPU now."""
    return memory_stats(device)["allocated"]


def max_memory_allocated(device: Any = None) -> int:
    """The most there were since reset_peak_memory_stats()."""
    return memory_stats(device)["max_allocated"]


def memory_reserved(device: Any = None) -> int:
    """Bytes that were taken from the driver, also those free here."""
    return memory_stats(device)["reserved"]


def reset_peak_memory_stats(device: Any = None) -> None:
    """max_memory_allocated() begins anew."""
    _core.cuda_reset_peak(_index(device))


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free bytes and all bytes of the whole GPU, other programs included."""
    return _core.cuda_mem_get_info(_index(device))


def empty_cache() -> None:
    """Does nothing: memory that was used stays mapped for the next tensors.

    Programs that call it need no change. Free memory is handed out again whatever
    its sizes were, so that there is nothing to gain within the program.
    """
    if is_available():
        synchronize()


# ---- Precision ----


class _AllowTf32:
    """Whether products of float32 may round their operands to TF32.

    Called, allow_tf32(True) sets it; bool(allow_tf32) tells. A captured function
    keeps what was set when it was first called with its shapes.
    """

    def __call__(self, allow: bool = True) -> None:
        _core.cuda_allow_tf32(bool(allow))

    def __bool__(self) -> bool:
        return _core.cuda_tf32_allowed()

    def __repr__(self) -> str:
        return f"allow_tf32({bool(self)})"


allow_tf32 = _AllowTf32()


def set_float32_matmul_precision(precision: str) -> None:
    """ "highest": float32 throughout; "high" or "medium": TF32 on GPUs."""
    if precision not in ("highest", "high", "medium"):
        raise ValueError(
            f'precision is {precision!r}; wanted "highest", "high" or "medium"'
        )
    _core.cuda_allow_tf32(precision != "highest")


def get_float32_matmul_precision() -> str:
    """ "high" where TF32 is allowed, else "highest"."""
    return "high" if _core.cuda_tf32_allowed() else "highest"


# ---- Streams and events ----


@closed
class Stream:
    """A queue of a GPU's work.

    Calls of Sluice always go to current_stream(). Another stream is for work of
    other libraries, and for order between theirs and ours: wait_stream(),
    wait_event(), record_event().
    """

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        self._core = _core.cuda_new_stream(_index(device))

    @classmethod
    def _of(cls, core: Any) -> Stream:
        made = Stream.__new__(cls)
        made._core = core
        return made

    @property
    def cuda_stream(self) -> int:
        """CUDA's number for it, as other libraries take it."""
        return self._core.cuda_stream

    @property
    def device(self) -> _device:
        """Whose stream it is."""
        return _device("cuda", self._core.device_index)

    def query(self) -> bool:
        """Whether all work given to it is done."""
        return self._core.query()

    def synchronize(self) -> None:
        """Waits for all work given to it."""
        self._core.synchronize()

    def wait_event(self, event: Event) -> None:
        """Later work here comes after the event."""
        self._core.wait_event(event._core)

    def wait_stream(self, stream: Any) -> None:
        """Later work here comes after what that stream was given.

        It may be another library's: anything with the attribute cuda_stream.
        """
        self._core.wait_stream(_stream_of(stream, self._core.device_index))

    def record_event(self, event: Event | None = None) -> Event:
        """Sets an event, a new one if none is given, at this point."""
        event = event or Event(enable_timing=True, device=self._core.device_index)
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return self._core.same(other._core)

    def __hash__(self) -> int:
        return hash((self._core.device_index, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<sluice.cuda.Stream {self.cuda_stream:#x} on {self.device}>"


class ExternalStream(Stream):
    """A stream that another library has made, by CUDA's number for it."""

    def __init__(self, stream_ptr: int, device: Any = None) -> None:
        self._core = _core.cuda_external_stream(stream_ptr, _index(device))


def _stream_of(stream: Any, device: int) -> Any:
    if isinstance(stream, Stream):
        return stream._core
    number = getattr(stream, "cuda_stream", None)
    if not isinstance(number, int):
        raise TypeError(f"the stream is a {type(stream).__name__}; wanted a Stream")
    return _core.cuda_external_stream(number, device)


def current_stream(device: Any = None) -> Stream:
    """The stream that calls of Sluice are issued on: one for each GPU."""
    return Stream._of(_core.cuda_current_stream(_index(device)))


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Refuses any stream but current_stream(): there is one for calls.

    What can run side by side does so anyway: copies have streams of their own.
    """
    if stream is not None and stream != current_stream(stream._core.device_index):
        raise NotImplementedError(
            "stream(): calls of Sluice go to one stream of each GPU, "
            "sl.cuda.current_stream(); wanted that one. For order with the work of "
            "another library use wait_stream() and record_event()"
        )
    yield


@closed
class Event:
    """A mark in a stream, which others can wait for and which tells the time."""

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        device: Any = None,
    ) -> None:
        if interprocess:
            raise NotImplementedError(
                "Event(): interprocess is True; wanted an event of one process"
            )
        self._device = _index(device)
        self._core = _core.CudaEvent(enable_timing, self._device)

    def record(self, stream: Any = None) -> None:
        """Sets the mark after the work that the stream has been given."""
        if stream is None:
            where = _core.cuda_current_stream(self._device)
        else:
            where = _stream_of(stream, self._device)
        self._core.record(where)

    def wait(self, stream: Any = None) -> None:
        """Later work on the stream comes after the mark."""
        if stream is None:
            where = _core.cuda_current_stream(self._device)
        else:
            where = _stream_of(stream, self._device)
        self._core.wait(where)

    def query(self) -> bool:
        """Whether the mark has been reached."""
        return self._core.query()

    def synchronize(self) -> None:
        """Waits until the mark has been reached."""
        self._core.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to the other; both with enable_timing."""
        return self._core.elapsed_time(end_event._core)
