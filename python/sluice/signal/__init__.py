"""Signals: windows, by the names of torch.signal."""

from . import windows as windows

__all__ = ["windows"]
