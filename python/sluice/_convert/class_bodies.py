"""Class statements inside converted functions.

The body of a class runs once, in place. Functions inside it do not see its names, so no
part of it can become a function. Calls and attributes are rewritten, and expressions
that Python evaluates conditionally stay. Methods are converted when they are called.
"""

from __future__ import annotations

import ast
from typing import Any

from .expressions import Expressions, at, load, runtime_call
from .notes import Unit
from .prepare import Prepare
from .source import first_line


class _Body(Expressions):
    """Rewrites the statements of a class."""

    def _as_it_is(self, node: ast.AST) -> Any:
        return node

    visit_FunctionDef = _as_it_is
    visit_AsyncFunctionDef = _as_it_is
    visit_Lambda = _as_it_is
    visit_ClassDef = _as_it_is
    visit_ListComp = _as_it_is
    visit_SetComp = _as_it_is
    visit_DictComp = _as_it_is
    visit_GeneratorExp = _as_it_is

    def _inside(self, node: ast.AST) -> Any:
        return self.generic_visit(node)

    visit_BoolOp = _inside
    visit_IfExp = _inside
    visit_Compare = _inside

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        return super().visit_UnaryOp(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def rewritten_class(unit: Unit, node: ast.ClassDef) -> list[ast.stmt]:
    """The statement, and a call that reports the class it made."""
    unit.untouched.add((node.name, first_line(node)))
    body = _Body(None)
    names = Prepare(node.name)
    node.body = [body.visit(names.visit(statement)) for statement in node.body]
    made = ast.Expr(runtime_call("defined", load(node.name)))
    return [node, at(made, node)]
