"""Rewrites the expressions of generators. Their statements stay.

A generator suspends in the middle of its blocks, so the blocks cannot become functions.
Its branches and loops remain Python's and cannot be part of a graph. Its reads and
writes outside are reported to the recorder, as those of any other converted code, each
time it resumes.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from .class_bodies import rewritten_class
from .expressions import Expressions, asked_for_truth, asserted, at, runtime_call
from .imports import rewritten
from .notes import Unit
from .source import first_line


class GeneratorRewriter(Expressions):
    """Rewrites one generator. Functions inside it have rewriters of their own."""

    def __init__(self, unit: Unit, node: ast.FunctionDef) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args]
        super().__init__(arguments[0].arg if arguments else None)
        self._unit = unit
        self._node = node

    def rewrite(self) -> ast.FunctionDef:
        """The generator's new tree."""
        node = copy.copy(self._node)
        body: list[ast.stmt] = []
        for statement in node.body:
            made = self.visit(statement)
            body += made if isinstance(made, list) else [made]
        node.body = body
        return node

    # Nodes with a code of their own are converted when they are called.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self._unit.untouched.add((node.name, first_line(node)))
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        self._unit.untouched.add((node.name, first_line(node)))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return rewritten_class(self._unit, node)

    # Statements.

    def _asked(self, node: ast.If | ast.While) -> Any:
        asked_for_truth(node.test)
        self.generic_visit(node)
        node.test = at(runtime_call("true", node.test), node.test)
        return node

    visit_If = _asked
    visit_While = _asked

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.iter = at(runtime_call("items", node.iter), node.iter)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        self.generic_visit(node)
        node.value = at(runtime_call("items", node.value), node.value)
        return node

    def visit_Try(self, node: ast.Try) -> Any:
        self.generic_visit(node)
        if node.handlers:
            # Handlers must see the code's own errors only, not refusals to record it.
            passed = ast.ExceptHandler(runtime_call("refusal"), None, [ast.Raise()])
            node.handlers.insert(0, at(passed, node))
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        node.subject = at(runtime_call("matched", node.subject), node.subject)
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        asked_for_truth(node.test)
        self.generic_visit(node)
        return asserted(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if not isinstance(node.target, ast.Name) or node.value is None:
            return node if node.value is None else self.generic_visit(node)
        return at(ast.Assign([node.target], self.visit(node.value)), node)

    def visit_Import(self, node: ast.Import) -> Any:
        return rewritten(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        return rewritten(node)
