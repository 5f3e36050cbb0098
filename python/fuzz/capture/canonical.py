"""Canonical forms of programs: equal forms suggest equal causes."""

from __future__ import annotations

import ast
import re

_MADE = re.compile(r"^[a-z]+_?\d+$")


class _Plain(ast.NodeTransformer):
    """Names in their order of appearance, numbers as 1.0, tensors as `values`."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if _MADE.match(node.id):
            new = self.names.setdefault(node.id, f"n{len(self.names)}")
            return ast.copy_location(ast.Name(new, node.ctx), node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, float):
            return ast.copy_location(ast.Constant(1.0), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "T.tensor":
            return ast.copy_location(ast.Name("values", ast.Load()), node)
        return self.generic_visit(node)


def form(text: str) -> str:
    """The form of a reduced program."""
    return ast.unparse(_Plain().visit(ast.parse(text)))
