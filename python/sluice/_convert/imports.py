"""import statements inside recorded functions.

A module that recorded code imports belongs to the program outside, like one imported at
the top of a file: reads of it become guards, and changes of it become state.
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
    """The module of a name, as a guard, because another module may replace it."""
    module = sys.modules.get(name, MISSING)
    if recorder.read(ITEM, sys.modules, name, module, f"the module {name}"):
        recorder.value(module, name)
    return module


def importing(name: str, level: int, package: Any, parts: tuple[str, ...]) -> None:
    """An import statement is about to run. Loading a module runs its code once, outside
    the recording."""
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
            raise  # else the statement itself reports the missing name


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
    """The object of `from name import part`, noted like name.part."""
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
    """The statement, with calls that report it."""
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
