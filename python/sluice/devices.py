"""The devices of this process: which there are, and their memory.

    sl.devices.add_cpus(2)
    with sl.device("cpu:1"):
        x = sl.ones(3)          # in the memory of cpu:1
    y = x.to("cpu")             # a copy on the host
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._device import device as _device

__all__ = [
    "add_cpus",
    "add_simulated",
    "all",
    "memory",
    "set_memory_limit",
    "synchronize",
]


def all() -> list[_device]:
    """The devices there are, the host first."""
    return [_device(name) for name in _core.device_names()]


def add_cpus(count: int) -> None:
    """Makes sure that there are cpu:0 to cpu:count-1.

    They share the machine's cores; each has memory of its own, which is counted
    to the byte and may be limited.
    """
    _core.add_cpu_devices(count)


def add_simulated(
    count: int,
    *,
    memory: int = 4 << 30,
    flops: float = 60e12,
    bandwidth: float = 4.1e12,
    link_bandwidth: float = 55e9,
    link_latency: float = 10e-6,
) -> None:
    """Makes sure that there are sim:0 to sim:count-1, accelerators for tests.

    Their work is done by the host, in order of a virtual clock that follows the
    figures given: operations and bytes per second, bytes of memory, the link's
    bytes per second and its delay in seconds. The host cannot touch their memory.
    """
    _core.add_sim_devices(count, memory, flops, bandwidth, link_bandwidth, link_latency)


def memory(device: Any = "cpu") -> dict[str, int]:
    """Bytes in use now, the most there were, and how many allocations were made."""
    return _core.device_memory(str(device))


def set_memory_limit(device: Any, bytes: int) -> None:
    """What would bring the device's bytes in use above this fails from now on."""
    if bytes < 0:
        raise ValueError(f"set_memory_limit(): bytes is {bytes}; wanted 0 or more")
    _core.set_device_memory_limit(str(device), bytes)


def synchronize(device: Any) -> None:
    """Waits until the device has done all that it was given."""
    _core.synchronize_device(str(device))
