"""Tensors by the names of numpy and the array API: creation, reductions, shapes."""

from . import _core

__all__: list[str] = []
