"""Functions of functions: grad, vjp, jvp, vmap, checkpoint."""

from . import _core

__all__: list[str] = []
