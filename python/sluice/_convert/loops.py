"""Records a source loop as a loop of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.numbers import SymFloat, Symbol
from .carried import Carried
from .codes import RESULT, SIGNAL
from .construct import Construct
from .errors import StagingError
from .frames import changed, place_name, places
from .merge import Again
from .refusals import raised_inside, values_may_decide
from .signals import (
    NORMAL,
    Signal,
    after_iteration,
    normalized,
    possible,
    value,
)
from .unnoted import Untouched, refuse_shared
from .values import (
    IN_PLACE,
    MISSING,
    Tensor,
    as_tensor,
    flatten,
    in_graph,
    is_number,
    truth,
)
from .variables import Variables

INDEX = "__sl_index"
GO = "__sl_go"
RAN = "__sl_ran"

_and = _core.op_function("LogicalAnd")
_assert = _core.op_function("Assert")


def as_bool(test: Any) -> Any:
    """The result of a test, as a bool scalar of the graph."""
    tensor = test._tensor() if isinstance(test, Symbol) else in_graph(test)
    return truth(tensor) if tensor is not None else as_tensor(bool(test))


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) or is_number(leaf)


class GraphLoop:
    """One loop being recorded.

    `step(index)` runs an iteration and returns how it ended. `test()` is the
    condition. Without one, the loop runs `count` times.
    """

    def __init__(
        self,
        construct: Construct,
        variables: Variables,
        step: Callable[[Any], Any],
        test: Callable[[], Any] | None = None,
        asked: Any = None,
        count: Any = None,
        signal: Any = NORMAL,
    ) -> None:
        self._construct = construct
        self._variables = variables
        self._step = step
        self._test = test
        self._count = count
        self._hints: dict[Any, Any] = {}
        self._possible = possible(signal) | {NORMAL}
        self._leaves = construct.breaks or construct.returns
        self._leaves = self._leaves or isinstance(signal, Signal)
        self._extra: dict[str, Any] = {}
        if self._leaves:
            self._extra[SIGNAL] = value(signal)
        if count is not None:
            self._extra[INDEX] = 0
        elif not construct.endless and not construct.simple_test:
            self._extra[GO] = as_bool(asked)
        names = [
            name
            for name in construct.modified
            if name in construct.header or name in construct.after
        ]
        refuse_shared(construct, variables, construct.modified)
        self._before = variables.taken(construct.modified)
        self._untouched = Untouched(variables, construct.modified)
        self._untouched.refuse_iterator(construct)
        # Places that iterations assign, such as attributes and elements, by name.
        self._places: dict[str, Any] = {}
        self._stay: set[str] = set()  # only written in place
        self._values = {name: self._before[name] for name in names}
        self._late: list[str] = []  # no value before the loop, read after it
        for name in names:
            if self._values[name] is MISSING:
                self._check_undefined(name)
        self._result = variables.get(RESULT)
        if construct.returns:
            self._values[RESULT] = self._result
        leaves = flatten(list(self._values.values()))[0]
        if not self._extra and not any(map(_is_carried, leaves)):
            self._extra[RAN] = False  # a loop must carry something

    def _check_undefined(self, name: str) -> None:
        if name in self._construct.again:
            values_may_decide()
            raise StagingError(
                f"{self._construct.place}: this {self._construct.kind} loop depends "
                f"on a tensor, and {name!r} has no value before it, while an "
                "iteration may read it; give it one before the loop"
            )
        self._late.append(name)
        self._extra[RAN] = False

    def run(self) -> Any:
        """Records the loop. Gives how it ended."""
        with places() as journal:
            # Containers from outside stay, and their changes are noted.
            self._stay |= {n for n, v in self._values.items() if journal.knows(v)}
            while True:
                try:
                    return self._record(journal)
                except BaseException as error:
                    self._variables.put(self._before)
                    self._variables.set(RESULT, self._result)
                    construct = self._construct
                    raised_inside(construct.place, f"{construct.kind} loop", error)
                    if not isinstance(error, Again) or error.owner is not self._hints:
                        raise
                    self._learn(error)

    def _learn(self, again: Again) -> None:
        if again.key[0] == "place":
            self._places[again.key[1]] = again.hint
        elif again.key[0] == "stays":
            self._stay.add(again.key[1])
        elif again.key[0] == "moves":
            self._stay.discard(again.key[1])
        elif again.key[0] == "ran":
            self._extra[RAN] = False
        else:
            self._hints[again.key] = again.hint

    def _record(self, journal: Any) -> Any:
        start = {n: v for n, v in self._values.items() if n not in self._stay}
        before = {name: place.get() for name, place in self._places.items()}
        start.update({n: v for n, v in before.items() if n not in self._stay})
        for name, was in before.items():
            if was is MISSING:
                raise StagingError(
                    f"{self._construct.place}: this {self._construct.kind} loop "
                    f"depends on a tensor, and iterations set {name}, which has no "
                    "value before it; without an iteration it has none after it: "
                    "give it one before the loop"
                )
            if type(was) is float or isinstance(was, SymFloat):
                raise StagingError(
                    f"{self._construct.place}: iterations of this "
                    f"{self._construct.kind} loop change {name}, a Python float; "
                    "tensors have not all its digits"
                )
        carried = Carried(self._construct, {**self._extra, **start}, self._hints)
        own = self._extra.keys()

        def enter(tensors: Any) -> dict[str, Any]:
            values = carried.values(tensors)
            self._variables.put_copies(self._before)
            for name in self._before:
                if name not in values and name not in self._stay:
                    self._variables.set(name, MISSING)
            for name, value in values.items():
                if name in self._places:
                    journal.note(self._places[name])
                    self._places[name].put(value)
                elif name not in own:
                    self._variables.set(name, value)
            # Only the variables hold the containers.
            return {
                name: value
                for name, value in values.items()
                if name in own or isinstance(value, Tensor)
            }

        def cond(*tensors: Any) -> Any:
            with journal.frame():
                asked = self._goes_on(enter(tensors))
            self._untouched.check(self._construct)
            return asked

        def body(*tensors: Any) -> Any:
            with journal.frame() as frame:
                made = iteration(tensors, frame)
            self._untouched.check(self._construct)
            return made

        def iteration(tensors: Any, frame: Any) -> Any:
            extra = enter(tensors)
            signal = after_iteration(self._step(extra.get(INDEX)))
            self._possible |= possible(signal)
            after = {name: extra[name] for name in own}
            if SIGNAL in own:
                after[SIGNAL] = value(signal)
            if INDEX in own:
                after[INDEX] = extra[INDEX] + 1
            if RAN in own:
                after[RAN] = True
            if GO in own:
                after[GO] = self._asked_again(signal)
            after.update(self._variables.taken(n for n in start if n in self._values))
            for name in self._stay & self._values.keys():
                # The returned value is not a variable of the source.
                was = self._result if name == RESULT else self._before.get(name)
                if self._variables.get(name) is not was:
                    raise Again(self._hints, ("moves", name), None)
            self._find_places(frame)
            after.update(
                {name: self._places[name].get() for name in before if name in start}
            )
            if IN_PLACE:
                self._find_stays(extra, after)
            made = carried.next(after, NORMAL not in possible(signal))
            return made[0] if len(made) == 1 else tuple(made)

        last = _core.while_loop(
            cond, body, tuple(carried.tensors), "device", self._construct.kind, 10, -1
        )
        values = carried.values(last, over=True)
        self._variables.put(
            {
                name: values.get(name, MISSING)
                for name in self._before
                if name not in self._stay
            }
        )
        for name in self._construct.shared & start.keys():
            journal.handed_on(self._variables.place(name), start[name])
        for name, place in self._places.items():
            journal.handed_on(place, before[name])
            journal.note(place)
            if name in values:
                place.put(carried.outside(name, values[name]))
        if RESULT in values:
            self._variables.set(RESULT, values[RESULT])
        if self._late and any(values[name] is not MISSING for name in self._late):
            names = ", ".join(self._late)
            _assert(
                values[RAN],
                message=f"{names} has no value: the loop at {self._construct.place} "
                "ran no iteration",
            )
        self._check_turned(carried.turned - own, values)
        if SIGNAL not in own:
            return NORMAL
        ways = frozenset(self._possible)
        if self._construct.endless and len(ways) > 1:
            ways -= {NORMAL}  # the condition never ends it
        return normalized(Signal(values[SIGNAL], ways))

    def _check_turned(self, names: set[str], values: dict[str, Any]) -> None:
        """A number that iterations turn into a tensor or a number of another class
        keeps its class if no iteration runs. The code then runs imperatively."""
        read = names & {*self._construct.after, *self._places}
        if not read or _core.recorder() is None:
            return
        if self._count is not None:
            ran = self._count > 0
        elif RAN in values:
            ran = values[RAN]
        else:
            raise Again(self._hints, ("ran",), None)
        _assert(
            as_bool(ran),
            message=f"{', '.join(sorted(read))} is what it was before the loop at "
            f"{self._construct.place}, which ran no iteration",
        )

    def _find_places(self, frame: dict[Any, Any]) -> None:
        """Throws Again when an iteration has assigned a new place."""
        known = {place.key for place in self._places.values()}
        for key, (place, before) in frame.items():
            if key in known or not changed(place, before):
                continue
            name = place_name(place, [*self._values, *self._places])
            raise Again(self._hints, ("place", name), place)

    def _find_stays(self, given: dict[str, Any], after: dict[str, Any]) -> None:
        """Throws Again when a variable still holds the same tensor: the loop need not
        carry it."""
        for name, value in after.items():
            if name in self._extra or not isinstance(value, Tensor):
                continue
            outer = self._values.get(name, MISSING)
            if value is given.get(name) and isinstance(outer, Tensor):
                raise Again(self._hints, ("stays", name), None)

    def _goes_on(self, values: dict[str, Any]) -> Any:
        if GO in values:
            return values[GO]
        if self._count is not None:
            test = values[INDEX] < self._count
        elif self._construct.endless or self._test is None:
            test = None
        else:
            test = as_bool(self._test())
        if SIGNAL not in values:
            return as_tensor(True) if test is None else test
        normal = values[SIGNAL] == NORMAL
        return normal if test is None else _and(normal, test)

    def _asked_again(self, signal: Any) -> Any:
        """The condition after an iteration, evaluated where Python evaluates it."""
        assert self._test is not None
        if not isinstance(signal, Signal):
            return as_bool(self._test()) if signal == NORMAL else as_tensor(False)
        test = self._test
        ways = [lambda: [as_bool(test())], lambda: [as_tensor(False)]]
        return _core.run_branches("cond", signal.normal, ways, (), False)[0]
