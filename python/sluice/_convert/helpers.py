"""Makes functions of source blocks for the rewritten code."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from . import exits
from .codes import ERROR, RESULT
from .construct import appended
from .expressions import at, load, runtime_call
from .names import bindings, parts


@dataclass(frozen=True)
class BlockNames:
    """The names that a block assigns."""

    bound: set[str]  # all names
    local: set[str]  # variables of the function, and our own


def block_names(
    source: list[ast.stmt], binds: list[ast.AST], is_local: Callable[[str], bool]
) -> BlockNames:
    """The names that these statements assign, and those bound before they run."""
    bound = bindings([*source, *binds]).names
    local = {name for name in bound if is_local(name)}
    for node in parts(source, ast.Expr):
        grows = appended(node, is_local)
        if grows:
            local.add(grows)
    if exits.returns(source):
        local.add(RESULT)
    return BlockNames(bound, local)


def block_function(
    name: str,
    own: set[str],
    shared: set[str],
    body: list[ast.stmt],
    place: ast.AST,
    parameter: str | None,
) -> ast.FunctionDef:
    """A function that assigns enclosing and global variables."""
    declared: list[ast.stmt] = []
    if own:
        declared.append(ast.Nonlocal(sorted(own)))
    if shared:
        declared.append(ast.Global(sorted(shared)))
    arguments = [ast.arg(parameter)] if parameter else []
    made = ast.FunctionDef(
        name,
        ast.arguments([], arguments, None, [], [], None, []),
        [*declared, *body] or [ast.Pass()],
        [],
        None,
    )
    if hasattr(ast, "TypeAlias"):  # Python 3.12 has one more field
        made.type_params = []  # type: ignore[attr-defined]
    at(made, place)
    return made


def local_names(body: list[ast.stmt], place: ast.AST) -> list[ast.stmt]:
    """The body of a try or with. Its errors about unbound variables have the class that
    the surrounding code expects."""
    renamed = runtime_call("as_local", load(ERROR))
    raised = ast.Raise(renamed, ast.Constant(None))
    handler = ast.ExceptHandler(runtime_call("unbound"), ERROR, [raised])
    return [at(ast.Try(body, [handler], [], []), place)]


def header(node: ast.AST) -> ast.AST:
    """The source place of the first line of a statement with blocks."""
    last = getattr(node, "test", None) or getattr(node, "iter", None)
    items = getattr(node, "items", None)
    if items:
        last = items[-1].context_expr
    place = ast.copy_location(ast.Pass(), node)
    if last is not None:
        place.end_lineno, place.end_col_offset = last.end_lineno, last.end_col_offset
    return place
