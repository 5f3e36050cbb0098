"""Parameters of every function that both sides have: names, order, defaults.

    signatures.py           prints what differs, and counts

"place": PyTorch's parameter stands elsewhere with us, so a call by place means
something else. "default": it has another default. Both are silent; "missing" is
not: a call that names it raises. Ends with 1 when one of the first two is in no list
of deviations.toml ([[signature]]).
"""

from __future__ import annotations

import functools
import inspect
import sys
import tomllib
from typing import Any

import torch

import deviations
import sluice as sl
from counterparts import of_name
from forms import Parameter, parameters
from sluice import _core

MODULES = {"": (torch, sl), "nn.functional.": (torch.nn.functional, sl.nn.functional),
           "linalg.": (torch.linalg, sl.linalg)}  # fmt: skip
# Names for one thing.
SAME = [{"dim", "dims", "axis", "axes"}, {"keepdim", "keepdims", "keep_dims"},
        {"size", "shape"}, {"input", "self", "x", "a", "tensor", "A"},
        {"other", "b", "y", "B"}, {"k", "diagonal", "offset"},
        {"tensors", "xs"}, {"vec", "vec2", "b", "mat2", "tensor"},
        {"end", "stop"}, {"steps", "num"}, {"in_dims", "in_axes"},
        {"out_dims", "out_axes"}]  # fmt: skip
_EMPTY = inspect.Parameter.empty


@functools.cache
def _records() -> dict[str, Any]:
    return {r["function"]: r for r in _core.op_records()}


def same_name(a: str, b: str) -> bool:
    return a == b or any(a in group and b in group for group in SAME)


def ours(function: Any) -> list[Parameter] | None:
    """What a function of ours takes; None where that cannot be told."""
    function = getattr(function, "__wrapped__", function)
    if isinstance(function, _core.OpFunction):
        record = _records()[function.__name__]
        made = [Parameter(i["name"], False, _EMPTY) for i in record["inputs"]]
        attrs = record["attrs"]
        for a in [a for a in attrs if a["required"]] + [
            a for a in attrs if not a["required"]
        ]:
            default = _EMPTY if a["required"] else a["default"]
            made.append(Parameter(a["name"], False, default))
        return made
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind == p.VAR_POSITIONAL for p in listed):
        return None
    return [Parameter(p.name, p.kind == p.KEYWORD_ONLY, p.default)
            for p in listed if p.kind != p.VAR_KEYWORD]  # fmt: skip


def _same_default(a: Any, b: Any) -> bool:
    if repr(a) == "...":  # not given: what its other name says
        return True
    if isinstance(b, list):
        b = tuple(b)
    if a in (None, ()):
        return b in (None, (), _EMPTY, "")
    if isinstance(a, (bool, int, float)) and isinstance(b, (bool, int, float)):
        return float(a) == float(b)
    return a == b or b is _EMPTY or a is _EMPTY


def differences(mine: list[Parameter], theirs: list[Parameter]) -> list[tuple[str, str]]:
    """(kind, text) of what a call written for PyTorch would meet."""
    found = []
    places = [p for p in mine if not p.keyword_only]
    for i, t in enumerate([p for p in theirs if not p.keyword_only]):
        if i == 0 or t.name in ("out", "generator"):
            continue
        at = [k for k, p in enumerate(mine) if same_name(p.name, t.name)]
        if i < len(places) and not same_name(places[i].name, t.name):
            operand = places[i].default is _EMPTY and t.default is _EMPTY
            if not (operand and not at):  # operands go by many names
                found.append(("place", f"{t.name} is number {i}; ours is "
                              f"{places[i].name}"))  # fmt: skip
        elif not at:
            found.append(("missing", t.name))
    for t in theirs:
        like = [p for p in mine if p.name == t.name] or [
            p for p in mine if same_name(p.name, t.name)][:1]  # fmt: skip
        for p in like:
            if t.name == "dtype":  # a number there
                continue
            if not _same_default(p.default, t.default):
                found.append(("default",
                              f"{t.name} is {t.default!r}; ours {p.default!r}"))
    return found


def main() -> None:
    sys.path.insert(0, ".")
    with open(deviations.PATH, "rb") as file:
        known = {e["name"] for e in tomllib.load(file).get("signature", [])}
    counts = {"equal": 0, "place": 0, "default": 0, "missing": 0, "documented": 0}
    for prefix, (theirs_in, ours_in) in MODULES.items():
        for name in sorted(set(dir(theirs_in)) & set(dir(ours_in))):
            function = of_name(ours_in, name)
            if name.startswith("_") or not callable(function):
                continue
            if inspect.isclass(function) or inspect.ismodule(function):
                continue
            mine, lists = ours(function), parameters(prefix + name)
            if mine is None or not lists:
                continue
            best = min((differences(mine, t) for t in lists), key=lambda d: (
                sum(k != "missing" for k, _ in d), len(d)))  # fmt: skip
            silent = [d for d in best if d[0] != "missing"]
            if silent and prefix + name in known:
                counts["documented"] += 1
                continue
            for kind, text in best:
                counts[kind] += 1
                if kind != "missing":
                    print(f"{kind:8} {prefix}{name}: {text}")
            if not best:
                counts["equal"] += 1
    print("signatures: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    sys.exit(1 if counts["place"] or counts["default"] else 0)


if __name__ == "__main__":
    main()
