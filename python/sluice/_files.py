"""Tensors in files: save and load."""

from . import _core

__all__: list[str] = []
