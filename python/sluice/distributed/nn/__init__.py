"""Collectives that gradients flow through: `functional`."""

from . import functional as functional

__all__ = ["functional"]
