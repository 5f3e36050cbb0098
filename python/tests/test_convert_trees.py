"""Walks over syntax trees see what those of `ast` see."""

import ast
import copy
import pathlib

import pytest

import sluice
from sluice._convert import trees

UNSEEN = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
FILES = sorted(pathlib.Path(sluice.__file__).parent.glob("_convert/*.py"))
MATCH = ast.parse("""
match x:
    case {"a": [1, *rest], **others} if rest: y = {**others, 1: -x}
    case Point(x=0) | None as p: pass
async def f(a, /, b=1, *c, d, e=2, **g):
    async with a as b, c: yield
    try: import os.path as q
    except* (A, B) as e: raise e from None
    return [i async for i in a if i], f"{a!r:>{b}}", lambda *z: not z, a[1:2, ...]
class C(B, metaclass=M):
    x: int = 1
""") if hasattr(ast, "TryStar") else ast.parse("x = 1")
TREES = [ast.parse(p.read_text()) for p in FILES] + [MATCH]


@pytest.mark.parametrize("tree", TREES, ids=[p.stem for p in FILES] + ["match"])
def test_walk_sees_the_nodes_that_ast_walks(tree):
    assert trees.walk(tree) == [n for n in ast.walk(tree) if not isinstance(n, UNSEEN)]


def test_visitors_go_in_the_order_of_ast():
    class Ours(trees.Visitor):
        def __init__(self):
            self.seen = []

        def visit_Name(self, node):
            self.seen.append((node.id, node.lineno, node.col_offset))

    class Theirs(ast.NodeVisitor):
        __init__, visit_Name = Ours.__init__, Ours.visit_Name

    for tree in TREES:
        ours, theirs = Ours(), Theirs()
        ours.visit(tree)
        theirs.visit(tree)
        assert ours.seen == theirs.seen


def test_transformers_replace_split_and_drop_as_those_of_ast():
    class Change:
        def visit_Pass(self, node):
            return None

        def visit_Assign(self, node):
            self.generic_visit(node)
            return [node, ast.copy_location(ast.Pass(), node)]

        def visit_Name(self, node):
            return ast.copy_location(ast.Name(node.id * 2, node.ctx), node)

    class Ours(Change, trees.Transformer):
        pass

    class Theirs(Change, ast.NodeTransformer):
        pass

    for tree in TREES:
        ours = Ours().visit(copy.deepcopy(tree))
        theirs = Theirs().visit(copy.deepcopy(tree))
        assert ast.dump(ours) == ast.dump(theirs)


def test_nodes_without_a_place_get_that_of_the_node_around_them():
    def module():
        inner = ast.BinOp(ast.Name("a", ast.Load()), ast.Add(), ast.Constant(1))
        kept = ast.parse("\n\nb = c").body[0]
        return ast.Module([ast.If(inner, [kept, ast.Expr(ast.Constant(2))], [])], [])

    place = ast.parse("\nwhile x: pass").body[0]
    ours, theirs = module(), module()
    ast.copy_location(theirs.body[0], place)
    ast.fix_missing_locations(theirs)
    trees.locate(ours, place)
    assert ast.dump(ours, include_attributes=True) == ast.dump(
        theirs, include_attributes=True
    )
    compile(ours, "f", "exec")
