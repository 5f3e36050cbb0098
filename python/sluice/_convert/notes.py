"""Collects the description of every construct for the runtime."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from . import exits
from .construct import Construct, stored
from .liveness import Liveness
from .trees import walk


@dataclass
class Unit:
    """Data shared by the functions of one tree."""

    filename: str
    constructs: list[Construct] = field(default_factory=list)
    helpers: int = 0
    untouched: set[tuple[str, int]] = field(default_factory=set)  # name, line



_SIMPLE = (
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.BinOp,
    ast.UnaryOp,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)


def _is_simple(test: ast.expr) -> bool:
    return all(isinstance(node, _SIMPLE) for node in walk(test))


def note(
    unit: Unit,
    live: Liveness,
    is_local: Callable[[str], bool],
    node: ast.If | ast.While | ast.For | ast.With,
    rest: list[ast.stmt],
) -> int:
    """Adds the description of a construct. Gives its number."""
    changed = stored([node], is_local)
    later = stored(rest, is_local)
    after, end = live.after[node], live.end[node]
    shared = changed.shared | later.shared  # anyone may read these
    orelse = [] if isinstance(node, ast.With) else node.orelse
    second = orelse[0].lineno if orelse else node.lineno
    is_loop = isinstance(node, (ast.While, ast.For))
    test = getattr(node, "test", None)
    construct = Construct(
        kind=type(node).__name__.lower(),
        filename=unit.filename,
        line=node.lineno,
        lines=(node.body[0].lineno, second),
        modified=changed.all,
        mutated=frozenset(changed.mutated | later.mutated),
        after=after | changed.shared,
        header=live.header.get(node, frozenset()) | changed.shared,
        again=live.again.get(node, frozenset()) | changed.shared,
        rest_modified=later.all,
        end=end | shared,
        on_break=live.on_break[node] | shared,
        on_continue=live.on_continue[node] | shared,
        shared=frozenset(shared),
        one_leaves=exits.never_ends(node.body) or exits.never_ends(orelse),
        breaks=is_loop and exits.breaks(node.body),
        returns=exits.returns([node]),
        endless=isinstance(test, ast.Constant) and bool(test.value),
        simple_test=test is not None and _is_simple(test),
        raises=exits.raise_lines([node]),
    )
    unit.constructs.append(construct)
    return len(unit.constructs) - 1
