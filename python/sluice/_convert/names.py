"""The names that one function scope reads and binds.

Inner functions, lambdas and comprehensions have scopes of their own. Only the names
that they take from the enclosing scope count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .trees import Visitor, children, walk

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CLOSED = (*_SCOPES, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameters(args: ast.arguments) -> set[str]:
    """The names of all parameters."""
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {a.arg for a in named if a}


class _Bound(Visitor):
    """The names that a scope binds itself."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names.add(node.name)
        for part in (*node.decorator_list, *_defaults(node.args)):
            self.visit(part)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.names.add(node.name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in _defaults(node.args):
            self.visit(part)

    def _comprehension(self, node: ast.AST) -> None:
        for part in walk(node):
            if isinstance(part, ast.NamedExpr):
                self.names.add(part.target.id)

    visit_ListComp = visit_SetComp = _comprehension
    visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.names.add((node.asname or node.name).split(".")[0])

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals.update(node.names)

    def _pattern(self, node: ast.AST) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            self.names.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _pattern


def _defaults(args: ast.arguments) -> list[ast.expr]:
    return [*args.defaults, *(d for d in args.kw_defaults if d)]


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that these statements or expressions bind in their scope."""
    return bindings(nodes).names


def bindings(nodes: Iterable[ast.AST]) -> _Bound:
    """The same, with the names declared global and nonlocal."""
    visitor = _Bound()
    for node in nodes:
        visitor.visit(node)
    return visitor


class _Read(Visitor):
    """The names that a piece of code reads in its scope."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.names.add(node.target.id)
        self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, *_defaults(node.args)):
            self.visit(part)
        self.names |= free(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in _defaults(node.args):
            self.visit(part)
        self.names |= free(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        # A class body reads from its enclosing scope the names that it does not bind,
        # or has not bound yet.
        self.generic_visit(node)

    def _comprehension(self, node: ast.AST) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore
        inner = _Read()
        for part in children(node):
            inner.visit(part)
        own = bound(g.target for g in generators)
        self.names |= inner.names - own
        self.visit(generators[0].iter)

    visit_ListComp = visit_SetComp = _comprehension
    visit_DictComp = visit_GeneratorExp = _comprehension


def reads(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that these statements or expressions read from their scope or an
    enclosing one."""
    visitor = _Read()
    for node in nodes:
        visitor.visit(node)
    return visitor.names


def free(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The names that a function takes from enclosing scopes."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    own = bindings(body)
    taken = reads(body) | own.nonlocals
    local = (own.names - own.nonlocals) | parameters(node.args)
    return taken - local


def parts(nodes: Iterable[ast.AST], *kinds: type) -> list[ast.AST]:
    """Nodes of these kinds in one scope, without inner functions and classes."""
    found: list[ast.AST] = []
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, kinds):
            found.append(node)
        if not isinstance(node, _CLOSED):
            waiting += children(node)[::-1]
    return found
