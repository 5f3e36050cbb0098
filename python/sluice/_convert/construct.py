"""The description of a source if, while or for that the runtime needs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .names import bindings, parts


@dataclass(frozen=True)
class Construct:
    """One statement with blocks.

    Variables have their source names. Assigned attributes and elements are not
    included, because the recorder sees the assignments when they run.
    """

    kind: str  # "if", "while", "for", "with", "a conditional expression"
    filename: str
    line: int
    lines: tuple[int, int] = (0, 0)  # of the two branches
    modified: tuple[str, ...] = ()  # assigned in its blocks
    mutated: frozenset[str] = frozenset()  # x[i] = y, in the blocks or what follows
    after: frozenset[str] = frozenset()  # read when it is over
    header: frozenset[str] = frozenset()  # read by the next iteration
    again: frozenset[str] = frozenset()  # the same, if a next iteration is certain
    # Assigned by what follows it in its block, where it may leave that block.
    rest_modified: tuple[str, ...] = ()
    end: frozenset[str] = frozenset()  # read after that
    on_break: frozenset[str] = frozenset()  # read after the enclosing loop
    on_continue: frozenset[str] = frozenset()  # read by that loop's next iteration
    shared: frozenset[str] = frozenset()  # global and nonlocal: always read later
    one_leaves: bool = False  # one of its branches never reaches its end
    breaks: bool = False
    returns: bool = False
    endless: bool = False  # while True
    simple_test: bool = False  # the condition calls nothing and cannot fail
    raises: frozenset[int] = frozenset()  # lines of raise statements

    @property
    def place(self) -> str:
        """For messages."""
        return f"{self.filename}:{self.line}"


def appended(node: ast.AST, is_local: Callable[[str], bool]) -> str | None:
    """The x of a statement x.append(y), if x is a variable of the function."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    call = node.value
    if call.keywords or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    f = call.func
    if not isinstance(f, ast.Attribute) or f.attr != "append":
        return None
    if isinstance(f.value, ast.Name) and is_local(f.value.id):
        return f.value.id
    return None


@dataclass
class Stored:
    """Variables that statements change."""

    names: set[str]
    shared: set[str]  # of those: global and nonlocal ones
    mutated: set[str]  # of those: variables with an assigned element

    @property
    def all(self) -> tuple[str, ...]:
        """All names in a fixed order."""
        return tuple(sorted(self.names))


def stored(nodes: Iterable[ast.AST], is_local: Callable[[str], bool]) -> Stored:
    """The variables that these statements change when they run."""
    nodes = list(nodes)
    made = bindings(nodes)
    names = {n for n in made.names if is_local(n)}
    shared = made.names - names
    mutated = set()
    for node in parts(nodes, ast.Subscript, ast.Expr):
        appends = appended(node, is_local)
        if appends:
            names.add(appends)
        if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
            continue
        target: ast.AST = node
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name) and is_local(target.id):
            mutated.add(target.id)
            names.add(target.id)
    return Stored(names | shared, shared, mutated)
