"""Recognizes library code, which is not converted: Python, packages and Sluice."""

from __future__ import annotations

import os
import sysconfig
import types

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_PYTHON = tuple(
    os.path.abspath(path) + os.sep
    for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    if path
)
_PACKAGES = frozenset({"sluice", "numpy", "torch", "jax", "tensorflow", "builtins"})

_known: dict[str, bool] = {}


def is_library_file(filename: str) -> bool:
    """Whether a file belongs to a library."""
    known = _known.get(filename)
    if known is None:
        path = os.path.abspath(filename)
        known = _known[filename] = (
            any(part in path for part in _INSTALLED)
            or path.startswith(_PYTHON)
            or path.startswith(_HERE)
            or os.path.realpath(path).startswith(os.path.realpath(_HERE))
            or filename.startswith("<frozen")
        )
    return known


def is_library(function: types.FunctionType) -> bool:
    """Whether a function belongs to a library."""
    module = (function.__module__ or "").split(".")[0]
    return module in _PACKAGES or is_library_file(function.__code__.co_filename)
