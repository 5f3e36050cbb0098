"""import statements inside of recorded functions.

A module that code imports is the program's, as one that is imported around it: what
is taken of it are guards, and what is changed in it is a state.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from typing import Any

from .. import _core
from .expressions import at, load, runtime_call
from .places import ITEM
from .values import MISSING


def _module(recorder: Any, name: str) -> Any:
    """The module of a name, which another may take the place of."""
    module = sys.modules.get(name, MISSING)
    if recorder.read(ITEM, sys.modules, name, module, f"the module {name}"):
        recorder.value(module, name)
    return module


def importing(name: str, level: int, package: Any, parts: tuple[str, ...]) -> None:
    """An import statement is about to run. What a module does when it is loaded, it
    does once, and it is no part of the recording."""
    before = _core.recorder()
    if before is None:
        return
    _core.set_recorder(None)
    try:
        with _core.imperative_scope():
            whole = importlib.util.resolve_name("." * level + name, package)
            module = importlib.import_module(whole)
            for part in parts:
                if not hasattr(module, part) and hasattr(module, "__path__"):
                    _load_part(f"{whole}.{part}")
    finally:
        _core.set_recorder(before)


def _load_part(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise  # else the statement says that there is no such name


def imported(name: str, bound: Any) -> None:
    """`import name` has bound a variable."""
    recorder = _core.recorder()
    if recorder is None:
        return
    parts = name.split(".")
    for size in range(1, len(parts) + 1):
        _module(recorder, ".".join(parts[:size]))
    recorder.value(bound, name)


def imported_from(name: str, level: int, package: Any, part: str, bound: Any) -> Any:
    """`from name import part`: what it is, noted as name.part is."""
    recorder = _core.recorder()
    if recorder is None:
        return bound
    whole = importlib.util.resolve_name("." * level + name, package)
    module = _module(recorder, whole)
    if isinstance(getattr(module, "__dict__", None), dict) and module is not MISSING:
        return recorder.attr(module, part)
    recorder.value(bound, part)
    return bound


def rewritten(node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
    """The statement, and what tells of it."""
    names = node.names
    if isinstance(node, ast.ImportFrom):
        loads = [(node.module or "", node.level, tuple(a.name for a in names))]
    else:
        loads = [(alias.name, 0, ()) for alias in names]
    made: list[ast.stmt] = []
    for name, level, parts in loads:
        package = load("__package__") if level else ast.Constant(None)
        tell = runtime_call(
            "importing", ast.Constant(name), ast.Constant(level), package,
            ast.Constant(parts),
        )
        made.append(at(ast.Expr(tell), node))
    made.append(node)
    for alias in node.names:
        if isinstance(node, ast.Import):
            bound = alias.asname or alias.name.split(".")[0]
            call = runtime_call("imported", ast.Constant(alias.name), load(bound))
            made.append(at(ast.Expr(call), node))
            continue
        bound = alias.asname or alias.name
        package = load("__package__") if node.level else ast.Constant(None)
        call = runtime_call(
            "imported_from", ast.Constant(node.module or ""),
            ast.Constant(node.level), package, ast.Constant(alias.name), load(bound),
        )
        assign = ast.Assign([ast.Name(bound, ast.Store())], call)
        made.append(at(assign, node))
    return made
