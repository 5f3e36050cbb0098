"""Statements that take gradients and steps inside the function."""

from __future__ import annotations

from . import expressions as ex
from .writer import Writer


def _parameter(w: Writer) -> str:
    return w.rng.choice([f"{ex.w_net(w)}.w", f"{ex.w_net(w)}.q"])


def backward(w: Writer) -> list[str] | None:
    """A loss and its backward(), often a whole step of training."""
    if w.no_grad or w.depth > 1 or not w.has("module"):
        return None
    loss = w.scope.fresh("loss")
    made = f"{loss} = {ex.scalar(w)} + ({_parameter(w)} ** 2).sum()"
    lines = [made]
    stepping = w.has("optimizer") and w.chance(0.8)
    if stepping and w.chance(0.8):
        how = w.rng.choice(["", "", "set_to_none=False", "set_to_none=True"])
        lines.insert(0 if w.chance(0.5) else 1, f"opt.zero_grad({how})")
    lines.append(f"{loss}.backward()")
    if w.chance(0.3):
        p = _parameter(w)
        lines += [f"if {p}.grad is not None:", "    " + w.rng.choice([
            f"{p}.grad.mul_(0.5)", f"{p}.grad = {p}.grad * 0.5", f"{p}.grad.zero_()",
            f"{p}.grad.clamp_(-0.1, 0.1)", f"{p}.grad = None", f"{p}.grad += 1"])]
    if stepping:
        if w.chance(0.2):
            lines.append(f"T.nn.utils.clip_grad_norm_({ex.w_net(w)}.parameters(), 0.5)")
        lines.append("opt.step()")
        if w.has("scheduler") and w.chance(0.5):
            lines.append("sched.step()")
    w.scope.add(loss, "S", assigned=False, written=False)
    return lines


def penalty(w: Writer) -> list[str] | None:
    """autograd.grad, with a graph of its own or not."""
    if w.no_grad or not w.has("module"):
        return None
    p, name = _parameter(w), w.scope.fresh("g")
    kind = "V" if p.endswith(".w") else "Q"
    graph = w.rng.choice(["", ", create_graph=True", ", create_graph=True"])
    loss = f"({ex.scalar(w)} * ({p} * {p}).sum())"
    w.scope.add(name, kind)
    if w.chance(0.3) and w.scope.of("V"):
        return [f"{name} = T.autograd.grad({loss}, [{p}]{graph})[0]"]
    return [f"({name},) = T.autograd.grad({loss}, {p}{graph})"]


def parameter_write(w: Writer) -> list[str] | None:
    """A parameter written under no_grad, as soft updates of targets are."""
    if not w.has("module"):
        return None
    p = f"{ex.w_net(w)}.w"
    v = ex.tensor(w, "V", 1)
    return w.rng.choice([
        ["with T.no_grad():", f"    {p} *= 0.9"],
        ["with T.no_grad():", f"    {p}.copy_({p} * 0.5 + {v} * 0.1)"],
        ["with T.no_grad():", f"    {p}.add_({v}, alpha=-0.1)"],
        ["with T.no_grad():", f"    {p}[0] = {ex.number(w)}"],
        [f"{p}.data.mul_(0.9)"], [f"{p}.data = {p}.data * 0.9"],
        [f"{p}.requires_grad_({w.rng.choice(['False', 'True', 'flag'])})"],
        [f"{p}.grad = None"],
    ])


def soft_update(w: Writer) -> list[str] | None:
    """The parameters of a copy follow those of the module."""
    if not w.has("target") or w.has("in_forward"):
        return None
    line = w.rng.choice(["a.mul_(0.9).add_(b, alpha=0.1)", "a.copy_(b)",
                         "a.lerp_(b, 0.25)", "a += 0.5 * (b - a)"])
    return ["with T.no_grad():",
            "    for a, b in zip(target.parameters(), net.parameters()):",
            "        " + line]


def loaded(w: Writer) -> list[str] | None:
    if not w.has("module") or not w.has("target") or w.has("in_forward"):
        return None
    return ["target.load_state_dict(net.state_dict())"]


def hook(w: Writer) -> list[str] | None:
    old = w.scope.pick("V", leaf=False)
    if old is None or not w.has("hooks"):
        return None
    name = w.scope.fresh("y")
    w.scope.add(name, "V", assigned=False, written=False)
    what = w.rng.choice(["lambda g: g * 0.5", "lambda g: g + 1", "lambda g: None"])
    lines = [f"{name} = {old.text} * {ex.w_net(w)}.w" if w.has("module")
             else f"{name} = {old.text} * 1.5", f"if {name}.requires_grad:"]
    return lines + ["    " + w.rng.choice(
        [f"{name}.register_hook({what})", f"{name}.retain_grad()"])]


def rule(w: Writer) -> list[str] | None:
    """Gradients of the program's own, and what they read; what branches leave."""
    v, name = ex.tensor(w, "V", 1), w.scope.fresh("b")
    lines = w.rng.choice([
        [f"{name} = Bent.apply({v})"], [f"{name} = Bent.apply({v})"],
        [f"{name} = Counted.apply({v})"],
        [f"{name} = {v} * 1.5", f"if {name}.requires_grad:",
         f'    {name}.register_hook(lambda g: g * RULE["scale"])'],
        [f"{name} = {v} * 1.5", f"if {name}.requires_grad:",
         f"    {name}.register_hook(halved)"],
        ['RULE["scale"] *= 0.9', f"{name} = {v} + RULE[\"scale\"]"],
        [f"{name} = {v}", f"for row in {name}:", '    RULE["calls"] += 1'],
        [f"{name} = {v}", f"if {name}.sum() > 0.1:", f'    RULE["seen"] = {name} * 2'],
        [f"{name} = {v}", f"while {name}.sum() > 0.6:", f"    {name} = {name} * 0.5",
         f'    RULE["seen"] = {name} + 1'],
    ])
    w.scope.add(name, "V", assigned=False, written=False)
    return lines


def derived(w: Writer) -> list[str] | None:
    """Derivatives and checkpoints of functions written there, in each other."""
    w.torch = False  # there they have other names
    a, b, s = ex.tensor(w, "V", 1), ex.tensor(w, "V", 1), ex.tensor(w, "S", 1)
    name, kept = w.scope.fresh("t"), w.scope.fresh("c")
    # What a checkpoint reads when it is run again, at once, must be what it was.
    lines = [f"{kept} = {b}"]
    b = kept if w.chance(0.7) else b
    if b is not kept:
        lines = []
    slope = f"T.grad(lambda u: (T.tanh(u) * {b}).sum())"
    made = w.rng.choice([
        f"{slope}({a})", f"T.checkpoint(lambda u: T.sin(u) * {b})({a})",
        f"T.checkpoint(lambda u: {slope}(u) * {b})({a})",
        f"T.checkpoint(lambda u: T.grad(lambda t: (t ** 3 * u).sum())(u))({a})",
        f"T.vjp(lambda u: T.tanh(u) * {s}, {a})[1]({b})[0]",
        f"T.jvp(lambda u: T.sin(u) * u, ({a},), ({b},))[1]",
        f"T.vmap(lambda u: T.tanh(u) * {s})({a})",
        f"T.vmap(T.grad(lambda u: T.sin(u) * {s}))({a})",
        f"T.hvp(lambda u: (T.sin(u) * {b}).sum(), {a}, {b})",
        f"T.value_and_grad(lambda u: (u ** 3 * {b}).sum())({a})[1]",
    ])
    if "checkpoint" in made and not lines:
        made = f"T.tanh({b})"
    w.scope.add(name, "V", assigned=False)
    return [*lines, f"{name} = {made}"]
