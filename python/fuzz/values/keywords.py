"""Each keyword set in turn: a change that PyTorch's result shows must show in ours.

    keywords.py                     operators, modules, optimizers; prints what differs
    keywords.py --ops std,norm -v   some operators; refused calls are printed, too
    keywords.py --only modules      one part: ops, modules, optimizers

A base call that works on both sides is made again with one parameter at another
value. "swallowed": PyTorch's result changes, ours stays that of the base call.
"value", "shape", "dtype": ours changes to something else. "accepted": PyTorch raises,
we do not. "refused": we raise, PyTorch does not; an error is no wrong answer. Ends
with 1 when one of the others is in no list of deviations.toml.
"""

from __future__ import annotations

import argparse
import collections
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import torch

import counterparts
import run_op
from cross import CannotCross, options, to_sluice, to_torch
from deviations import Deviations
from forms import _EMPTY, Call, _bind, _by_name, _schemas, parameters
from judge import compare
from keyword_values import others
from settle import settled

SILENT = ("swallowed", "value", "shape", "dtype", "accepted")
SAMPLES = 3  # base calls of each operator
# They choose where or how, and change no result.
SKIPPED = {"out", "generator", "device", "layout", "pin_memory", "memory_format",
           "driver", "non_blocking", "inplace", "input", "self",
           "check_errors", "foreach", "fused", "capturable", "driver"}  # fmt: skip
Outcome = tuple[str, str]


def _works(theirs: Any, call: Call) -> bool:
    try:
        run_op._call_torch(theirs, call)
    except Exception:
        return False
    return True


def _listed(name: str) -> list[Any]:
    """What the function takes; of one in C++ by the name of its kernel."""
    found = parameters(name)
    return found or _schemas(name.split(".")[-1])


def varied(op: Any, theirs: Any, call: Call) -> Iterator[tuple[str, Any, Call]]:
    """(parameter, value, the call with it) for every parameter with a default."""
    seen = set()
    for listed in _listed(op.name):
        bound = _bind(listed, call) if listed else None
        # An overload for other types binds the same names.
        if bound is None or not _works(theirs, _by_name(listed, bound)):
            continue
        for p in listed[1:]:
            if p.name in SKIPPED or (p.default is _EMPTY and p.name not in bound):
                continue
            now = bound.get(p.name, None if p.default is _EMPTY else p.default)
            if isinstance(now, torch.Tensor):
                continue
            for value in others(p.name, now):
                if (p.name, repr(value)) in seen:
                    continue
                seen.add((p.name, repr(value)))
                yield p.name, value, _by_name(listed, {**bound, p.name: value})


def _ours(ours: Any, call: Call) -> Any:
    mine = Call(to_sluice(call.args), to_sluice(options(call.kwargs)))
    with run_op._in_time(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return to_torch(ours(*mine.args, **mine.kwargs))


def judged(op: Any, theirs: Any, ours: Any, call: Call, base: Any) -> Outcome:
    """What came of one changed call, given our result of the base call."""
    kind, text = run_op.one_call(op, theirs, ours, call)
    if kind == "skipped" and not text.startswith("argument"):
        try:
            made = _ours(ours, call)
        except (CannotCross, run_op.Hangs):
            return "skipped", ""
        except Exception:
            return "equal", ""
        same = compare(settled(op.name, base), settled(op.name, made))[0] == "equal"
        return "accepted", f"{'ignored; ' if same else ''}{text}"
    if kind in ("value", "shape", "dtype"):
        made = _ours(ours, call)
        if compare(settled(op.name, base), settled(op.name, made))[0] == "equal":
            return "swallowed", text
    return ("equal", "") if kind in ("copy", "view") else (kind, text)


def run_operators(names: set[str]) -> Iterator[tuple[str, str, str, Outcome]]:
    """(operator, form, the parameter and its value, outcome) of every call."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if names and op.name not in names:
            continue
        theirs, ours = op.get_op(), counterparts.function(op)
        method, their_method = counterparts.method(op), counterparts.torch_method(op)
        types = [d for d in run_op.DTYPES if d in op.supported_dtypes("cpu")]
        if not types or op.name in run_op.UNWRITTEN or op.name in counterparts._SYMBOLS:
            continue
        tries = [("function", theirs, ours)] if ours is not None else []
        if method is not None and their_method is not None:
            tries.append(("method", their_method, method))
        done = set()
        for n, call in enumerate(run_op._samples(op, types[0], False)):
            if n >= SAMPLES:
                break
            for form, a, b in tries:
                if form == "method" and (
                    n > 0 or not isinstance(call.args[0], torch.Tensor)):  # fmt: skip
                    continue
                if run_op.one_call(op, a, b, call)[0] not in ("equal", "copy", "view"):
                    continue
                base = _ours(b, call)
                for name, value, changed in varied(op, a, call):
                    key = (form, n, name, repr(value))
                    if key in done:
                        continue
                    done.add(key)
                    text = f"{name}={value!r} #{n}"
                    yield op.name, form, text, judged(op, a, b, changed, base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", default="", help="names, by commas; default: all")
    parser.add_argument("--only", default="", help="ops, modules or optimizers")
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    known, counts, shown = Deviations(), collections.Counter(), set()
    names = {n for n in given.ops.split(",") if n}
    parts = []
    if given.only in ("", "ops"):
        parts.append(run_operators(names))
    if given.only in ("", "modules"):
        from keyword_modules import run_modules

        parts.append(run_modules(names))
    if given.only in ("", "optimizers"):
        from keyword_optimizers import run_optimizers

        parts.append(run_optimizers(names))
    for part in parts:
        for name, form, what, (kind, text) in part:
            record = {"op": name, "outcome": kind, "dtype": "", "form": "keyword"}
            if kind in SILENT and known.covers(record):
                kind = "documented"
            counts[kind] += 1
            alike = (name, what.split("=")[0], kind, text[:40])
            if not given.verbose and alike in shown:
                continue
            shown.add(alike)
            if kind in SILENT + ("crash", "hangs") or (
                given.verbose and kind == "refused"):  # fmt: skip
                print(f"{kind:9} {name} ({form}) {what}: {text}", flush=True)
    print(", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    sys.exit(1 if any(counts[k] for k in SILENT) else 0)


if __name__ == "__main__":
    main()
