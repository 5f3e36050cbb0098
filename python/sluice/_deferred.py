"""Graphs built first and run later: Graph, placeholder, Variable, Session."""

from . import _core

__all__: list[str] = []
