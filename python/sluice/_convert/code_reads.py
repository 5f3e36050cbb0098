"""Finds what a function reads and writes outside itself, from its code alone.

This covers globals, closure variables and their dotted attributes, both for rewritten
code and for code that is not.
"""

from __future__ import annotations

import dis
import types
import weakref
from dataclasses import dataclass, field

# Methods that change a container without reading its contents.
ADDERS = frozenset({"append", "appendleft", "extend", "extendleft", "add"})

_GLOBAL_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_GLOBAL_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_FREE_LOADS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_FREE_STORES = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_ATTRIBUTE_STORES = frozenset({"STORE_ATTR", "DELETE_ATTR"})
_BY_TEXT = frozenset({"setattr", "delattr"})
_BY_METHOD = frozenset({"__setattr__", "__delattr__", "__dict__"})
_DOUBLING = frozenset({"COPY", "DUP_TOP"})
_DOTS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_IGNORED = frozenset({"PUSH_NULL", "CACHE", "RESUME", "NOP", "EXTENDED_ARG"})


@dataclass
class Reads:
    """Names, grouped by their use."""

    globals: set[str] = field(default_factory=set)
    stored_globals: set[str] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    stored_free: set[str] = field(default_factory=set)
    # Used in any other manner than as the x of x.append(y).
    looked_at: set[str] = field(default_factory=set)
    # Dotted attributes of a name: ("config", "model", "scale").
    chains: set[tuple[str, ...]] = field(default_factory=set)
    stored_chains: set[tuple[str, ...]] = field(default_factory=set)
    # The code assigns attributes of objects that it does not reach by dotted names.
    hides_stores: bool = False
    counts: bool = False  # the code has an a.b += c


_known: dict[int, tuple[weakref.ref[types.CodeType], Reads]] = {}


def reads_of(code: types.CodeType) -> Reads:
    """The names of a function and of the functions inside it."""
    known = _known.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    made = Reads()
    _collect(code, frozenset(code.co_freevars), made)
    key = id(code)
    _known[key] = (weakref.ref(code, lambda _: _known.pop(key, None)), made)
    return made


def _collect(code: types.CodeType, free: frozenset[str], made: Reads) -> None:
    instructions = [
        i for i in dis.get_instructions(code) if i.opname not in _IGNORED
    ]
    own = free & frozenset(code.co_freevars)
    stores = sum(i.opname in _ATTRIBUTE_STORES for i in instructions)
    told = 0
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for at, i in enumerate(instructions):
        name = i.argval
        if i.opname in _GLOBAL_STORES:
            made.stored_globals.add(name)
        elif i.opname in _FREE_STORES and name in own:
            made.stored_free.add(name)
        elif i.opname in _GLOBAL_LOADS:
            made.globals.add(name)
            made.hides_stores |= name in _BY_TEXT
            told += _used(name, instructions, at + 1, made)
        elif i.opname in _FREE_LOADS and name in own:
            made.free.add(name)
            told += _used(name, instructions, at + 1, made)
        elif i.opname in ("LOAD_FAST", "LOAD_FAST_CHECK"):
            stored = _used(name, instructions, at + 1, made)
            told += stored and name in given
    made.hides_stores |= told < stores
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            _collect(part, own, made)


def _used(
    name: str, instructions: list[dis.Instruction], at: int, made: Reads
) -> bool:
    """Notes the dotted attributes after a name. Gives whether they are assigned."""
    chain = [name]
    while at < len(instructions) and instructions[at].opname in _DOTS:
        chain.append(instructions[at].argval)
        at += 1
    if len(chain) > 1:
        made.chains.add(tuple(chain))
    if len(chain) != 2 or chain[1] not in ADDERS:
        made.looked_at.add(name)
    made.hides_stores |= not _BY_METHOD.isdisjoint(chain)
    after = instructions[at : at + 2]
    if len(after) == 2 and after[0].opname in _DOUBLING and after[1].opname in _DOTS:
        stored = after[1:]  # a.b += c
        made.chains.add((*chain, after[1].argval))
        made.counts = True
    else:
        stored = [i for i in after[:1] if i.opname in _ATTRIBUTE_STORES]
    made.stored_chains.update((*chain, i.argval) for i in stored)
    return bool(stored)
