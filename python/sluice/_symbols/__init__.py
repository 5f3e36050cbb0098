"""Sizes of tensors in functions being recorded: numbers that may be symbolic."""

from __future__ import annotations

from .. import _core
from .numbers import SymBool, SymFloat, SymInt, Symbol, count_of, size_of

__all__ = ["SymBool", "SymFloat", "SymInt"]

_core.set_size_makers(Symbol, size_of, count_of)
