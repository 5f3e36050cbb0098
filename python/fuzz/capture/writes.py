"""Statements that make tensors, aliases and views, and write into them."""

from __future__ import annotations

import re

from . import expressions as ex
from .scope import Name
from .writer import Writer

# `t += 1` binds t: in a function inside another it would be a name of its own.
_AUGMENTS = re.compile(r"\w+ [-+*/]= ")

_VIEWS = {
    "V": [("P", "{}[0:2]"), ("P", "{}[1:]"), ("P", "{}.narrow(0, 1, 2)"), ("V", "{}[:]"),
          ("V", "{}.view(-1)"), ("V", "{}.reshape(3)"), ("V", "{}.detach()"),
          ("V", "{}.unsqueeze(0)[0]"), ("S", "{}[1]"), ("V", "{}.flatten()"),
          ("V", "{}.view_as({})"), ("P", "{}[::2]")],
    "M": [("V", "{}[0]"), ("V", "{}[-1]"), ("M", "{}.detach()"), ("B", "{}[:, 1]"),
          ("M", "{}.T.T"), ("M", "{}.view(-1, 3)"), ("M", "{}.reshape(-1, 3)"),
          ("B", "{}.T[2]"), ("B", "{}.select(1, 0)"), ("M", "{}[:, :]")],
    "Q": [("Q", "{}.T"), ("Q", "{}.transpose(0, 1)"), ("V", "{}[1]"), ("V", "{}[:, 0]"),
          ("V", "{}.view(-1)[3:6]"), ("Q", "{}.detach()"), ("V", "{}.diagonal()"),
          ("V", "{}.flatten()[0:3]"), ("Q", "{}.permute(1, 0)"), ("V", "{}[0, :]")],
    "P": [("S", "{}[0]"), ("P", "{}.detach()"), ("P", "{}[:]")],
    "B": [("B", "{}.view(-1)"), ("B", "{}.detach()"), ("S", "{}[0]")],
    "S": [("S", "{}.detach()"), ("S", "{}.view(())")],
}


def make(w: Writer) -> list[str] | None:
    """t = an expression: a name of its own, or one that is there."""
    kind = w.rng.choices("VMSQP", [6, 3, 3, 2, 1])[0]
    text = ex.tensor(w, kind) if _possible(w, kind) else ex.tensor(w, "V")
    kind = kind if _possible(w, kind) else "V"
    old = w.scope.pick(kind, assigned=True)
    if old and (w.chance(0.4) or w.depth):
        return [f"{old.text} = {text}"]
    name = w.scope.fresh()
    w.scope.add(name, kind)
    return [f"{name} = {text}"]


def _possible(w: Writer, kind: str) -> bool:
    needs = {"M": "M", "B": "M", "Q": "QV"}.get(kind)
    return needs is None or bool(w.scope.of(needs))


def alias(w: Writer) -> list[str] | None:
    old = w.scope.pick("VMQP")
    if old is None:
        return None
    name = w.scope.fresh()
    w.scope.add(name, old.kind, leaf=old.leaf, written=old.written)
    return [f"{name} = {old.text}"]


def view(w: Writer) -> list[str] | None:
    """A view under a name of its own, often written at once."""
    old = w.scope.pick("VMQPB")
    if old is None:
        return None
    kind, text = w.rng.choice(_VIEWS[old.kind])
    name = w.scope.fresh("v")
    made = w.scope.add(name, kind, leaf=old.leaf, written=old.written)
    lines = [f"{name} = {text.format(*[old.text] * text.count('{}'))}"]
    if w.has("inplace") and w.chance(0.5):
        lines += _write(w, made) or []
    return lines


def write(w: Writer) -> list[str] | None:
    """A write in place to some tensor."""
    target = w.scope.pick("VMQPBS", written=True)
    return _write(w, target) if target else None


def _write(w: Writer, target: Name) -> list[str] | None:
    if not target.written:
        return None
    lines = [_write_line(w, target)]
    # Leaves that want gradients are written under no_grad; a few are not, so that
    # the refusal is seen, too.
    if target.leaf and not w.no_grad and not w.chance(0.03):
        return ["with T.no_grad():", "    " + lines[0]]
    return lines


def _write_line(w: Writer, target: Name) -> str:
    t, kind, rng = target.text, target.kind, w.rng
    c = w.number(0.2, 1.4)
    ways = [f"{t} *= {c}", f"{t} += {c}", f"{t}.mul_({c})", f"{t}.add_({c})",
            f"{t} -= {ex.number(w)}", f"{t}.fill_({c})", f"{t}.zero_()",
            f"{t}.relu_()", f"{t}.tanh_()", f"{t}.clamp_(-0.5, 0.7)",
            f"{t}.neg_()", f"{t} /= 1.25", f"{t}.sub_({c})"]
    if _possible(w, kind):
        same = ex.tensor(w, kind, 1)
        ways += [f"{t} += {same}", f"{t}.copy_({same})", f"{t}.add_({same})",
                 f"{t} *= {same}", f"{t}.add_({same}, alpha=0.5)"] * 2
    if kind == "V":
        s, p = ex.tensor(w, "S", 1), ex.tensor(w, "P", 1)
        ways += [f"{t}[0] = {s}", f"{t}[1] = {c}", f"{t}[1:] = {p}", f"{t}[:2] += {p}",
                 f"{t}[{t} > 0.2] = {c}", f"{t}[[0, 2]] = {c}", f"{t}[[2, 0]] = {p}",
                 f"{t}[1:] *= {c}", f"{t}.view(-1)[0] = {c}", f"{t}[:] = {c}",
                 f"{t}.masked_fill_({t} < 0.0, {c})", f"{t}[T.tensor([0, 1])] += {c}",
                 f"{t}[-1] += {s}", f"{t}[...] = {c}"]
    elif kind == "M":
        v = ex.tensor(w, "V", 1)
        ways += [f"{t}[0] = {v}", f"{t}[:, 1] = {c}", f"{t}[0] += {v}",
                 f"{t}[:, 0] *= {c}", f"{t}[{t} > 0.5] = {c}", f"{t}[1:] += {v}",
                 f"{t}[[0]] = {c}", f"{t}.T[1] = {c}", f"{t}[0, 2] = {c}",
                 f"{t} += {v}", f"{t}[-1, 0:2] = {c}"]
    elif kind == "Q":
        v = ex.tensor(w, "V", 1)
        ways += [f"{t}[0] = {v}", f"{t}[:, 1] += {v}", f"{t}.T[0] = {v}",
                 f"{t}[1, 1] = {c}", f"{t}.view(-1)[4] = {c}", f"{t}.fill_diagonal_({c})",
                 f"{t}[[0, 1], [1, 2]] = {c}", f"{t}.t_()"]
    if w.binds_nothing:
        ways = [line for line in ways if not _AUGMENTS.match(line)]
    return rng.choice(ways)


def helper(w: Writer) -> list[str] | None:
    """A function of the program that writes into what it is given."""
    old = w.scope.pick("VMP", written=True)
    if old is None or (old.leaf and not w.no_grad):
        return None
    call = w.rng.choice([f"bump({old.text})", f"shrink({old.text})",
                         f"bump({old.text}[0:1])"])
    if w.chance(0.5) and not call.endswith("[0:1])"):
        name = w.scope.fresh()
        w.scope.add(name, old.kind)
        return [f"{name} = {call}"]
    return [call]


def flag(w: Writer) -> list[str] | None:
    """detach, detach_, requires_grad_, clone."""
    old = w.scope.pick("VM")
    if old is None:
        return None
    name = w.scope.fresh()
    way = w.rng.choice(
        ["{}.detach()", "{}.detach().clone()", "{}.clone()",
         "{}.detach().requires_grad_()", "{}.data", "{}.clone().detach_()"])
    leaf = "requires_grad_" in way
    w.scope.add(name, old.kind, leaf=leaf)
    return [f"{name} = {way.format(old.text)}"]
