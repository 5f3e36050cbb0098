"""A program: its text, its name, and the module it becomes.

The converter reads sources from disk, so every text is a file. A text is loaded
anew for every run: no run sees the globals of another.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
import sys
import tempfile
import types
import warnings
from typing import Any

_folder: tempfile.TemporaryDirectory[str] | None = None
_loaded = 0


@dataclasses.dataclass(frozen=True)
class Program:
    """What one seed gives."""

    family: str
    seed: int
    text: str
    torch: bool = True  # PyTorch runs it, too, with the same numbers

    @property
    def name(self) -> str:
        return f"{self.family}:{self.seed}"


def _home() -> pathlib.Path:
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="fuzz_capture_")
    return pathlib.Path(_folder.name)


def load(text: str, library: str = "sluice") -> types.ModuleType:
    """The module of a text, with `library` as its T."""
    global _loaded
    _loaded += 1
    digest = hashlib.sha1(text.encode()).hexdigest()[:10]
    name = f"program_{digest}_{_loaded}"
    path = _home() / f"{name}.py"
    source = f"import {library} as T\n{text}"
    path.write_text(source)
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, str(path), "exec"), module.__dict__)
    finally:
        del sys.modules[name]
    return module


def globals_of(module: types.ModuleType) -> dict[str, Any]:
    """The module's own data: no functions, classes, modules."""
    skipped = (types.ModuleType, types.FunctionType, type)
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("__") and not isinstance(value, skipped)
        and not callable(value)
    }
