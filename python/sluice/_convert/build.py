"""Converts the code of a function, and makes a function of the converted code.

The code keeps the names, lines and file of the source. The new function shares the
globals and the closure of the original.
"""

from __future__ import annotations

import __future__

import ast
import inspect
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .codes import RUNTIME
from .generators import GeneratorRewriter
from .notes import Unit
from .prepare import Prepare, check, check_frames
from .source import compile_function, copied, function_node
from .statements import FunctionRewriter
from .trees import walk
from .unbound import is_part, note_owned

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag


@dataclass(frozen=True)
class Converted:
    """The rewritten code of a function, and its runtime."""

    code: types.CodeType
    runtime: Any


# Keyed by the address of the original code, because codes compare by value. Nothing
# here keeps a code alive.
_cache: dict[int, tuple[weakref.ref[types.CodeType], Converted]] = {}
_generators: dict[int, tuple[weakref.ref[types.CodeType], Converted]] = {}
_made: dict[int, weakref.ref[types.CodeType]] = {}  # rewritten codes


def _weak(code: types.CodeType, table: dict[int, Any]) -> weakref.ref[types.CodeType]:
    key = id(code)
    return weakref.ref(code, lambda _: table.pop(key, None))


def is_converted(function: types.FunctionType) -> bool:
    """Whether the function's code came out of a rewriter."""
    known = _made.get(id(function.__code__))
    return known is not None and known() is function.__code__


def _class_name(qualname: str) -> str | None:
    for part in reversed(qualname.split(".<locals>.")):
        if "." in part:
            return part.split(".")[-2]
    return None


def _named(
    code: types.CodeType,
    name: str,
    qualname: str | None,
    unit: Unit | None,
    owner: types.CodeType | None = None,
) -> types.CodeType:
    """The code, with helpers named after the function that owns them."""
    if (code.co_name, code.co_firstlineno) in (unit.untouched if unit else ()):
        unit = None  # for it and the functions inside it
    parts = []
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            inner, outer = part.co_name, qualname
            if inner.startswith("__sl_"):
                inner = name
            elif qualname is not None:
                # Nested in a function, or else in a class.
                inside = ".<locals>" if code.co_flags & inspect.CO_OPTIMIZED else ""
                outer = f"{qualname}{inside}.{inner}"
            around = (owner or code) if is_part(part) else None
            part = _named(part, inner, outer, unit, around)
        parts.append(part)
    changes: dict[str, Any] = {"co_name": name, "co_consts": tuple(parts)}
    if qualname is not None:
        changes["co_qualname"] = qualname
    code = code.replace(**changes)
    if owner:
        note_owned(code, owner)
    if unit:
        _made[id(code)] = _weak(code, _made)
    return code


def converted_code(
    function: types.FunctionType,
    runtime: Callable[[Unit], Any],
    generator: bool = False,
) -> Converted:
    """The function's code, rewritten once. Throws Unconvertible, also for a generator
    unless `generator` asks to rewrite its expressions only."""
    code = function.__code__
    cache = _generators if generator else _cache
    known = cache.get(id(code))
    if known and known[0]() is code:
        return known[1]
    node = function_node(code)
    if generator and isinstance(node, ast.FunctionDef):
        check_frames(node.body)
    else:
        check(node)
    node = Prepare(_class_name(function.__qualname__)).visit(copied(node))
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
        for arg in walk(node.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    unit = Unit(code.co_filename)
    rewriter = GeneratorRewriter if generator else FunctionRewriter
    tree = rewriter(unit, node).rewrite()
    made = compile_function(
        tree,
        code.co_filename,
        (*code.co_freevars, RUNTIME),
        code.co_name,
        code.co_flags & _FUTURES,
    )
    made = _named(made, code.co_name, getattr(code, "co_qualname", None), unit)
    result = Converted(made, runtime(unit))
    cache[id(code)] = (_weak(code, cache), result)
    return result


def as_function(function: types.FunctionType, made: Converted) -> types.FunctionType:
    """A function like the given one that runs the converted code."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[RUNTIME] = types.CellType(made.runtime)
    new = types.FunctionType(
        made.code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells[name] for name in made.code.co_freevars),
    )
    new.__kwdefaults__ = function.__kwdefaults__
    new.__qualname__ = function.__qualname__
    new.__doc__ = function.__doc__
    new.__module__ = function.__module__
    if hasattr(function, "__annotate__"):  # Python 3.14 evaluates them when asked
        new.__annotate__ = function.__annotate__  # type: ignore[attr-defined]
    else:
        new.__annotations__ = function.__annotations__
    new.__dict__.update(function.__dict__)
    return new
