"""Rewrites functions: their branches and loops become calls of the runtime.

    if p:                   def then(): nonlocal x; x = f(x)
        x = f(x)     ->     __sl__.if_stmt(3, p, then, None)

Blocks become functions without arguments that assign the variables of the enclosing
function. If return, break or continue may leave a block, its function returns how it
ended (NORMAL, BREAK, CONTINUE, RETURN). The code after the block then becomes a
function too, which the runtime calls or skips. The variable __sl_ret holds a returned
value until then.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from . import exits, imports
from .class_bodies import rewritten_class
from .codes import BREAK, CONTINUE, ITEM, RESULT, RETURN, SIGNAL
from .construct import appended
from .errors import Unconvertible
from .expressions import (
    Expressions,
    asked_for_truth,
    asserted,
    at,
    load,
    runtime_call,
    thunk,
)
from .helpers import block_function, block_names, header, local_names
from .liveness import Liveness
from .names import bindings, parameters
from .notes import Unit, note
from .prepare import check
from .source import first_line


@dataclass(frozen=True)
class _Context:
    top: bool  # in the function itself, not in one of our own
    inline: bool = False  # in a try or match, which stays in place


class FunctionRewriter:
    """Rewrites one function. Inner functions have rewriters of their own."""

    def __init__(self, unit: Unit, node: ast.FunctionDef | ast.Lambda) -> None:
        self._unit = unit
        self._node = node
        arguments = [*node.args.posonlyargs, *node.args.args]
        self._expressions = Expressions(arguments[0].arg if arguments else None)
        self._nonlocals: set[str] = set()
        if isinstance(node, ast.Lambda):
            return
        made = bindings(node.body)
        self._globals = made.globals
        self._outer = made.nonlocals
        self._locals = (made.names | parameters(node.args)) - made.globals
        self._locals -= made.nonlocals
        self._live = Liveness()
        self._live.of_function(node.body)

    def rewrite(self) -> ast.FunctionDef | ast.Lambda:
        """The function's new tree. Decorators are kept."""
        node = copy.copy(self._node)
        node.args = self._arguments(node.args)
        if isinstance(node, ast.Lambda):
            node.body = self._expressions.visit(node.body)
            return node
        body = self._block(node.body, _Context(top=True))
        declared: list[ast.stmt] = []
        if self._globals:
            declared.append(ast.Global(sorted(self._globals)))
        if self._outer:
            declared.append(ast.Nonlocal(sorted(self._outer)))
        # Variables of this function that are still assigned somewhere.
        names = sorted((self._nonlocals | self._locals) - parameters(node.args))
        if names:
            targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
            assign = ast.Assign(targets, ast.Constant(None))
            declared.append(ast.If(ast.Constant(False), [assign], []))
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body[start:start] = [at(d, node) for d in declared]
        body = body or [at(ast.Pass(), node)]
        node.body = body
        return node

    def _arguments(self, args: ast.arguments) -> ast.arguments:
        args = copy.copy(args)
        args.defaults = [self._expressions.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self._expressions.visit(d) for d in args.kw_defaults]
        return args

    def _is_local(self, name: str) -> bool:
        return name in self._locals

    # Blocks.

    def _block(self, block: list[ast.stmt], context: _Context) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for i, node in enumerate(block):
            if isinstance(node, (ast.If, ast.While, ast.For)):
                leaves = exits.leaves([node])
                whole = leaves and not context.inline
                rest = block[i + 1 :] if whole else []
                made += self._construct(node, rest, leaves, context)
                if whole:
                    return made
            elif isinstance(node, ast.With) and exits.leaves(node.body):
                made += self._with(node, block[i + 1 :], context)
                if not context.inline:
                    return made
            elif isinstance(node, (ast.Return, ast.Break, ast.Continue)):
                return [*made, *self._leave(node, context)]
            else:
                made += self._statement(node, context)
                if isinstance(node, ast.Raise):
                    return made
        return made

    def _filled(self, block: list[ast.stmt], context: _Context) -> list[ast.stmt]:
        return self._block(block, context) or [at(ast.Pass(), block[0])]

    def _leave(self, node: ast.stmt, context: _Context) -> list[ast.stmt]:
        if isinstance(node, ast.Return):
            value = self._expressions.visit(node.value) if node.value else None
            if context.top:
                return [at(ast.Return(value), node)]
            self._nonlocals.add(RESULT)
            kept = ast.Assign(
                [ast.Name(RESULT, ast.Store())], value or ast.Constant(None)
            )
            return [at(kept, node), at(ast.Return(ast.Constant(RETURN)), node)]
        signal = BREAK if isinstance(node, ast.Break) else CONTINUE
        return [at(ast.Return(ast.Constant(signal)), node)]

    def _statement(self, node: ast.stmt, context: _Context) -> list[ast.stmt]:
        inside = _Context(context.top, inline=True)
        if isinstance(node, ast.FunctionDef):
            return [self._function(node)]
        if isinstance(node, ast.AsyncFunctionDef):
            self._unit.untouched.add((node.name, first_line(node)))
            return [node]
        if isinstance(node, ast.ClassDef):
            return rewritten_class(self._unit, node)
        if isinstance(node, ast.With):
            items = [self._expressions.visit(item) for item in node.items]
            body = local_names(self._filled(node.body, context), node)
            return [at(ast.With(items, body), node)]
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            new = copy.copy(node)
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name)
                setattr(new, name, self._filled(block, inside) if block else [])
            new.handlers = []  # type: ignore[attr-defined]
            for handler in node.handlers:  # type: ignore[attr-defined]
                caught = copy.copy(handler)
                if handler.type:
                    caught.type = self._expressions.visit(handler.type)
                caught.body = self._filled(handler.body, inside)
                new.handlers.append(caught)  # type: ignore[attr-defined]
            if isinstance(node, ast.Try) and node.handlers:
                # Handlers must see the code's own errors only, not refusals.
                passed = ast.ExceptHandler(runtime_call("refusal"), None, [ast.Raise()])
                new.handlers.insert(0, at(passed, node))  # type: ignore[attr-defined]
                new.body = local_names(new.body, node)
            return [new]
        if isinstance(node, ast.Match):
            match = copy.copy(node)
            subject = self._expressions.visit(node.subject)
            match.subject = at(runtime_call("matched", subject), node.subject)
            match.cases = []
            for case in node.cases:
                one = copy.copy(case)
                one.guard = case.guard and self._expressions.visit(case.guard)
                one.body = self._filled(case.body, inside)
                match.cases.append(one)
            return [match]
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return []  # declared at the top
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return imports.rewritten(node)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.value is None:
                return []
            value = self._expressions.visit(node.value)
            return [at(ast.Assign([node.target], value), node)]
        if isinstance(node, ast.Assert):
            asked_for_truth(node.test)
            return [asserted(self._expressions.visit(node))]
        grows = appended(node, self._is_local)
        if grows:
            value = self._expressions.visit(node.value.args[0])  # type: ignore
            call = runtime_call("append", load(grows), value)
            return [at(ast.Assign([ast.Name(grows, ast.Store())], call), node)]
        return [self._expressions.visit(node)]

    def _function(self, node: ast.FunctionDef) -> ast.stmt:
        try:
            check(node)
        except Unconvertible:
            # It runs unconverted, and its callers receive the reason.
            self._unit.untouched.add((node.name, first_line(node)))
            return node
        return FunctionRewriter(self._unit, node).rewrite()  # type: ignore

    # Branches and loops.

    def _helper(
        self,
        kind: str,
        source: list[ast.stmt],
        body: list[ast.stmt],
        place: ast.AST,
        parameter: str | None = None,
        binds: list[ast.AST] | None = None,
    ) -> ast.FunctionDef:
        """A block as a function that assigns the enclosing variables."""
        assigned = block_names(source, binds or [], self._is_local)
        self._nonlocals |= assigned.local
        own = assigned.local | (assigned.bound & self._outer)
        shared = assigned.bound & self._globals
        self._unit.helpers += 1
        name = f"__sl_{kind}_{self._unit.helpers}"
        return block_function(name, own, shared, body, place, parameter)

    def _block_helper(
        self, kind: str, block: list[ast.stmt], place: ast.AST
    ) -> ast.FunctionDef | None:
        if not block:
            return None
        body = self._block(block, _Context(top=False))
        return self._helper(kind, block, body, place)

    def _construct(
        self,
        node: ast.If | ast.While | ast.For,
        rest: list[ast.stmt],
        leaves: bool,
        context: _Context,
    ) -> list[ast.stmt]:
        key = ast.Constant(note(self._unit, self._live, self._is_local, node, rest))
        made: list[ast.stmt] = []

        def named(helper: ast.FunctionDef | None) -> ast.expr:
            if helper is None:
                return ast.Constant(None)
            made.append(helper)
            return load(helper.name)

        orelse = named(self._block_helper("else", node.orelse, node))
        if isinstance(node, ast.If):
            then = named(self._block_helper("then", node.body, node))
            test = self._expressions.visit(asked_for_truth(node.test))
            call = runtime_call("if_stmt", key, test, then, orelse)
        elif isinstance(node, ast.While):
            body = named(self._block_helper("body", node.body, node))
            test = self._expressions.visit(asked_for_truth(node.test))
            asked = self._helper("test", [], [at(ast.Return(test), test)], node)
            call = runtime_call("while_stmt", key, named(asked), body, orelse)
        else:
            assign = at(ast.Assign([node.target], load(ITEM)), node.target)
            inner = [
                self._expressions.visit(assign),
                *self._block(node.body, _Context(top=False)),
            ]
            step = self._helper("body", node.body, inner, node, ITEM, [node.target])
            items = self._expressions.visit(node.iter)
            call = runtime_call("for_stmt", key, items, named(step), orelse)
        if rest:
            call.args.append(named(self._block_helper("rest", rest, rest[0])))
        return made + self._called(at(call, header(node)), leaves, context, node)

    def _called(
        self, call: ast.expr, leaves: bool, context: _Context, node: ast.stmt
    ) -> list[ast.stmt]:
        place = header(node)
        if not leaves:
            return [at(ast.Expr(call), place)]
        if exits.returns([node]):
            self._nonlocals.add(RESULT)
        if not context.inline:
            if context.top:
                self._nonlocals.add(RESULT)
                call = runtime_call("result", call, thunk(load(RESULT)))
            return [at(ast.Return(call), place)]
        keep = ast.Assign([ast.Name(SIGNAL, ast.Store())], call)
        value = load(RESULT) if context.top else load(SIGNAL)
        if context.top:
            self._nonlocals.add(RESULT)
        line = ast.Constant(node.lineno)
        asked = ast.If(
            runtime_call("leaves", load(SIGNAL), line), [ast.Return(value)], []
        )
        return [at(keep, place), at(asked, place)]

    def _with(
        self, node: ast.With, rest: list[ast.stmt], context: _Context
    ) -> list[ast.stmt]:
        """A with that may be left early. Its body returns how it ended."""
        body = self._block_helper("with", node.body, node)
        assert body is not None
        items = [self._expressions.visit(item) for item in node.items]
        name = ast.Name(SIGNAL, ast.Store())
        kept = ast.Assign([name], ast.Call(load(body.name), [], []))
        made = [
            body,
            at(ast.Assign([ast.Name(SIGNAL, ast.Store())], ast.Constant(None)), node),
            at(ast.With(items, local_names([kept], node)), node),
        ]
        if context.inline:
            return made + self._called(load(SIGNAL), True, context, node)
        key = note(self._unit, self._live, self._is_local, node, rest)
        call = runtime_call("then", ast.Constant(key), load(SIGNAL))
        after = self._block_helper("rest", rest, rest[0] if rest else node)
        if after:
            made.append(after)
            call.args.append(load(after.name))
        return made + self._called(at(call, header(node)), True, context, node)
