"""Walks syntax trees several times as fast as `ast`.

Code is converted when it is first called, and nearly all of that time goes into
visiting nodes. The visitors of `ast` read all fields of every node, and build method
names from strings. Here each node class is examined once: which fields may hold nodes,
and which method visits it. Contexts and operators, a third of all nodes, are not
visited, because no visitor needs them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

# Fields that never hold visited nodes: strings, numbers, contexts, operators.
_PLAIN = frozenset(
    "ctx op ops id attr arg kind level module is_async conversion simple type_comment "
    "rest".split()
)
_fields: dict[type, tuple[str, ...]] = {
    ast.Name: (), ast.Constant: (), ast.Global: (), ast.Nonlocal: (), ast.alias: ()
}  # fmt: skip


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    known = _fields.get(kind)
    if known is None:
        known = tuple(name for name in kind._fields if name not in _PLAIN)
        _fields[kind] = known
    return known


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in source order."""
    found: list[ast.AST] = []
    held = node.__dict__
    for name in _fields_of(type(node)):
        part = held.get(name)
        if type(part) is list:
            found += [p for p in part if isinstance(p, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all its descendants, parents first."""
    found = [node]
    for each in found:
        found += children(each)  # this loop also visits these
    return found


class Visitor:
    """Calls visit_Name for each Name and so on, and generic_visit for other nodes."""

    _methods: ClassVar[dict[type, Callable[[Any, Any], Any]]]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: ast.AST) -> Any:
        """The result of the method for this kind of node."""
        kind = type(node)
        method = self._methods.get(kind)
        if method is None:
            cls = type(self)
            method = getattr(cls, f"visit_{kind.__name__}", cls.generic_visit)
            self._methods[kind] = method
        return method(self, node)

    def generic_visit(self, node: ast.AST) -> Any:
        """Visits the children of a node."""
        for child in children(node):
            self.visit(child)


class Transformer(Visitor):
    """Replaces a node by the result of its visit: a node, a list of nodes, or None."""

    def generic_visit(self, node: ast.AST) -> Any:
        """Visits the children of a node, and gives the node."""
        held = node.__dict__
        for name in _fields_of(type(node)):
            part = held.get(name)
            if type(part) is list:
                part[:] = self._visited(part)
            elif isinstance(part, ast.AST):
                held[name] = self.visit(part)
        return node

    def _visited(self, nodes: list[Any]) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            new = self.visit(node) if isinstance(node, ast.AST) else node
            if isinstance(new, list):
                made += new
            elif new is not None or node is None:  # the key of **d in a dict is None
                made.append(new)
        return made


def locate(node: ast.AST, place: ast.AST) -> None:
    """Gives every node without a source place that of its parent, and the root that of
    `place`."""
    line, end = place.lineno, place.end_lineno  # type: ignore[attr-defined]
    column, last = place.col_offset, place.end_col_offset  # type: ignore[attr-defined]
    waiting = [(node, line, column, end, last)]
    while waiting:
        node, line, column, end, last = waiting.pop()
        if "lineno" in node._attributes:
            held = node.__dict__
            line = held.setdefault("lineno", line)
            column = held.setdefault("col_offset", column)
            if held.get("end_lineno") is None:
                held["end_lineno"] = end
            if held.get("end_col_offset") is None:
                held["end_col_offset"] = last
            end, last = held["end_lineno"], held["end_col_offset"]
        waiting += [(child, line, column, end, last) for child in children(node)]
