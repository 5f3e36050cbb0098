"""The runtime of converted code: one object for each converted function.

Every construct examines its value. If the value is a tensor of a graph, the construct
becomes part of that graph. Otherwise it runs as in Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.numbers import Symbol
from . import collected, elements, handed, logic
from .branches import branch, guarded, live_after, live_in_loop
from .calls import callee
from .classes import defined, raised
from .contexts import context
from .errors import NumberWanted, StagingError, refusal
from .imports import imported, imported_from, importing
from .iterables import Range, Staged, staged, written_out
from .loops import GraphLoop
from .notes import Unit
from .refusals import asked_in_vain, forgive, refuse_endless, ways_that_raise
from .signals import (
    NORMAL,
    Signal,
    after_iteration,
    after_loop,
    normalized,
    not_normal,
    possible,
)
from .parts_written import added_to, row
from .place import user_place
from .printing import text
from .steps import rest as rest_of
from .texts import attr
from .unbound import as_local, unbound
from .values import decided, in_graph, truth
from .taking import refuse_taking
from .variables import Variables

Block = Callable[..., Any]

# A loop over a range at most this long is unrolled if a tensor may end it.
_SHORT = 8
_ENDLESS = 10000


class Runtime:
    """The functions that the rewritten code of one function calls."""

    def __init__(self, unit: Unit) -> None:
        self._constructs = unit.constructs

    call = staticmethod(callee)
    attr = staticmethod(attr)
    place = staticmethod(_core.place)
    added_to = staticmethod(added_to)
    row = staticmethod(row)
    context = staticmethod(context)
    refusal = staticmethod(refusal)
    unbound = staticmethod(unbound)
    as_local = staticmethod(as_local)
    text = staticmethod(text)
    grow = staticmethod(collected.grow)
    adding = staticmethod(collected.adding)
    both = staticmethod(logic.both)
    either = staticmethod(logic.either)
    and_ = staticmethod(logic.and_)
    or_ = staticmethod(logic.or_)
    not_ = staticmethod(logic.not_)
    if_exp = staticmethod(logic.if_exp)
    compare = staticmethod(logic.compare)
    is_ = staticmethod(logic.is_)
    is_not = staticmethod(logic.is_not)
    contains = staticmethod(logic.contains)
    lacks = staticmethod(logic.lacks)
    check = staticmethod(logic.check)
    append = staticmethod(collected.append)
    items = staticmethod(collected.items)
    listed = staticmethod(collected.listed)
    filter = staticmethod(collected.filter_test)
    shape = staticmethod(collected.shape)
    binary = staticmethod(handed.binary)
    unary = staticmethod(handed.unary)
    item = staticmethod(handed.item)
    slice = slice
    contiguous = staticmethod(handed.contiguous)
    matched = staticmethod(handed.matched)
    hashed = staticmethod(handed.hashed)
    grad_fn = staticmethod(elements.grad_fn)
    unpacked = staticmethod(collected.unpacked)
    defined = staticmethod(defined)
    raised = staticmethod(raised)
    true = staticmethod(lambda test: handed.true(decided(test)))
    importing = staticmethod(importing)
    imported = staticmethod(imported)
    imported_from = staticmethod(imported_from)

    # Branches.

    def if_stmt(
        self, key: int, test: Any, then: Block, orelse: Block | None,
        rest: Block | None = None,
    ) -> Any:
        """if test: then() else: orelse(); followed by rest(), if given."""
        test = handed.true(decided(test))
        tensor = in_graph(test)
        if tensor is None:
            signal = then() if test else orelse() if orelse else NORMAL
            return self.then(key, signal, rest)
        construct = self._constructs[key]
        otherwise = orelse or _nothing
        variables = Variables(then, orelse, rest)
        pred = truth(tensor)
        if not construct.one_leaves or rest is None:
            signal = branch(
                construct, variables, construct.modified,
                live_after(construct, construct.after), pred,
                then, otherwise,
            )
            return self.then(key, signal, rest)
        # What follows belongs to the path that reaches it.
        return branch(
            construct, variables,
            (*construct.modified, *construct.rest_modified),
            live_after(construct, construct.end), pred,
            lambda: self.then(key, then(), rest),
            lambda: self.then(key, otherwise(), rest),
        )

    def then(self, key: int, signal: Any, rest: Block | None = None) -> Any:
        """Runs what follows a construct, unless the construct left the block."""
        signal = normalized(signal)
        if rest is None:
            return signal
        if not isinstance(signal, Signal):
            return rest() if signal == NORMAL else signal
        construct = self._constructs[key]
        return guarded(
            construct, Variables(rest), construct.rest_modified,
            live_after(construct, construct.end),
            signal, rest, lambda: not_normal(signal),
        )

    # Loops.

    def while_stmt(
        self, key: int, test: Block, body: Block, orelse: Block | None,
        rest: Block | None = None,
    ) -> Any:
        """while test(): body() else: orelse()."""
        construct = self._constructs[key]
        signal: Any = NORMAL
        by_graph = True
        rounds, raising = 0, ways_that_raise()
        while True:
            asked = handed.true(decided(test())) if not construct.endless else True
            must = isinstance(signal, Signal) or in_graph(asked) is not None
            if must or (by_graph and isinstance(asked, Symbol)):
                before = asked_in_vain()
                try:
                    loop = GraphLoop(
                        construct, Variables(test, body, orelse, rest),
                        lambda _: body(), test, asked, signal=signal,
                    )
                    signal = loop.run()
                    break
                except TypeError:
                    # A loop that only sizes decide can also be unrolled.
                    if must:
                        raise
                    forgive(before)
                    by_graph = False
            if not asked:
                break
            signal = after_iteration(body())
            if NORMAL not in possible(signal):
                break
            rounds += 1
            if construct.endless and not isinstance(signal, Signal):
                refuse_endless(construct.place, rounds, raising)
            if isinstance(signal, Signal) and not construct.endless:
                if not construct.simple_test:
                    signal = self._ask_next(construct, test, body, signal)
                    break
        return self.then(key, self._over(key, signal, orelse), rest)

    def _ask_next(
        self, construct: Any, test: Block, body: Block, signal: Signal
    ) -> Any:
        """Continues a loop that a tensor may have ended. The condition is evaluated
        only if it has not."""
        pred = logic.both(signal.normal, test)
        return GraphLoop(
            construct, Variables(test, body), lambda _: body(), test, pred,
            signal=signal,
        ).run()

    def for_stmt(
        self, key: int, items: Any, body: Block, orelse: Block | None,
        rest: Block | None = None,
    ) -> Any:
        """for target in items: body(item) else: orelse()."""
        variables = Variables(body, orelse, rest)
        known = staged(items)
        if known is not None:
            items, known = written_out(known)
        if known is not None:
            before = asked_in_vain()
            try:
                signal = self._graph_for(key, variables, known, body, NORMAL)
            except TypeError:
                # The body wants a number of Python's: an index, a size.
                left = known.unrolled() if isinstance(known, Range) else None
                if left is None:
                    raise
                forgive(before)
                signal = self._python_for(key, variables, left, body)
        else:
            signal = self._python_for(key, variables, items, body)
        return self.then(key, self._over(key, signal, orelse), rest)

    def _graph_for(
        self, key: int, variables: Variables, items: Staged, body: Block, signal: Any
    ) -> Any:
        count = items.size()
        return GraphLoop(
            self._constructs[key], variables, lambda i: body(items.get(i)),
            count=count, signal=signal,
        ).run()

    def _python_for(
        self, key: int, variables: Variables, items: Any, body: Block
    ) -> Any:
        construct = self._constructs[key]
        signal: Any = NORMAL
        done = 0
        iterator = iter(handed.iterated(items))
        for item in iterator:
            signal = after_iteration(body(item))
            done += 1
            if NORMAL not in possible(signal):
                return signal
            if isinstance(signal, Signal):
                break
        else:
            return NORMAL
        # A tensor may have ended the loop: the rest runs only if it has not.
        refuse_taking(construct, items)
        names = construct.modified
        live = live_in_loop(construct)
        if type(items) is range and len(items) - done > _SHORT:
            left = items[done:]
            before = asked_in_vain()
            try:
                known = Range(left.start, left.stop, left.step)
                return self._graph_for(key, variables, known, body, signal)
            except TypeError as error:
                # The body wants a number of Python's: an index, a size.
                wanted = isinstance(error, NumberWanted)
                if isinstance(error, StagingError) and not wanted:
                    raise
                forgive(before)
        for item in rest_of(iterator, construct.place):
            done += 1
            if done > _ENDLESS:
                raise StagingError(
                    f"{construct.place}: a tensor decides when this loop ends, and "
                    f"it has been written out {_ENDLESS} times; loop over a range "
                    "or a tensor"
                )
            kept = signal
            signal = after_iteration(
                guarded(
                    construct, variables, names, live, kept,
                    functools.partial(body, item),
                    functools.partial(not_normal, kept),
                )
            )
            if NORMAL not in possible(signal):
                break
        return signal

    def _over(self, key: int, signal: Any, orelse: Block | None) -> Any:
        """Ends a loop: runs its else, and gives the signal that remains."""
        if orelse is None:
            return after_loop(signal)
        if not isinstance(signal, Signal):
            return orelse() if signal == NORMAL else after_loop(signal)
        construct = self._constructs[key]
        return guarded(
            construct, Variables(orelse), construct.modified,
            live_after(construct, construct.after),
            signal, orelse, lambda: after_loop(not_normal(signal)),
        )

    # Other functions.

    def result(self, signal: Any, get: Callable[[], Any]) -> Any:
        """The value that the function returns."""
        signal = normalized(signal)
        if signal == NORMAL:
            return None
        value = get()
        if isinstance(signal, Signal) and value is not None:
            if NORMAL in signal.possible:
                filename, line = user_place()
                raise StagingError(
                    f"{filename}:{line}: a tensor decides whether this function "
                    "returns a value or reaches its end, where it returns None; "
                    "return a value at its end, too"
                )
        return value

    def leaves(self, signal: Any, line: int) -> bool:
        """Whether a block in a try or match was left."""
        signal = normalized(signal)
        if isinstance(signal, Signal):
            raise StagingError(
                f"line {line}: a tensor decides about a return, break or continue "
                "inside of try or match; move it out, or decide with sl.where"
            )
        return bool(signal)


def _nothing() -> None:
    return None
