"""Prepares a function's tree for analysis and rewriting."""

from __future__ import annotations

import ast
from typing import Any

from .errors import Unconvertible
from .names import parts
from .trees import Transformer

_SEES_FRAMES = frozenset({"locals", "vars", "eval", "exec", "dir"})


def check(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
    """Throws Unconvertible if the function as a whole cannot be rewritten."""
    if isinstance(node, ast.AsyncFunctionDef):
        raise Unconvertible("it is async", node.lineno)
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    for part in parts(body, ast.Yield, ast.YieldFrom):
        raise Unconvertible(
            "it is a generator; return a list, or write the loop where it is used",
            part.lineno,  # type: ignore[attr-defined]
        )
    check_frames(body)


def check_frames(body: Any) -> None:
    """Throws Unconvertible if code inspects its own variables."""
    for part in parts(body, ast.Call):
        f = part.func  # type: ignore[attr-defined]
        if isinstance(f, ast.Name) and f.id in _SEES_FRAMES:
            if f.id in ("eval", "exec") or not part.args:  # type: ignore
                raise Unconvertible(
                    f"it calls {f.id}(), which sees the variables of the function "
                    "as they are written",
                    part.lineno,  # type: ignore[attr-defined]
                )


class Prepare(Transformer):
    """Mangles private names as Python does, and moves while tests that assign into the
    loop."""

    def __init__(self, class_name: str | None) -> None:
        self._class = (class_name or "").lstrip("_")

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if self._class and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self._class}{node.attr}"
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node  # private names inside belong to that class

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        if not parts([node.test], ast.NamedExpr):
            return node
        # while t: b else: e  is  while True: if t: b else: e; break
        leave = ast.copy_location(ast.Break(), node)
        asked = ast.If(node.test, node.body, [*node.orelse, leave])
        ast.copy_location(asked, node)
        always = ast.copy_location(ast.Constant(True), node)
        return ast.copy_location(ast.While(always, [asked], []), node)
