"""User code that recorded code calls and that runs unconverted: code without source,
generators, or code that calls eval().

Its bytecode shows the names that it uses. Access to the world outside the program is
refused, as in converted code. Objects that it may assign without naming the place are
noted as a whole.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import pathlib
import random
import types
from collections.abc import Iterator
from typing import Any

from .. import _core
from .code_reads import reads_of
from .values import MISSING


@contextlib.contextmanager
def told(function: types.FunctionType, args: tuple[Any, ...]) -> Iterator[None]:
    """Notes what the function does while it runs unconverted with these arguments."""
    from .handed import hand_over, watched
    from .impure import refuse_if_impure

    recorder = _core.recorder()
    if recorder is None:
        yield
        return
    code = function.__code__
    for name, value in _named(function, args):
        refuse_if_impure(value, (code.co_filename, _line(code, name)))
    recorder.unconverted(function, args)
    given = (*args, *_roots(function).values()) if reads_of(code).hides_stores else ()
    for value in given:
        hand_over(value)
    with watched(given):
        yield


def _roots(function: types.FunctionType) -> dict[str, Any]:
    """The values of the names in a function's code that are not its own variables."""
    names, around = reads_of(function.__code__), function.__globals__
    roots = {}
    for name in names.globals:
        roots[name] = around.get(name, vars(builtins).get(name, MISSING))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            roots[name] = cell.cell_contents
        except ValueError:
            pass
    return roots


def _line(code: types.CodeType, name: str) -> int:
    """The line where a function's code first uses a name, else its first line."""
    line = code.co_firstlineno
    for i in dis.get_instructions(code):
        line = i.starts_line or line
        if i.argval == name:
            return line
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return next((_line(c, name) for c in inner), code.co_firstlineno)


def _named(
    function: types.FunctionType, args: tuple[Any, ...]
) -> Iterator[tuple[str, Any]]:
    """Functions and classes that code names, also in modules and classes."""
    roots = _roots(function)
    code = function.__code__
    roots.update(zip(code.co_varnames[: code.co_argcount], args))
    found = list(roots.items())
    for chain in reads_of(function.__code__).chains:
        owner = roots.get(chain[0], MISSING)
        for name in chain[1:]:
            if not isinstance(owner, _LOOKED_INTO):
                break
            owner = getattr(owner, name, MISSING)
            found.append((name, owner))
    for name, value in found:
        if isinstance(value, type):
            if not issubclass(value, BaseException):
                yield name, value
        elif isinstance(value, _FUNCTIONS):
            yield name, value


_LOOKED_INTO = (types.ModuleType, type, random.Random, pathlib.Path)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
