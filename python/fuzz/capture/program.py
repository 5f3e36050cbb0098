"""A program: its text, its name, and the module it becomes.

The converter reads sources from disk, so every text is a file. A text is compiled once,
like a module, and executed again for every mode, so that no run sees the globals of
another.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import pathlib
import sys
import tempfile
import types
import warnings
from typing import Any

_folder: tempfile.TemporaryDirectory[str] | None = None


@dataclasses.dataclass(frozen=True)
class Program:
    """The program of one seed."""

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


@functools.lru_cache(maxsize=8)
def _compiled(source: str) -> types.CodeType:
    digest = hashlib.sha1(source.encode()).hexdigest()[:16]
    path = _home() / f"program_{digest}.py"
    path.write_text(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, str(path), "exec")


def load(text: str, library: str = "sluice") -> types.ModuleType:
    """The module of a text, with `library` as its T."""
    code = _compiled(f"import {library} as T\n{text}")
    name = pathlib.Path(code.co_filename).stem
    module = types.ModuleType(name)
    module.__file__ = code.co_filename
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, module.__dict__)
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
