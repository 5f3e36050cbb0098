"""The version and devices of this build."""

from . import _core

__all__ = ["__version__"]

__version__: str = _core.version
