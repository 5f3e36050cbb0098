"""What this build is: version, devices."""

from . import _core

__all__: list[str] = []
