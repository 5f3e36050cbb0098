"""The ways one call can be written: as sampled, all by place, all by name.

The positional and keyword parameters of a function are read from PyTorch's own schemas,
so a parameter of ours in another position shows as a wrong result.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import torch

from counterparts import of_name


class Parameter(NamedTuple):
    name: str
    keyword_only: bool
    default: Any  # inspect.Parameter.empty: must be given


class Call(NamedTuple):
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


_EMPTY = inspect.Parameter.empty


def _schemas(name: str) -> list[list[Parameter]]:
    packet = getattr(torch.ops.aten, name.replace(".", "_"), None)
    if packet is None:
        return []
    found = []
    for overload in packet.overloads():
        schema = getattr(packet, overload)._schema
        if any(a.is_out for a in schema.arguments):
            continue
        if any("Dimname" in str(a.type) for a in schema.arguments):
            continue
        found.append([
            Parameter(a.name, a.kwarg_only,
                      a.default_value if a.has_default_value() else _EMPTY)
            for a in schema.arguments])  # fmt: skip
    return found


def parameters(name: str) -> list[list[Parameter]]:
    """What PyTorch's function of that name takes; one list for each overload."""
    found = of_name(torch, name)
    if inspect.isfunction(found):
        target = inspect.unwrap(found)
        try:
            signature = inspect.signature(target)
        except (TypeError, ValueError):
            return []
        listed = []
        for p in signature.parameters.values():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                return _schemas(name)
            listed.append(Parameter(p.name, p.kind == p.KEYWORD_ONLY, p.default))
        return [listed]
    return _schemas(name)


def _bind(listed: list[Parameter], call: Call) -> dict[str, Any] | None:
    places = [p.name for p in listed if not p.keyword_only]
    if len(call.args) > len(places):
        return None
    bound = dict(zip(places, call.args))
    names = {p.name for p in listed}
    for key, value in call.kwargs.items():
        if key not in names or key in bound:
            return None
        bound[key] = value
    if any(p.default is _EMPTY and p.name not in bound for p in listed):
        return None
    return bound


def _by_place(listed: list[Parameter], bound: dict[str, Any]) -> Call:
    args: list[Any] = []
    last = max(
        (i for i, p in enumerate(listed) if p.name in bound and not p.keyword_only),
        default=-1,
    )
    for p in listed[: last + 1]:
        if not p.keyword_only:
            args.append(bound.get(p.name, p.default))
    kept = {p.name: bound[p.name] for p in listed
            if p.keyword_only and p.name in bound}  # fmt: skip
    return Call(tuple(args), kept)


def _by_name(listed: list[Parameter], bound: dict[str, Any]) -> Call:
    first = listed[0].name
    rest = {k: v for k, v in bound.items() if k != first}
    return Call((bound[first],), rest) if first in bound else Call((), rest)


def other_forms(name: str, call: Call) -> list[tuple[str, Call]]:
    """The same call by place and by name, where that is another way to write it."""
    made: list[tuple[str, Call]] = []
    for listed in parameters(name):
        bound = _bind(listed, call)
        if bound is None or not listed:
            continue
        for form, again in (("by place", _by_place(listed, bound)),
                            ("by name", _by_name(listed, bound))):  # fmt: skip
            shape = (len(again.args), sorted(again.kwargs))
            if shape == (len(call.args), sorted(call.kwargs)):
                continue
            made.append((form, again))
    return made
