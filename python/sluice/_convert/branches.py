"""Records source blocks as the two paths of a branch in a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import _core
from .codes import RESULT, SIGNAL
from .construct import Construct
from .errors import add_note
from .lists import as_list
from .merge import Outcome, choose
from .refusals import way_raises
from .signals import (
    BREAK,
    CONTINUE,
    NORMAL,
    RETURN,
    Signal,
    normalized,
    possible,
)
from .signals import value as signal_value
from .unnoted import refuse_shared
from .values import IN_PLACE, MISSING, Tensor
from .variables import Variables

_assert = _core.op_function("Assert")


# The variables read after a block, by how it ends.
Live = dict[int, frozenset[str]]


def live_after(construct: Construct, normal: frozenset[str]) -> Live:
    """For a block that ends with its construct, or with the block around that."""
    return {
        NORMAL: normal,
        BREAK: construct.on_break,
        CONTINUE: construct.on_continue,
        RETURN: construct.shared,
    }


def live_in_loop(construct: Construct) -> Live:
    """For the body of a loop."""
    header = construct.header
    return {
        NORMAL: header,
        BREAK: construct.after,
        CONTINUE: header,
        RETURN: construct.shared,
    }


class _Sides:
    """The two paths of one branch while it is recorded."""

    def __init__(
        self,
        construct: Construct,
        variables: Variables,
        modified: Iterable[str],
        live: Live,
    ) -> None:
        self._construct = construct
        self._variables = variables
        modified = list(modified)
        refuse_shared(construct, variables, modified)
        self.before = variables.taken(dict.fromkeys(modified))
        self._live = live
        read = frozenset().union(*live.values())
        self._names = [name for name in self.before if name in read]
        self._result = variables.get(RESULT)
        self.possible: list[frozenset[int]] = [frozenset(), frozenset()]
        self._raised = [False, False]
        self._lists = False  # a variable has become a List

    def restore(self) -> None:
        self._variables.put(self.before)
        self._variables.set(RESULT, self._result)

    def make_list(self, name: str, dtype: Any) -> None:
        self._lists = True
        self.before[name] = as_list(self.before[name], dtype)

    def run(self, k: int, block: Callable[[], Any]) -> Outcome:
        self._variables.put_copies(self.before)
        for name in () if IN_PLACE else self._construct.mutated:
            value = self._variables.get(name)
            if isinstance(value, Tensor) and value.symbolic:
                self._variables.set(name, Tensor(value))  # another handle
        self._variables.set(RESULT, self._result)
        everything = frozenset([*self._names, RESULT, SIGNAL])
        try:
            signal = normalized(block())
        except Exception as error:
            if not self._is_raised_here(error) or (k == 1 and self._raised[0]):
                raise
            # The path that raises fails when it is taken.
            words = f"{type(error).__name__}: {error}"
            _assert(False, message=words)
            way_raises()
            self._raised[k] = True
            self.possible[k] = frozenset()
            missing = dict.fromkeys([*self._names, RESULT, SIGNAL], MISSING)
            before = {} if self._lists else self.before
            return Outcome(missing, everything, before, raised=True)
        self._raised[k] = False
        self.possible[k] = possible(signal)
        values = self._variables.taken(self._names)
        read = frozenset().union(*(self._live[s] for s in self.possible[k]))
        optional = everything - read - {SIGNAL}
        for name in values:
            if name not in read:  # nobody reads it after this path
                values[name] = MISSING
        returned = RETURN in self.possible[k]
        values[RESULT] = self._variables.get(RESULT) if returned else MISSING
        values[SIGNAL] = signal_value(signal)
        before = {} if self._lists else self.before
        return Outcome(values, optional, before)

    def _is_raised_here(self, error: BaseException) -> bool:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return (
            trace is not None
            and trace.tb_lineno in self._construct.raises
            and trace.tb_frame.f_code.co_filename == self._construct.filename
        )

    def leave(self, values: dict[str, Any]) -> Any:
        """Assigns the variables. Gives how the branch ended."""
        signal = values.pop(SIGNAL)
        result = values.pop(RESULT)
        unread = dict.fromkeys(self.before, MISSING)
        self._variables.put({**unread, **values})
        self._variables.set(RESULT, result)
        if isinstance(signal, int):
            return signal
        return Signal(signal, self.possible[0] | self.possible[1])


def branch(
    construct: Construct,
    variables: Variables,
    modified: Iterable[str],
    live: Live,
    pred: Any,
    first: Callable[[], Any],
    second: Callable[[], Any],
) -> Any:
    """Runs one of two blocks, which change variables. Gives how it ended."""
    sides = _Sides(construct, variables, modified, live)
    try:
        values = choose(
            construct,
            pred,
            lambda: sides.run(0, first),
            lambda: sides.run(1, second),
            sides.make_list,
            variables,
            modified=sides.before,
        )
    except BaseException as error:
        sides.restore()
        if isinstance(error, RecursionError):
            add_note(
                error,
                f"{construct.place}: both ways of this {construct.kind} are recorded, "
                "so that a recursion that a tensor ends has no end here; write a "
                "loop, or make the function that calls itself a sluice.function",
            )
        raise
    return sides.leave(values)


def guarded(
    construct: Construct,
    variables: Variables,
    modified: Iterable[str],
    live: Live,
    signal: Signal,
    block: Callable[[], Any],
    otherwise: Callable[[], Any],
) -> Any:
    """Runs a block where the signal is NORMAL. Gives how the whole ended."""
    if NORMAL not in signal.possible:
        return otherwise()
    return branch(
        construct, variables, modified, live, signal.normal, block, otherwise
    )
