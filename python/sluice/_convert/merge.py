"""Merges two paths of a program, one of which a tensor chooses.

Both are recorded as branches of a cond. Their results for each variable are merged into
one value. Numbers that differ become tensors, equal values stay as they are, and values
that cannot be merged are refused with the name of the variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .construct import Construct
from .errors import StagingError
from .frames import changed, place_name, places
from .lists import grown
from .mixed import note
from .one_of import is_one, note_one_of
from .places import Contents, Place, same_contents
from .refusals import raised_inside
from .unnoted import Untouched
from .values import (
    MISSING,
    PYTHON,
    Tensor,
    as_tensor,
    can_be,
    class_of,
    describe,
    dummy,
    flatten,
    is_number,
    number_dtype,
    same,
    spec,
    stands_for,
)
from .variables import Variables


class Again(BaseException):
    """Thrown out of a branch to record it again with a new hint.

    It passes through user code, which must not catch it.
    """

    def __init__(self, owner: object, key: Any, hint: Any) -> None:
        super().__init__("recorded again")
        self.owner = owner
        self.key = key
        self.hint = hint


_MARK = "_sl_number"


def mark_number(tensor: Any, number: Any, owner: object, key: Any) -> None:
    """Remembers that a loop-carried tensor was a number before the loop."""
    setattr(tensor, _MARK, (number, owner, key))


def retype_number(leaf: Any, dtype: Any) -> None:
    """Records the loop that carries the leaf again, if the dtype may change."""
    number, owner, key = getattr(leaf, _MARK, (None, None, None))
    if owner is not None and can_be(number, dtype):
        raise Again(owner, key, dtype)


@dataclass
class Outcome:
    """The variables at the end of one side. Optional ones may be missing."""

    values: dict[str, Any]
    optional: frozenset[str] = frozenset()
    before: dict[str, Any] = field(default_factory=dict)  # values before the side
    raised: bool = False


@dataclass
class _Side:
    outcome: Outcome
    leaves: dict[str, list[Any]] = field(default_factory=dict)
    structures: dict[str, Any] = field(default_factory=dict)
    # For each variable, whether each leaf is a result of the cond.
    carried: dict[str, list[bool]] = field(default_factory=dict)
    stays: set[str] = field(default_factory=set)  # unchanged by the side
    unread: set[str] = field(default_factory=set)  # any value that fits serves


class _Merge:
    def __init__(
        self, construct: Construct, lists: bool, untouched: Untouched | None
    ) -> None:
        self.construct = construct
        self._untouched = untouched
        self._lists = lists
        self._hints: dict[Any, Any] = {}
        self.sides: list[_Side] = []
        self.places: dict[str, Place] = {}  # by name, as they are found

    def _differ(self, name: str, a: Any, b: Any, cure: str) -> StagingError:
        c = self.construct
        what = repr(name) if name[:1].isidentifier() else name
        if name.startswith("__sl_"):
            what = "the value returned"
        first, second = c.lines
        ways = f"on one way (line {first}) and", f"on the other (line {second})"
        if first == second or not second:
            ways = "on one way and", "on the other"
        if c.kind == "if" and c.line == second:
            ways = f"where it holds (line {first}) and", "where it does not"
        return StagingError(
            f"{c.place}: this {c.kind} depends on a tensor, and {what} is "
            f"{describe(a)} {ways[0]} {describe(b)} {ways[1]}; {cure}"
        )

    def take(self, outcome: Outcome, k: int) -> list[Any]:
        """The results that a branch returns to the cond."""
        del self.sides[k:]
        # The other side may have called the function being recorded, whose results
        # are unknown so far. This side provides them, and everything is recorded again.
        k = len(self.sides)
        side = _Side(outcome)
        results: list[Any] = []
        for name, value in outcome.values.items():
            if k and name not in self.sides[0].outcome.values:
                raise Again(self, ("known", name), None)
            other = self.sides[0].outcome.values[name] if k else MISSING
            if value is MISSING and self._is_as_before(name, outcome, k):
                value = outcome.values[name] = outcome.before[name]
            if self._stays(name, value, outcome, k):
                side.stays.add(name)
                continue
            optional = name in outcome.optional
            if value is MISSING and optional:
                before = outcome.before.get(name, MISSING)
                side.unread.add(name)
                if ("like", name) in self._hints:
                    value = dummy(self._hints["like", name], before)
                elif k and other is not MISSING:
                    value = dummy(spec(other), before)
            elif k and other is MISSING and value is not MISSING:
                if name in self.sides[0].outcome.optional:
                    if value is outcome.before.get(name, MISSING):
                        raise Again(self, ("as before", name), True)
                    raise Again(self, ("like", name), spec(value))
            if k and (value is MISSING) != (other is MISSING):
                raise self._differ(
                    name, other, value, "give it a value on both ways, or before"
                )
            outcome.values[name] = value
            if value is not MISSING:
                results += self._leaves(name, value, side, k)
        self.sides.append(side)
        return results

    def _is_as_before(self, name: str, outcome: Outcome, k: int) -> bool:
        """For a variable that nobody reads after this path: whether the other path
        leaves it unchanged, so that it stays the same object, even a captured list."""
        if name not in outcome.optional or name not in outcome.before:
            return False
        if outcome.before[name] is MISSING:
            return False
        stays = k > 0 and name in self.sides[0].stays
        return stays or ("as before", name) in self._hints

    def _stays(self, name: str, value: Any, outcome: Outcome, k: int) -> bool:
        """Whether a variable holds the same object as before: nothing to merge."""
        if value is MISSING or value is not outcome.before.get(name, MISSING):
            if k and name in self.sides[0].stays:
                raise Again(self, ("changes", name), True)
            return False
        if ("changes", name) in self._hints:
            return False
        return not k or name in self.sides[0].stays

    def _leaves(self, name: str, value: Any, side: _Side, k: int) -> list[Any]:
        leaves, structure = flatten(value)
        side.leaves[name], side.structures[name] = leaves, structure
        carried = side.carried[name] = []
        first = self.sides[0] if k else None
        if first and _orders(first.outcome.values[name]) != _orders(value):
            other = first.outcome.values[name]
            raise self._differ(name, other, value, "give its keys one order")
        if first and first.structures[name] != structure:
            other = first.outcome.values[name]
            dtype = grown(other, value) or grown(value, other)
            # A place may have the same name as a variable.
            if dtype is not None and self._lists and name not in self.places:
                raise Again(self, ("list", name), dtype)
            raise self._differ(name, other, value, "give it one structure on both ways")
        results = []
        for i, leaf in enumerate(leaves):
            dtype = self._hints.get(("dtype", name, i))
            tensor = as_tensor(leaf, dtype)
            if first:
                tensor = self._matched(name, i, first.leaves[name][i], leaf, tensor)
            carried.append(tensor is not None)
            if tensor is not None:
                results.append(tensor)
        return results

    def _matched(self, name: str, i: int, a: Any, b: Any, tensor: Any) -> Any:
        """The second side's leaf, cast to the dtype of the first side's leaf."""
        carried = self.sides[0].carried[name][i]
        if carried != (tensor is not None) or (not carried and not same(a, b)):
            cure = "a graph chooses between tensors and numbers only"
            raise self._differ(name, a, b, cure)
        if tensor is None:
            return None
        floats = all(is_number(v) and isinstance(v, float) for v in (a, b))
        if floats and name in self.places and not same(a, b):
            cure = "tensors have not all digits of Python's floats"
            raise self._differ(name, a, b, cure)
        if is_number(a) != is_number(b) and name in self.places:
            cure = "outside it would be a tensor on both ways"
            raise self._differ(name, a, b, cure)
        known = self._hints.get(("dtype", name, i))
        if isinstance(a, Tensor):  # its branch has ended: it cannot be cast
            dtype = known or a.dtype
        else:
            dtype = known or (number_dtype(a) if is_number(a) else as_tensor(a).dtype)
        if tensor.dtype == dtype:
            return tensor
        if stands_for(b, dtype):
            return as_tensor(b, dtype)
        if not known and stands_for(a, tensor.dtype):
            raise Again(self, ("dtype", name, i), tensor.dtype)
        retype_number(a, tensor.dtype)
        retype_number(b, dtype)
        raise self._differ(name, a, b, "give it one type on both ways")

    def was_there(self, value: Any) -> bool:
        """Whether an object existed before the two paths."""
        return self._untouched is not None and self._untouched.knows(value)

    def hands_on(self, name: str) -> bool:
        """Whether one of the paths leaves a variable unchanged."""
        return any(
            side.outcome.values.get(name, MISSING) is side.outcome.before[name]
            for side in self.sides
            if name in side.outcome.before
        )

    def hear(self, again: Again) -> None:
        """Keeps the hint for the next recording."""
        self._hints[again.key] = again.hint
        self.sides.clear()

    def results(self, tensors: list[Any]) -> dict[str, Any]:
        """The variables after the cond."""
        left = iter(tensors)
        values = {}
        second = self.sides[-1]
        first = self.sides[0] if len(self.sides) == 2 else None
        made_of: dict[tuple[int, int], Any] = {}  # equal pairs share one result
        if first:
            self._refuse_one_here_two_there(first, second)
        for name, value in second.outcome.values.items():
            if value is MISSING or name in second.stays:
                values[name] = value
                continue
            if first and is_one(first.outcome.values[name], value):
                values[name] = value
                for kept in second.carried[name]:
                    next(left) if kept else None
                continue
            leaves = []
            for i, leaf in enumerate(second.leaves[name]):
                made = next(left) if second.carried[name][i] else leaf
                if first is None:  # the other side is still unknown
                    leaves.append(made)
                    continue
                other = first.leaves[name][i]
                if other is leaf or (
                    is_number(leaf) and same(other, leaf)
                ):
                    made = leaf
                elif class_of(leaf) is class_of(other) in PYTHON.values():
                    made._sl_python = class_of(leaf)  # a number outside the graph
                elif name not in first.unread | second.unread:
                    kinds = class_of(leaf), class_of(other)
                    if None in kinds or kinds[0] is not kinds[1]:
                        note(made, leaf, other)  # its class outside is unknown
                leaves.append(made)
            values[name] = second.structures[name].unflatten(leaves)
            if first:
                other = first.outcome.values[name]
                if isinstance(value, Tensor) and isinstance(other, Tensor):
                    pair = id(other), id(value)
                    values[name] = made_of.setdefault(pair, values[name])
                note_one_of(values[name], other, value, self.was_there)
        return values


    def _refuse_one_here_two_there(self, first: _Side, second: _Side) -> None:
        """Throws when two places hold one tensor on one path and two tensors on the
        other. After the merge there would be two on either path."""
        found: tuple[dict[int, Any], dict[int, Any]] = {}, {}
        for name in self.places:
            if name in first.stays:
                continue
            a = first.outcome.values.get(name, MISSING)
            b = second.outcome.values.get(name, MISSING)
            if not isinstance(a, Tensor) or not isinstance(b, Tensor):
                continue
            if name in first.unread or name in second.unread:
                continue
            pair = found[0].setdefault(id(a), b), found[1].setdefault(id(b), a)
            if pair[0] is not b or pair[1] is not a:
                raise self._differ(
                    name, a, b, "it is a tensor that another place has, too, on one "
                    "way only; wanted a clone() of it",
                )


def _orders(value: Any) -> list[Any]:
    """The keys of dicts in order, which their structure does not include."""
    if isinstance(value, dict):
        parts = list(value.items())
        return [[k for k, _ in parts], *(_orders(part) for _, part in parts)]
    if isinstance(value, (list, tuple)):
        return [made for made in map(_orders, value) if made]
    return []


def choose(
    construct: Construct,
    pred: Any,
    first: Callable[[], Outcome],
    second: Callable[[], Outcome],
    make_list: Callable[[str, Any], None] | None = None,
    variables: Variables | None = None,
    blocks: Variables | None = None,
    modified: Iterable[str] = (),
) -> dict[str, Any]:
    """The variables after one of two paths; pred chooses the first.

    The sides may run more than once. `make_list` first turns a variable into a List of
    elements of a dtype. `variables` include those of enclosing functions; `blocks` are
    the ones that the sides read, where these differ; `modified` are the ones that the
    sides assign.
    """
    reached = blocks or variables
    untouched = Untouched(reached, modified) if reached else None
    merge = _Merge(construct, make_list is not None, untouched)
    if untouched:
        untouched.refuse_iterator(construct)
    with places() as journal:
        known = merge.places

        def branch(side: Callable[[], Outcome], k: int) -> Callable[[], list[Any]]:
            return lambda: _with_places(journal, known, merge, side, k, untouched)

        ways = [branch(first, 0), branch(second, 1)]
        while True:
            try:
                results = _core.run_branches("cond", pred, ways, (), False)
            except Again as again:
                if again.owner is not merge:
                    raise
                if again.key[0] == "list" and make_list:
                    make_list(again.key[1], again.hint)
                merge.hear(again)
                continue
            except BaseException as error:
                raised_inside(construct.place, construct.kind, error)
                raise
            values = merge.results(results if isinstance(results, list) else [])
            for name in construct.shared if variables else ():
                if merge.hands_on(name):
                    before = merge.sides[0].outcome.before[name]
                    journal.handed_on(variables.place(name), before)
            for name, place in known.items():
                if merge.hands_on(name):
                    journal.handed_on(place, place.get())
                value = values.pop(name, MISSING)
                journal.note(place)
                if value is not place.get():
                    place.put(value)
            return values


def _with_places(
    journal: Any,
    known: dict[str, Place],
    merge: _Merge,
    side: Callable[[], Outcome],
    k: int,
    untouched: Untouched | None,
) -> list[Any]:
    """Records one path. Its assignments to places are part of its outcome."""
    del merge.sides[k:]
    with journal.frame() as frame:
        outcome = side()
        keys = {place.key for place in known.values()}
        for key, (place, before) in frame.items():
            if key not in keys and changed(place, before):
                known[place_name(place, [*known, *outcome.values])] = place
        last = {name: place.get() for name, place in known.items()}
    if untouched:
        untouched.check(merge.construct)
    outcome.before = dict(outcome.before)
    for name, place in known.items():
        now = outcome.before[name] = place.get()
        value = MISSING if outcome.raised else last[name]
        if isinstance(place, Contents) and same_contents(value, now):
            value = now
        outcome.values[name] = value
    if outcome.raised:
        outcome.optional |= frozenset(known)
    return merge.take(outcome, k)
