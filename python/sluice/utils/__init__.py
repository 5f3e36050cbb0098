"""Helpers around training, by the names PyTorch has for them."""

from __future__ import annotations

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
