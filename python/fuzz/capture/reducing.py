"""Makes a program that fails as small as it can be.

Works on the syntax tree: takes statements away in halves, then one by one, puts the
body of a compound statement in its place, and parts of expressions in place of the
whole; keeps what still fails in the same manner. Names that begin with `k_` bound
loops: what mentions them is left alone.
"""

from __future__ import annotations

import ast
import collections
import copy
import itertools
from collections.abc import Callable, Iterator

Keeps = Callable[[str], bool]
Edit = Callable[[ast.Module], bool]  # False: not possible in this tree

# Data stays data: numbers in place of tensors would be another failure.
_DATA = {"T.tensor", "T.nn.Parameter"}
_FIELDS = ("body", "orelse", "finalbody", "handlers")


def _bounds_a_loop(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id.startswith("k_") for n in ast.walk(node))


def _bodies(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Every list of statements, in an order that a copy of the tree keeps."""
    return [
        (node, field)
        for node in ast.walk(tree)
        for field in _FIELDS
        if isinstance(getattr(node, field, None), list) and getattr(node, field)
    ]


def _keeps_bound(statement: ast.AST) -> bool:
    """Whether a statement of a loop's body counts or ends it."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        return _bounds_a_loop(statement)
    return isinstance(statement, ast.If) and _bounds_a_loop(statement.test)


def _remove(place: int, start: int, stop: int) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node, field = _bodies(tree)[place]
        body = getattr(node, field)
        loops = isinstance(node, (ast.While, ast.For))
        if loops and any(_keeps_bound(s) for s in body[start:stop]):
            return False
        del body[start:stop]
        if not body and field == "body":
            body.append(ast.Pass())
        return True
    return edit


def _unwrap(place: int, index: int, field: str) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node, own = _bodies(tree)[place]
        body = getattr(node, own)
        inner = getattr(body[index], field, None)
        if not inner or field == "handlers" or isinstance(
                body[index], (ast.FunctionDef, ast.ClassDef)):
            return False
        body[index:index + 1] = inner
        return True
    return edit


def _statement_edits(tree: ast.Module) -> Iterator[Edit]:
    sizes = [len(getattr(node, field)) for node, field in _bodies(tree)]
    for place, size in enumerate(sizes):
        step = size
        while step:
            for start in range(size - step, -1, -step):
                yield _remove(place, start, start + step)
            step //= 2
    for place, size in enumerate(sizes):
        for index in range(size):
            for field in ("body", "orelse"):
                yield _unwrap(place, index, field)


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those inside of a tensor's numbers, outermost first."""
    left = collections.deque([tree])
    while left:
        node = left.popleft()
        yield node
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) in _DATA):
            left.extend(ast.iter_child_nodes(node))


def _slots(tree: ast.Module) -> list[tuple[ast.AST, str, int | None]]:
    """Every place that holds an expression which may be another."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in _walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _DATA:
            continue
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [(node, field, i) for i, item in enumerate(value)
                          if isinstance(item, ast.expr)]
    return found


def _get(slot: tuple[ast.AST, str, int | None]) -> ast.expr:
    node, field, index = slot
    value = getattr(node, field)
    made: ast.expr = value if index is None else value[index]
    return made


def _put(slot: tuple[ast.AST, str, int | None], new: ast.expr) -> None:
    node, field, index = slot
    if index is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[index] = new


def _children(e: ast.expr) -> list[ast.expr]:
    inner = [n for n in ast.walk(e) if isinstance(n, ast.expr) and n is not e]
    return [n for n in inner if not isinstance(getattr(n, "ctx", None), ast.Store)]


def _replace(place: int, which: int) -> Edit:
    """An expression by one inside of it, or by x or 1.0."""
    def edit(tree: ast.Module) -> bool:
        slot = _slots(tree)[place]
        old = _get(slot)
        if isinstance(getattr(old, "ctx", None), ast.Store) or _bounds_a_loop(old):
            return False
        if isinstance(old, ast.Call) and ast.unparse(old.func) in _DATA:
            return False
        inner = _children(old)
        if which < len(inner):
            _put(slot, inner[which])
            return True
        simple = ["x", "1.0", "True"]
        if which - len(inner) >= len(simple):
            return False
        text = simple[which - len(inner)]
        if isinstance(old, (ast.Name, ast.Constant)) and (
                ast.unparse(old) in simple or not isinstance(old, ast.Name)):
            return False
        _put(slot, ast.parse(text, mode="eval").body)
        return True
    return edit


def _expression_edits(tree: ast.Module) -> Iterator[Edit]:
    for place, slot in enumerate(_slots(tree)):
        old = _get(slot)
        if isinstance(old, ast.Constant) or isinstance(
                getattr(old, "ctx", None), ast.Store):
            continue
        count = min(len(_children(old)), 6)
        last = len(_children(old))
        order = [last, *range(count), last + 1, last + 2]
        for which in order:
            yield _replace(place, which)


def _argument_edits(tree: ast.Module) -> Iterator[Edit]:
    """Keyword arguments, decorators, and elements of tuples and lists."""
    for place, node in enumerate(list(ast.walk(tree))):
        for field in ("keywords", "decorator_list", "elts", "names"):
            for index in range(len(getattr(node, field, ()) or ())):
                yield _drop(place, field, index)


def _drop(place: int, field: str, index: int) -> Edit:
    def edit(tree: ast.Module) -> bool:
        node = list(ast.walk(tree))[place]
        items = getattr(node, field)
        if field != "keywords" and len(items) == 1 and field != "decorator_list":
            return False
        if field == "decorator_list" and ast.unparse(items[index]) == "wrap":
            return False
        del items[index]
        return True
    return edit


class _Reducer:
    def __init__(self, keeps: Keeps, budget: int) -> None:
        self.keeps = keeps
        self.left = budget
        self.tried: set[str] = set()

    def attempt(self, tree: ast.Module, edit: Edit) -> ast.Module | None:
        changed = copy.deepcopy(tree)
        try:
            if not edit(changed):
                return None
            text = ast.unparse(ast.fix_missing_locations(changed))
            ast.parse(text)
        except Exception:  # no tree that stands for a program
            return None
        if text in self.tried:
            return None
        self.tried.add(text)
        self.left -= 1
        return ast.parse(text) if self.keeps(text) else None

    def sweep(self, tree: ast.Module, edits: Callable[[ast.Module], Iterator[Edit]]
              ) -> ast.Module:
        """All edits, each once: after one that was kept, those at its place and on."""
        done = 0
        while self.left > 0:
            for edit in itertools.islice(edits(tree), done, None):
                changed = self.attempt(tree, edit)
                if changed is not None:
                    tree = changed
                    break
                done += 1
                if self.left <= 0:
                    return tree
            else:
                return tree
        return tree


def reduced(text: str, keeps: Keeps, budget: int = 1500) -> str:
    """The smallest text found that `keeps` still holds of."""
    reducer = _Reducer(keeps, budget)
    tree = ast.parse(text)
    while reducer.left > 0:
        before = ast.unparse(tree)
        for edits in (_statement_edits, _argument_edits, _expression_edits):
            tree = reducer.sweep(tree, edits)
        if ast.unparse(tree) == before:
            break
    return ast.unparse(tree) + "\n"
