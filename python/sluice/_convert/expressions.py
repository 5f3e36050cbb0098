"""Expressions rewritten: and, or, not, a if b else c, a < b < c, in, calls.

Operands that Python evaluates conditionally become lambdas, so that the runtime
decides. An operand with an assignment expression stays, because a lambda could not
assign the variable.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from .code_reads import ADDERS
from .codes import RUNTIME, THUNK
from .names import parts
from .source import copied
from .trees import Transformer, children, walk

_COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}

_TRUTH = "_sl_truth"


def asked_for_truth(test: ast.expr) -> ast.expr:
    """Marks `a and b` where only its truth matters, as in `if a and b`. Elsewhere its
    value is one of the operands."""
    if isinstance(test, ast.BoolOp):
        setattr(test, _TRUTH, True)
        for part in test.values:
            asked_for_truth(part)
    return test


def load(name: str) -> ast.Name:
    """A read of a variable."""
    return ast.Name(name, ast.Load())


def runtime_call(function: str, *args: ast.expr) -> ast.Call:
    """A call of one of the runtime's functions."""
    f = ast.Attribute(load(RUNTIME), function, ast.Load())
    return ast.Call(f, list(args), [])


def thunk(body: ast.expr) -> ast.Lambda:
    """The expression as a lambda, evaluated on demand."""
    mark = ast.arg(THUNK)
    return ast.Lambda(ast.arguments([], [], mark, [], [], None, []), body)


def at(new: Any, old: ast.AST) -> Any:
    """The new node at the old node's place in the source. Inner nodes that already have
    a place keep it: they come from the source, or were placed before."""
    ast.copy_location(new, old)
    waiting = children(new)
    while waiting:
        node = waiting.pop()
        if "lineno" not in node.__dict__:
            if "lineno" in node._attributes:
                ast.copy_location(node, old)
            waiting += children(node)
    return new


def asserted(node: ast.Assert) -> ast.Assert:
    """The assertion, rewritten so that the runtime can check it in the graph."""
    message = node.msg or ast.Constant(None)
    line = ast.Constant(node.lineno)
    test = runtime_call("check", node.test, thunk(message), line)
    made: ast.Assert = at(ast.Assert(test, node.msg and copied(node.msg)), node)
    return made


def _assigns(*nodes: ast.expr) -> bool:
    return bool(parts(nodes, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))


def _grows(f: ast.expr) -> tuple[ast.expr, str, str] | None:
    """The parts a, b and append of a.b.append."""
    if not isinstance(f, ast.Attribute) or f.attr not in ADDERS:
        return None
    inner = f.value
    if not isinstance(inner, ast.Attribute):
        return None
    return inner.value, inner.attr, f.attr


def _as_value(index: ast.expr) -> ast.expr:
    """An index with its slices as slice objects."""
    if isinstance(index, ast.Slice):
        none = ast.Constant(None)
        parts = [p or none for p in (index.lower, index.upper, index.step)]
        return at(runtime_call("slice", *parts), index)
    if isinstance(index, ast.Tuple):
        index.elts = [_as_value(part) for part in index.elts]
    return index


def _hashed(key: ast.expr) -> ast.expr:
    """A key of a new dict or an element of a new set."""
    if isinstance(key, (ast.Constant, ast.Starred)):
        return key
    made: ast.expr = at(runtime_call("hashed", key), key)
    return made


class Expressions(Transformer):
    """Rewrites the expressions of statements. Inner functions are left unchanged."""

    def __init__(self, first_argument: str | None) -> None:
        self._first = first_argument  # the object that super() uses

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        lazy = _assigns(*node.values[1:])
        truth = getattr(node, _TRUTH, False)
        self.generic_visit(node)
        if lazy:
            return node
        names = ("both", "either") if truth else ("and_", "or_")
        name = names[not isinstance(node.op, ast.And)]
        call = runtime_call(name, node.values[0], *map(thunk, node.values[1:]))
        return at(call, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            asked_for_truth(node.operand)
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return at(runtime_call("not_", node.operand), node)
        if isinstance(node.operand, ast.Constant):
            return node
        op = ast.Constant(_UNARY[type(node.op)])
        return at(runtime_call("unary", op, node.operand), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return node
        op = ast.Constant(_BINARY[type(node.op)])
        return at(runtime_call("binary", op, node.left, node.right), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        lazy = _assigns(node.body, node.orelse)
        asked_for_truth(node.test)
        self.generic_visit(node)
        if lazy:
            return node
        call = runtime_call("if_exp", node.test, thunk(node.body), thunk(node.orelse))
        return at(call, node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        lazy = _assigns(*node.comparators[1:])
        self.generic_visit(node)
        ops = [_COMPARE[type(op)] for op in node.ops]
        if lazy:
            return node
        if len(ops) == 1 and ops[0] in ("is", "is not"):
            sides = (node.left, node.comparators[0])
            if any(isinstance(s, ast.Constant) and s.value is None for s in sides):
                return node  # numbers and tensors are never None
            name = "is_" if ops[0] == "is" else "is_not"
            return at(runtime_call(name, *sides), node)
        if len(ops) == 1 and ops[0] not in ("in", "not in"):
            op = ast.Constant(ops[0])
            call = runtime_call("binary", op, node.left, node.comparators[0])
            return at(call, node)
        if len(ops) == 1:
            name = "contains" if ops[0] == "in" else "lacks"
            return at(runtime_call(name, node.left, node.comparators[0]), node)
        texts = ast.Tuple([ast.Constant(op) for op in ops], ast.Load())
        call = runtime_call(
            "compare", texts, node.left, node.comparators[0],
            *map(thunk, node.comparators[1:]),
        )
        return at(call, node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr == "grad_fn":
            return at(runtime_call("grad_fn", node.value), node)
        if isinstance(node.ctx, ast.Load):
            call = runtime_call("attr", node.value, ast.Constant(node.attr))
            return at(call, node)
        node.value = at(runtime_call("place", node.value), node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        parts: list[ast.expr] = []
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                parts.append(part)
                continue
            spec: ast.expr = ast.Constant("")
            if part.format_spec is not None:
                spec = self.visit(part.format_spec)
            made = [self.visit(part.value), ast.Constant(part.conversion), spec]
            parts.append(ast.Tuple(made, ast.Load()))
        return at(runtime_call("text", *parts), node)

    def visit_withitem(self, node: ast.withitem) -> Any:
        self.generic_visit(node)
        place = node.context_expr
        node.context_expr = at(runtime_call("context", place), place)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):  # x += y may change x in place
            call = runtime_call("adding", load(node.target.id), node.value)
            node.value = at(call, node.value)
        elif isinstance(node.target, ast.Subscript):
            base = node.target.value
            node.target.value = at(runtime_call("added_to", base), base)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args and not node.keywords and self._first:
                node.args = [at(load("__class__"), node), at(load(self._first), node)]
            return node
        f = node.func
        if isinstance(f, ast.Attribute) and f.attr == "is_contiguous":
            if not node.args and not node.keywords:
                return at(runtime_call("contiguous", self.visit(f.value)), node)
        grows = None if node.keywords else _grows(node.func)
        if grows is not None:
            base, name, adder = grows
            node.func = at(
                runtime_call(
                    "grow", self.visit(base), ast.Constant(name), ast.Constant(adder)
                ),
                node.func,
            )
            node.args = [self.visit(arg) for arg in node.args]
            return node
        self.generic_visit(node)
        node.func = at(runtime_call("call", node.func), node.func)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        for name in ("exc", "cause"):
            error = getattr(node, name)
            if error is not None:
                setattr(node, name, at(runtime_call("raised", error), error))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        base, index = node.value, node.slice
        is_shape = isinstance(base, ast.Attribute) and base.attr == "shape"
        loads = isinstance(node.ctx, ast.Load)
        if is_shape and loads and not isinstance(index, ast.Slice):
            assert isinstance(base, ast.Attribute)
            call = runtime_call("shape", self.visit(base.value), self.visit(index))
            return at(call, node)
        if not loads and isinstance(base, ast.Subscript):
            inner = self.visit(base.value), _as_value(self.visit(base.slice))
            node.value = at(runtime_call("row", *inner), base)
            node.slice = self.visit(index)
            return node
        self.generic_visit(node)
        if not loads:
            node.value = at(runtime_call("place", node.value), node.value)
            return node
        return at(runtime_call("item", node.value, _as_value(node.slice)), node)

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = at(runtime_call("items", node.value), node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if any(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets):
            if not isinstance(node.value, (ast.Tuple, ast.List)):
                node.value = at(runtime_call("unpacked", node.value), node.value)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        first = node.generators[0]
        simple = len(node.generators) == 1 and isinstance(first.target, ast.Name)
        if not simple or first.ifs or first.is_async or _assigns(node.elt):
            return self.generic_visit(node)
        if any(isinstance(n, (ast.Lambda, ast.GeneratorExp)) for n in walk(node)):
            return self.generic_visit(node)  # closures see the last item only
        assert isinstance(first.target, ast.Name)
        element = thunk(self.visit(node.elt))
        element.args.args = [ast.arg(first.target.id)]
        if sys.version_info < (3, 12):
            element.args.vararg = None  # list elements have their own scope
        return at(runtime_call("listed", self.visit(first.iter), element), node)

    def visit_Dict(self, node: ast.Dict) -> Any:
        self.generic_visit(node)
        node.keys = [None if key is None else _hashed(key) for key in node.keys]
        return node

    def visit_Set(self, node: ast.Set) -> Any:
        self.generic_visit(node)
        node.elts = [_hashed(part) for part in node.elts]
        return node

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        self.generic_visit(node)
        node.key = _hashed(node.key)
        return node

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        self.generic_visit(node)
        node.elt = _hashed(node.elt)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        for test in node.ifs:
            asked_for_truth(test)
        self.generic_visit(node)
        node.iter = at(runtime_call("items", node.iter), node.iter)
        node.ifs = [at(runtime_call("filter", test), test) for test in node.ifs]
        return node
