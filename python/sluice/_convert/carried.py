"""The loop-carried variables of a loop in a graph."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _core
from .construct import Construct
from .errors import StagingError
from .lists import as_list, grown
from .merge import Again, mark_number, retype_number
from .object_reads import CONTAINERS
from .one_of import is_outside
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
)


def _kind(value: Any) -> Any:
    """The class that a value has outside the graph."""
    return PYTHON[number_dtype(value)] if is_number(value) else class_of(value)


class Carried:
    """Converts variables to a flat list of tensors, and back.

    A number becomes a tensor of the dtype that an iteration gives it. A Python list
    that grows becomes a List. `values` are the variables' values before the loop.
    """

    def __init__(
        self, construct: Construct, values: dict[str, Any], hints: dict[Any, Any]
    ) -> None:
        self._construct = construct
        self._before = values
        self._hints = hints
        self._start: dict[str, Any] = {}
        self._structures: dict[str, Any] = {}
        self._leaves: dict[str, list[Any]] = {}  # tensors, or constant leaves
        self.tensors: list[Any] = []
        # Variables whose class after an iteration differs from their class before.
        self.turned: set[str] = set()
        for name, value in values.items():
            if ("list", name) in hints:
                value = as_list(value, hints["list", name])
            if value is MISSING and ("like", name) in hints:
                value = dummy(hints["like", name])
            self._start[name] = value
            if value is MISSING:
                continue
            leaves, self._structures[name] = flatten(value)
            kept = []
            for i, leaf in enumerate(leaves):
                tensor = as_tensor(leaf, hints.get(("dtype", name, i)))
                if tensor is not None:
                    self.tensors.append(tensor)
                kept.append(leaf if tensor is None else tensor)
            self._leaves[name] = kept

    def values(self, tensors: Any, over: bool = False) -> dict[str, Any]:
        """The variables whose values these tensors are. With `over`, the loop is
        recorded and can no longer be restarted with another dtype."""
        left = iter(tensors)
        made = {}
        for name, value in self._start.items():
            if value is not MISSING:
                leaves = [
                    (next(left) if over else self._marked(name, i, next(left)))
                    if isinstance(leaf, Tensor)
                    else leaf
                    for i, leaf in enumerate(self._leaves[name])
                ]
                value = self._structures[name].unflatten(leaves)
            made[name] = value
        return made

    def _marked(self, name: str, i: int, tensor: Any) -> Any:
        """Marks a Python number as a number, because its dtype may still change."""
        number = self._number(name, i)
        if number is not None and ("dtype", name, i) not in self._hints:
            mark_number(tensor, number, self._hints, ("dtype", name, i))
        return tensor

    def outside(self, name: str, value: Any) -> Any:
        """The value of a place after the loop. A number becomes a Python number again,
        so a loop must not have replaced it by anything else."""
        for i, leaf in enumerate(flatten(value)[0]):
            number = self._number(name, i)
            if number is None or not isinstance(leaf, Tensor):
                continue
            if not leaf._number or leaf.dtype not in PYTHON:
                raise self._changes(name, leaf, "a place holds one or the other")
            leaf._sl_python = PYTHON[leaf.dtype]
        return value

    def _number(self, name: str, i: int) -> Any:
        if self._before[name] is MISSING:
            return None
        leaves = flatten(self._before[name])[0]
        return leaves[i] if i < len(leaves) and is_number(leaves[i]) else None

    def _was_tensor(self, name: str, i: int) -> bool:
        if self._before[name] is MISSING or name.startswith("__sl_"):
            return False
        leaves = flatten(self._before[name])[0]
        return i < len(leaves) and class_of(leaves[i]) is Tensor

    def _changes(self, name: str, now: Any, cure: str) -> StagingError:
        c = self._construct
        what = "the value returned" if name.startswith("__sl_") else repr(name)
        return StagingError(
            f"{c.place}: this {c.kind} loop depends on a tensor, and {what} is "
            f"{describe(self._start[name])} before an iteration and {describe(now)} "
            f"after it; {cure}"
        )

    def next(self, values: dict[str, Any], last: bool) -> list[Any]:
        """The tensors after an iteration. Throws Again to record the loop again.

        After an iteration that is certainly the last, variables may lack a value.
        """
        results: list[Any] = []
        self._note_first(values)
        for name, value in values.items():
            start = self._start[name]
            if start is MISSING:
                if value is not MISSING:
                    raise Again(self._hints, ("like", name), spec(value))
                continue
            if value is MISSING:
                if last or name.startswith("__sl_"):  # nothing was returned
                    value = dummy(spec(start))
                else:
                    raise self._changes(name, value, "do not delete it in the loop")
            recorder = _core.recorder()
            held = isinstance(value, CONTAINERS) or dataclasses.is_dataclass(value)
            if held and recorder is not None and is_outside(recorder, value):
                if value is not self._before[name]:
                    cure = "a graph does not choose between containers of the program"
                    raise self._changes(name, value, cure)
            leaves, structure = flatten(value)
            if structure != self._structures[name]:
                dtype = grown(self._before[name], value)
                if dtype is not None and ("list", name) not in self._hints:
                    raise Again(self._hints, ("list", name), dtype)
                cure = "give it one structure before the loop (sl.List for what grows)"
                raise self._changes(name, value, cure)
            for i, (was, leaf) in enumerate(zip(self._leaves[name], leaves)):
                if isinstance(was, Tensor):
                    results.append(self._leaf(name, i, was, leaf, value))
                elif not same(was, leaf):
                    raise self._changes(
                        name, value, "iterations of a graph change tensors only"
                    )
        return results

    def _note_first(self, values: dict[str, Any]) -> None:
        """Notes the class of each leaf after the first iteration, which starts from
        the values before the loop with their original classes."""
        if any(key[0] == "dtype" for key in self._hints):
            return
        for name, value in values.items():
            if value is MISSING:
                continue
            for i, leaf in enumerate(flatten(value)[0]):
                self._hints.setdefault(("first", name, i), _kind(leaf))

    def _leaf(self, name: str, i: int, was: Any, leaf: Any, value: Any) -> Any:
        tensor = as_tensor(leaf)
        number = self._number(name, i)
        if number is not None and _kind(leaf) is not _kind(number):
            self.turned.add(name)
            first = self._hints.get(("first", name, i))
            if first is not None and first is not _kind(leaf):
                # It moved from another variable: `a, b = b, x` on two numbers.
                cure = "one iteration makes of it what two do not"
                raise self._changes(name, value, cure)
        if number is None and self._was_tensor(name, i) and is_number(leaf):
            raise self._changes(name, value, "a tensor stays one where a loop may end")
        if tensor is None:
            raise self._changes(
                name, value, "iterations of a graph change tensors only"
            )
        if tensor.dtype == was.dtype:
            return tensor
        if is_number(leaf) and can_be(leaf, was.dtype):
            if number is not None and _kind(leaf) is not PYTHON.get(was.dtype):
                raise self._changes(name, value, "a number stays of one class")
            return as_tensor(leaf, was.dtype)
        key = ("dtype", name, i)
        if number is not None and key not in self._hints:
            if can_be(number, tensor.dtype):
                raise Again(self._hints, key, tensor.dtype)
        elif self._before[name] is not MISSING:
            before = flatten(self._before[name])[0]
            if i < len(before):
                retype_number(before[i], tensor.dtype)
        raise self._changes(name, value, "give it that type before the loop")
