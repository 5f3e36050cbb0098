"""Switches of other libraries below, by PyTorch's names: programs set them first.

cuDNN's are kept and have no effect: algorithms here are chosen by size, and give the
same results every time. There is no Metal.
"""

from __future__ import annotations

from . import _core

__all__ = ["cuda", "cudnn", "mkl", "mps"]


class _Switches:
    """Attributes to be read and set."""

    def __init__(self, there: bool, **flags: bool) -> None:
        self._there = there
        self.__dict__.update(flags)

    def is_available(self) -> bool:
        """Whether the library is there."""
        return self._there

    is_built = is_available


class _Products:
    """How products of float32 matrices are computed on a GPU."""

    @property
    def allow_tf32(self) -> bool:
        """Whether 19-bit floats will do."""
        return bool(_core.cuda_tf32_allowed())

    @allow_tf32.setter
    def allow_tf32(self, allow: bool) -> None:
        _core.cuda_allow_tf32(bool(allow))


class _Cuda(_Switches):
    matmul = _Products()


_gpus = _core.cuda_device_count() > 0
cudnn = _Switches(
    _gpus, enabled=True, benchmark=False, deterministic=True, allow_tf32=True
)
cuda = _Cuda(_gpus)
mkl = _Switches(False)
mps = _Switches(False)
