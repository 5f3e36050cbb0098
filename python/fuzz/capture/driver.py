"""The end of run(): calls of the function, with changes in between."""

from __future__ import annotations

from .prelude import matrix, vector
from .writer import Writer


def changes(w: Writer) -> list[str]:
    """Changes that a program may make between two calls, one line each."""
    ways: list[str] = []
    if w.has("module"):
        ways += ["net.eval()", "net.train()", "net.w.requires_grad_(False)",
                 "net.w.requires_grad_(True)", f"net.w = T.nn.Parameter({vector(w)})",
                 "net.zero_grad()", "net.w.grad = None"]
        if w.has("attributes"):
            ways += [f"net.count = {w.rng.randint(0, 5)}", f"net.h = {vector(w)}",
                     f"net.scale = {w.number(0.3, 0.9)}", "net.h.mul_(0.5)"] * 2
        if w.has("target"):
            ways += ["target.load_state_dict(net.state_dict())",
                     "target = copy.deepcopy(net)"]
        if w.has("layers"):
            ways += ["net.lin = fixed(T.nn.Linear(3, 3, bias=False, dtype=D))"]
        if w.has("optimizer"):
            ways += ['opt.param_groups[0]["lr"] = 0.05',
                     'opt.param_groups[0]["weight_decay"] = 0.1',
                     'opt.param_groups[0]["lr"] *= 0.5'] * 2
            if w.has("scheduler"):
                ways += ["sched.step()"] * 4
    if w.has("globals"):
        ways += [f"G_F = {w.number(0.2, 1.2)}", "G_N += 2", f"G_V = {vector(w)}",
                 "G_V += 1", f"G_L[0] = {vector(w)}"]
    if w.has("nonlocals"):
        ways += [f"c_f = {w.number(0.2, 1.2)}", "c_n += 2", f"c_v = {vector(w)}",
                 "c_v += 1"]
    if w.has("lists"):
        ways += [f"items[0] = {vector(w)}", f"items.append({vector(w)})",
                 "items[0] += 1"]
    if w.has("dicts"):
        ways += ['d["n"] = 5', f'd["a"] = {vector(w)}', f'd["new"] = {vector(w)}',
                 f'd["f"] = {w.number(0.2, 1.2)}']
    if w.has("objects"):
        ways += ["box.n = 4", f"box.t = {vector(w)}", f"box = Box({vector(w)})"]
    return ways


def calls(w: Writer, arguments: list[str], shown: list[str]) -> list[str]:
    """Three to five calls, which show the result and everything reachable."""
    grad = ", requires_grad=True" if w.has("x_grad") else ""
    see = ", ".join(f"{name}={name}" for name in shown)
    lines = []
    for k in range(w.rng.randint(3, 5)):
        if k == 0 or w.chance(0.6):
            lines.append(f"x = {vector(w, extra=grad)}")
        if w.has("rows") and (k == 0 or w.chance(0.6)):
            lines.append(f"m = {matrix(w, w.rng.choice([2, 3, 4]))}")
        ways = changes(w) if w.has("changes") and k else []
        for _ in range(w.rng.randint(0, 2) if ways else 0):
            lines.append(w.rng.choice(ways))
        flag = w.rng.choice(["True", "False"]) if w.has("flags") else "True"
        text = ", ".join(flag if name == "flag" else name for name in arguments)
        call = f"r = step({text})"
        if w.has("modes") and w.chance(0.15):
            lines += ["with T.no_grad():", "    " + call]
        elif w.has("caught"):
            lines += ["try:", "    " + call, "except Own:",
                      "    r = T.tensor(0.0)"]
        else:
            lines.append(call)
        lines += after(w)
        lines.append(f"see(r, {see})")
    return lines


def after(w: Writer) -> list[str]:
    """Uses of a result outside the function."""
    if w.has("outside") and w.has("scalar"):
        if w.has("twice") and w.has("module"):
            lines = ["if r.requires_grad and net.w.requires_grad:",
                     "    (g,) = T.autograd.grad(r, net.w, create_graph=True, "
                     "allow_unused=True)",
                     "    if g is not None and g.requires_grad:",
                     "        (g ** 2).sum().backward()"]
        else:
            lines = ["if r.requires_grad:", "    r.backward()"]
        if w.has("optimizer_outside"):
            lines += ["opt.step()", "opt.zero_grad()"]
        return lines
    if w.has("write_result") and w.chance(0.5) and not w.has("tuple"):
        return ["with T.no_grad():", "    r *= 0.5"]
    return []
