"""Python as graphs: function, cond, while_loop, scan, List."""

from . import _core

__all__: list[str] = []
