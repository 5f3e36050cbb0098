"""Statements that leave their block: return, break, continue, raise."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .trees import children

_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _walk(nodes: Iterable[ast.AST], depth: int) -> Iterable[tuple[ast.AST, int]]:
    """Statements of one scope, each with the number of loops around it in `nodes`."""
    for node in nodes:
        if isinstance(node, _SCOPES) or isinstance(node, ast.expr):
            continue
        yield node, depth
        if isinstance(node, _LOOPS):
            yield from _walk(node.body, depth + 1)
            yield from _walk(node.orelse, depth)
        else:
            yield from _walk(children(node), depth)


def returns(nodes: Iterable[ast.AST]) -> bool:
    """Whether these statements contain a return."""
    return any(isinstance(n, ast.Return) for n, _ in _walk(nodes, 0))


def leaves_loop(nodes: Iterable[ast.AST]) -> bool:
    """Whether a break or continue in them belongs to a loop around them."""
    return any(
        isinstance(n, (ast.Break, ast.Continue)) and depth == 0
        for n, depth in _walk(nodes, 0)
    )


def breaks(body: Iterable[ast.AST]) -> bool:
    """Whether a loop with this body has a break of its own."""
    return any(isinstance(n, ast.Break) and d == 0 for n, d in _walk(body, 0))


def leaves(nodes: Iterable[ast.AST]) -> bool:
    """Whether these statements may be left before their end."""
    nodes = list(nodes)
    return returns(nodes) or leaves_loop(nodes)


def never_ends(block: list[ast.stmt]) -> bool:
    """Whether a block is certainly left before its end. False if in doubt."""
    for node in block:
        if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(node, ast.If):
            if node.orelse and never_ends(node.body) and never_ends(node.orelse):
                return True
        if isinstance(node, ast.With) and never_ends(node.body):
            return True
    return False


def raise_lines(nodes: Iterable[ast.AST]) -> frozenset[int]:
    """The lines of raise statements."""
    return frozenset(n.lineno for n, _ in _walk(nodes, 0) if isinstance(n, ast.Raise))
