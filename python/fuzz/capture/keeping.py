"""Statements over state that outlives a call: attributes, lists, dicts, globals."""

from __future__ import annotations

from . import expressions as ex
from .writer import Writer


def attribute(w: Writer) -> list[str] | None:
    """Attributes of the module: tensors, counters, numbers."""
    if not w.has("attributes"):
        return None
    me = ex.w_net(w)
    v = ex.tensor(w, "V", 1)
    return [w.rng.choice([
        f"{me}.h = {me}.h * 0.5 + {v}", f"{me}.h = {v}", f"{me}.h = {v}.detach()",
        f"{me}.h += {v}.detach()", f"{me}.h[0] = {ex.number(w)}",
        f"{me}.count += 1", f"{me}.count = {me}.count + 2",
        f"{me}.scale = {me}.scale * 0.9", f"{me}.last = {v}",
        f"{me}.seen = {me}.count > 1",
    ])]


def buffer(w: Writer) -> list[str] | None:
    if not w.has("buffers"):
        return None
    me = ex.w_net(w)
    v = ex.tensor(w, "V", 1)
    return [w.rng.choice([
        f"{me}.run.mul_(0.9).add_({v}.detach(), alpha=0.1)",
        f"{me}.run.copy_({v}.detach())", f"{me}.run += 1",
        f"{me}.run = {me}.run * 0.5 + {v}.detach()", f"{me}.run[1] = {ex.number(w)}",
        f"{me}.steps += 1",
    ])]


def listed(w: Writer) -> list[str] | None:
    if not w.has("lists"):
        return None
    v = ex.tensor(w, "V", 1)
    ways = [f"items[0] = {v}", f"items.append({v})", "items[0] *= 0.5",
            "items[-1] += 1", f"items[1] = items[0] + {v}", f"items.insert(0, {v})",
            f"items += [{v}]", "items.reverse()", "items[0].mul_(0.5)"]
    if w.chance(0.4):
        name = w.scope.fresh()
        w.scope.add(name, "V", assigned=True)
        take = w.rng.choice(["items[-1]", "items[0]", "items.pop()",
                             "sum(items)", "T.stack(items).sum(0)"])
        if take == "items.pop()":
            return [f"items.append({v})", f"{name} = {take}"]
        return [f"{name} = {take}"]
    return [w.rng.choice(ways)]


def keyed(w: Writer) -> list[str] | None:
    if not w.has("dicts"):
        return None
    v = ex.tensor(w, "V", 1)
    ways = [f'd["a"] = {v}', 'd["n"] += 1', f'd["b"] = {v}', 'd["a"] *= 0.5',
            f'd["a"] = d["a"] + {v}', f'd.update(c={v})', f'd["a"][1] = {ex.number(w)}',
            'd["f"] = d["f"] * 0.5', f'd.setdefault("z", {v})']
    return [w.rng.choice(ways)]


def outer(w: Writer) -> list[str] | None:
    """Globals and names of the function around."""
    v = ex.tensor(w, "V", 1)
    ways = []
    if w.has("globals"):
        ways += [f"G_V = G_V * 0.5 + {v}.detach()", "G_N = G_N + 1", "G_F *= 0.9",
                 "G_V += 1", "G_V[0] = 0.5", f"G_L[0] = {v}.detach()", "G_L[1] += 1"]
    if w.has("nonlocals") and not w.has("in_forward"):
        ways += [f"c_v = c_v * 0.5 + {v}.detach()", "c_n += 1", "c_f = c_f * 0.9",
                 "c_v += 1", "c_v[1:] = 0.25"]
    if w.binds_nothing:
        ways = [line for line in ways if "[" in line.split("=")[0]]
    return [w.rng.choice(ways)] if ways else None


def shown(w: Writer) -> list[str] | None:
    """Values of the program's own classes: an object with attributes."""
    if not w.has("objects"):
        return None
    v = ex.tensor(w, "V", 1)
    return [w.rng.choice([f"box.t = {v}", "box.n += 1", f"box.t = box.t * 0.5 + {v}",
                          "box.t *= 0.5", f"box.put({v})", "box.t[0] = 1.0"])]


def say(w: Writer) -> list[str] | None:
    """Sizes as numbers."""
    if not w.has("sizes"):
        return None
    m = w.scope.pick("M")
    if m is None:
        return None
    t = m.text
    name, other = w.scope.fresh("r"), w.scope.fresh("c")
    out = w.scope.fresh()
    w.scope.add(out, "M")
    return [f"{name}, {other} = {t}.shape", w.rng.choice([
        f"{out} = {t}.reshape({name} * {other}).view({name}, -1)",
        f"{out} = {t} / {name}", f"{out} = T.zeros({name}, {other}, dtype=D) + {t}",
        f"{out} = {t} + T.arange({name}, dtype=D).unsqueeze(1) * 0.1",
        f"{out} = T.cat([{t}[{name} - 1:], {t}[:{name} - 1]])",
        f"{out} = {t} * ({t}.numel() / {other})",
        f"{out} = {t}.view({t}.size(0), {t}.size(1)) + len({t}) * 0.1",
    ])]


def shared(w: Writer) -> list[str] | None:
    """By functions that assign globals, and read what others have assigned; and a
    tensor that is one of two, by a function or a branch."""
    v, name = ex.tensor(w, "V", 1), w.scope.fresh("s")
    old, other = w.scope.pick("V"), w.scope.pick("V")
    names = [n.text for n in (old, other) if n is not None]
    lines = [["shift()", f"{name} = {v} * SH_F"], [f"{name} = {v}", "shift()"],
             [f"{name} = {v} * (tally() * 0.1)"], [f"{name} = {v}", "tally()"],
             [f"keep({v})", f"{name} = recall()"], [f"{name} = recall() + {v}"],
             [f"{name} = recall()", f"keep({v})"]]
    if len(names) == 2:
        a, b = names
        lines += [[f"{name} = either({a}, {b})"],
                  [f"{name} = {a}", f"if {b}.sum() > 0.1:", f"    {name} = {b}"],
                  [f"{name} = {a} if {ex.number(w)} < {b}.sum() else {b}"]]
    w.scope.add(name, "V", assigned=False)
    return w.rng.choice(lines)


def numbers(w: Writer) -> list[str] | None:
    """Numbers of Python's that are made of tensors, and tensors of other tensors."""
    v, s = ex.tensor(w, "V", 1), ex.tensor(w, "S", 1)
    name, n = w.scope.fresh("s"), w.scope.fresh("n")
    w.scope.add(name, "V", assigned=False)
    return w.rng.choice([
        [f"{name} = {v} * float({s})"],
        [f"{n} = float({s})", f"{name} = {v} + {n}", f"{n} += 0.5",
         f"{name} = {name} * {n}"],
        [f"{name} = {v} * int({s} * 3) * 0.25"],
        [f"{n} = int({s} > 0.1)", f"{name} = {v} * ({n} + 1)"],
        [f"{name} = {v} * (0.5 if bool({s} > 0.1) else 0.75)"],
        [f"{name} = T.tensor({v}.detach())", f"{name} += 0.25"],
        [f"{name} = {v} * T.tensor(float({s}), dtype=D)"],
        [f"{n} = isinstance({v}, T.nn.Parameter)",
         f"{name} = {v} * (1.5 if {n} else 0.5)"],
        [f"{name} = {v} / (abs(float({s})) + 1)"],
    ])
