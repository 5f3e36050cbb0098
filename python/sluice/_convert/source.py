"""Finds the syntax tree of an existing function.

The most recently read files stay parsed. Functions are found by the line and name in
their code, so that neither indentation nor decorators matter.
"""

from __future__ import annotations

import ast
import copy
import linecache
import types
from typing import Any, Union

from .errors import Unconvertible
from .trees import locate, walk

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]

# In order of use, the most recent last. The number is limited because each notebook
# cell is a file too.
_files: dict[str, tuple[int, dict[int, list[FunctionNode]]]] = {}
_MOST_FILES = 32


def first_line(node: FunctionNode | ast.ClassDef) -> int:
    """The first line in its code: that of the first decorator, if there is one."""
    if isinstance(node, ast.Lambda):
        return node.lineno
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def copied(node: Any) -> Any:
    """A copy of a tree. Faster than copy.deepcopy, which checks every attribute for
    sharing; trees share nothing."""
    made = type(node).__new__(type(node))
    fields = made.__dict__
    for name, part in node.__dict__.items():
        if isinstance(part, ast.AST):
            part = copied(part)
        elif isinstance(part, list):
            part = [copied(p) if isinstance(p, ast.AST) else p for p in part]
        fields[name] = part
    return made


def _functions_of(filename: str) -> dict[int, list[FunctionNode]]:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename)
    if not lines:
        raise Unconvertible(f"its source is not there ({filename})")
    text = "".join(lines)
    known = _files.pop(filename, None)
    if known and known[0] == hash(text):
        _files[filename] = known
        return known[1]
    try:
        tree = ast.parse(text, filename)
    except SyntaxError as error:
        raise Unconvertible(f"its source does not parse: {error}") from None
    found: dict[int, list[FunctionNode]] = {}
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            found.setdefault(first_line(node), []).append(node)
    _files[filename] = (hash(text), found)
    while len(_files) > _MOST_FILES:
        _files.pop(next(iter(_files)), None)  # another thread may have removed it
    return found


def _arguments(args: ast.arguments) -> tuple[str, ...]:
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a]
    return tuple(names)


def _argument_names(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[:count]


def _shape(code: types.CodeType) -> tuple[object, ...]:
    """A key that distinguishes the lambdas of one line."""
    constants = tuple(
        _shape(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts
    )
    return code.co_code, code.co_names, constants, code.co_varnames, code.co_freevars


def compile_function(
    node: FunctionNode,
    filename: str,
    names_around: tuple[str, ...],
    name: str,
    flags: int = 0,
) -> types.CodeType:
    """The code of a function whose free variables are `names_around`."""
    inside = "<lambda>" if isinstance(node, ast.Lambda) else "__sl_function"
    if isinstance(node, ast.Lambda):
        inner: ast.stmt = ast.Return(node)
    else:
        inner = copy.copy(node)
        inner.name = inside  # so that its own name is looked up outside it
    empty = ast.arguments([], [], None, [], [], None, [])
    around = ast.FunctionDef("__sl_around", empty, [inner], [], None)
    around.args = ast.arguments(
        [], [ast.arg(n) for n in names_around], None, [], [], None, []
    )
    if hasattr(ast, "TypeAlias"):  # Python 3.12 has one more field
        around.type_params = []  # type: ignore[attr-defined]
    module = ast.Module([around], [])
    locate(module, node)
    code = compile(module, filename, "exec", flags, dont_inherit=True)
    for part in code.co_consts:
        if isinstance(part, types.CodeType) and part.co_name == "__sl_around":
            for found in part.co_consts:
                if isinstance(found, types.CodeType) and found.co_name == inside:
                    return found.replace(co_name=name)
    raise Unconvertible("its code is not found")  # cannot be


def _around_code(
    candidates: list[FunctionNode], code: types.CodeType
) -> list[FunctionNode]:
    """The innermost candidates whose body spans the positions in the code."""
    positions: Any = getattr(code, "co_positions")()  # since Python 3.11
    places = [
        ((line, column), (end, last))
        for line, end, column, last in positions
        if None not in (line, end, column, last) and (column, last) != (0, 0)
    ]
    found: list[tuple[int, FunctionNode]] = []
    for node in candidates:
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        first = body[0].lineno, body[0].col_offset
        last = body[-1].end_lineno, body[-1].end_col_offset
        if all(first <= a and b <= last for a, b in places):
            found.append((len(walk(node)), node))
    least = min((size for size, _ in found), default=0)
    return [node for size, node in found if size == least]


def _of_same_shape(
    candidates: list[FunctionNode], code: types.CodeType
) -> list[FunctionNode]:
    wanted = _shape(code)
    same = []
    for node in candidates:
        try:
            made = compile_function(
                node, code.co_filename, code.co_freevars, code.co_name
            )
        except (SyntaxError, Unconvertible):
            continue
        if _shape(made) == wanted:
            same.append(node)
    return same


def function_node(code: types.CodeType) -> FunctionNode:
    """The definition that a code object was compiled from. Callers must not change
    it."""
    candidates = [
        node
        for node in _functions_of(code.co_filename).get(code.co_firstlineno, ())
        if getattr(node, "name", "<lambda>") == code.co_name
        and _arguments(node.args) == _argument_names(code)
    ]
    if not candidates:
        raise Unconvertible(
            f"line {code.co_firstlineno} of {code.co_filename} is not where it is "
            "defined; has the file changed?"
        )
    if len(candidates) > 1 and hasattr(code, "co_positions"):
        candidates = _around_code(candidates, code)
    if len(candidates) > 1:
        candidates = _of_same_shape(candidates, code)
    if not candidates:
        raise Unconvertible("several lambdas stand on its line")
    return candidates[0]
