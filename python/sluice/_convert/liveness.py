"""Liveness analysis: the variables that a branch or loop must pass on.

It walks the statements of one function backwards. `after` of a construct holds the
variables read after it. `header` of a loop holds those read by its next iteration or
after it, and `again` only those read by the next iteration.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from .names import bound, free, parts, reads

Live = frozenset


@dataclass(frozen=True)
class _Around:
    on_break: Live[str] = frozenset()
    on_continue: Live[str] = frozenset()
    on_error: Live[str] = frozenset()  # handlers and what follows them


@dataclass
class Liveness:
    """The liveness of one function, as sets of variable names."""

    after: dict[ast.AST, Live[str]] = field(default_factory=dict)
    end: dict[ast.AST, Live[str]] = field(default_factory=dict)  # of its block
    header: dict[ast.AST, Live[str]] = field(default_factory=dict)
    again: dict[ast.AST, Live[str]] = field(default_factory=dict)
    on_break: dict[ast.AST, Live[str]] = field(default_factory=dict)
    on_continue: dict[ast.AST, Live[str]] = field(default_factory=dict)
    # A read of a function's name counts as a read of what the function reads.
    implied: dict[str, set[str]] = field(default_factory=dict)

    def of_function(self, body: list[ast.stmt]) -> None:
        """Fills the tables."""
        for node in parts(body, ast.FunctionDef, ast.AsyncFunctionDef, ast.Assign):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.implied.setdefault(node.name, set()).update(free(node))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        known = self.implied.setdefault(target.id, set())
                        known.update(free(node.value))
        self._block(body, frozenset(), _Around())

    def _reads(self, *nodes: ast.AST | None) -> set[str]:
        names = reads(n for n in nodes if n is not None)
        todo = list(names)
        while todo:
            for name in self.implied.get(todo.pop(), ()):
                if name not in names:
                    names.add(name)
                    todo.append(name)
        return names

    def _block(self, block: list[ast.stmt], after: Live[str], a: _Around) -> Live[str]:
        end = after | a.on_error
        live = after
        for node in reversed(block):
            live = live | a.on_error
            self.after[node] = live
            self.end[node] = end
            self.on_break[node] = a.on_break
            self.on_continue[node] = a.on_continue
            live = frozenset(self._statement(node, live, a)) | a.on_error
        return live

    def _statement(self, node: ast.stmt, after: Live[str], a: _Around) -> Live[str]:
        if isinstance(node, ast.Return):
            return frozenset(self._reads(node.value))
        if isinstance(node, ast.Raise):
            return frozenset(self._reads(node.exc, node.cause)) | a.on_error
        if isinstance(node, ast.Break):
            return a.on_break
        if isinstance(node, ast.Continue):
            return a.on_continue
        if isinstance(node, ast.If):
            live = self._block(node.body, after, a) | self._block(node.orelse, after, a)
            return (live - _surely(node.test)) | self._reads(node.test)
        if isinstance(node, (ast.While, ast.For, ast.AsyncFor)):
            return self._loop(node, after, a)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            live = self._block(node.body, after, a)
            for item in reversed(node.items):
                live -= bound([item])
                live |= self._reads(item.context_expr)
            return live
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, after, a)  # type: ignore[arg-type]
        if isinstance(node, ast.Match):
            live = after
            for case in node.cases:
                inner = self._block(case.body, after, a)
                live |= (inner - bound([case.pattern])) | self._reads(
                    case.pattern, case.guard
                )
            return live | self._reads(node.subject)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return (after - {node.name}) | (self._reads(node) - {node.name})
        return (after - _surely(node)) | self._reads(node)

    def _loop(
        self, node: ast.While | ast.For | ast.AsyncFor, after: Live[str], a: _Around
    ) -> Live[str]:
        # What an iteration reads of the previous one, whatever follows the loop.
        nothing: Live[str] = frozenset()
        self.again[node] = self._header(node, nothing, nothing, a)
        done = self._block(node.orelse, after, a)
        header = self.header[node] = self._header(node, done, after, a)
        if isinstance(node, ast.While):
            return header
        return header | self._reads(node.iter)

    def _header(
        self,
        node: ast.While | ast.For | ast.AsyncFor,
        done: Live[str],
        after: Live[str],
        a: _Around,
    ) -> Live[str]:
        if isinstance(node, ast.While):
            asks, binds = self._reads(node.test), set()
        else:
            asks, binds = set(), bound([node.target])
            asks |= self._reads(node.target)
        header = done | asks
        while True:
            inner = replace(a, on_break=after, on_continue=header)
            first = self._block(node.body, header, inner)
            more = header | (first - binds) | asks
            if more == header:
                return header
            header = more

    def _try(self, node: ast.Try, after: Live[str], a: _Around) -> Live[str]:
        final = self._block(node.finalbody, after, a)
        if node.finalbody:  # every exit runs it
            a = _Around(a.on_break | final, a.on_continue | final, a.on_error | final)
        handled: Live[str] = frozenset()
        for handler in node.handlers:
            live = self._block(handler.body, final, a)
            if handler.name:
                live -= {handler.name}
            handled |= live | self._reads(handler.type)
        inner = replace(a, on_error=a.on_error | handled)
        otherwise = self._block(node.orelse, final, a)
        return self._block(node.body, otherwise, inner)


def _surely(node: ast.AST) -> set[str]:
    """The names that a simple statement always binds."""
    if isinstance(node, ast.Assign):
        return bound(node.targets)
    if isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        return bound([node.target]) if node.value else set()
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Delete)):
        return bound([node])
    return set()
