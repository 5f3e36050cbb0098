"""Programs with state: modules, in-place writes, aliases, grad modes, training."""

from __future__ import annotations

import random

from . import control, driver, keeping, prelude, training, writes
from . import expressions as ex
from .program import Program
from .writer import Writer, indented

# Each with the chance that a program has it.
FEATURES = {
    "inplace": 0.5, "views": 0.45, "alias": 0.35, "helpers": 0.3, "flags_": 0.3,
    "module": 0.65, "attributes": 0.4, "buffers": 0.3, "layers": 0.2,
    "lists": 0.25, "dicts": 0.2, "objects": 0.15, "globals": 0.25, "nonlocals": 0.25,
    "modes": 0.35, "tensor_if": 0.35, "tensor_while": 0.2, "tensor_for": 0.15,
    "plain": 0.35, "returns": 0.2, "raises": 0.1, "caught": 0.1, "tries": 0.12,
    "nested": 0.2, "calls": 0.25, "backward": 0.3, "penalty": 0.15, "params": 0.2,
    "optimizer": 0.3, "scheduler": 0.4, "hooks": 0.1, "random": 0.1, "changes": 0.5,
    "flags": 0.3, "rows": 0.5, "sizes": 0.2, "x_grad": 0.2, "outside": 0.4,
    "twice": 0.2, "scalar": 0.5, "tuple": 0.3, "write_result": 0.15, "split": 0.4,
    "optimizer_outside": 0.3, "norm": 0.4, "target": 0.15, "contexts": 0.15,
}
_NEEDS_MODULE = ("attributes", "buffers", "layers", "backward", "penalty", "params",
                 "optimizer", "target")


def features(rng: random.Random) -> set[str]:
    chosen = {name for name, p in FEATURES.items() if rng.random() < p}
    if "module" not in chosen:
        chosen -= set(_NEEDS_MODULE)
    if "optimizer" not in chosen:
        chosen -= {"scheduler", "optimizer_outside"}
    if "scalar" in chosen:
        chosen -= {"tuple"}
    if "rows" not in chosen:
        chosen -= {"tensor_for", "sizes"}
    return chosen


def later_features(seed: int) -> set[str]:
    """Those that came later: earlier seeds stay the programs they were."""
    rng = random.Random(f"later {seed}")
    made = {"rules"} if seed >= 200_000 and rng.random() < 0.3 else set()
    if seed >= 600_000 and rng.random() < 0.4:
        made.add("shared")
    if seed >= 700_000 and rng.random() < 0.3:
        made.add("numbers")
    if seed >= 4_000_000 and rng.random() < 0.25:
        made.add("derived")
    return made


def statement(w: Writer) -> list[str]:
    def on(feature: str, weight: float = 1.0) -> float:
        return weight if w.has(feature) else 0.0

    body = statement
    return w.choose([
        (2.0, lambda: writes.make(w)),
        (on("alias"), lambda: writes.alias(w)),
        (on("views", 1.5), lambda: writes.view(w)),
        (on("inplace", 2.0), lambda: writes.write(w)),
        (on("helpers"), lambda: writes.helper(w)),
        (on("flags_", 0.7), lambda: writes.flag(w)),
        (on("attributes", 1.5), lambda: keeping.attribute(w)),
        (on("buffers"), lambda: keeping.buffer(w)),
        (on("lists"), lambda: keeping.listed(w)),
        (on("dicts"), lambda: keeping.keyed(w)),
        (on("objects"), lambda: keeping.shown(w)),
        (on("sizes"), lambda: keeping.say(w)),
        (max(on("globals"), on("nonlocals")), lambda: keeping.outer(w)),
        (on("modes", 1.2), lambda: control.grad_mode(w, body)),
        (on("tensor_if", 1.3), lambda: control.tensor_if(w, body)),
        (on("tensor_if", 0.3), lambda: control.choice(w)),
        (on("plain", 1.2), lambda: control.plain_if(w, body)),
        (on("plain", 0.6), lambda: control.plain_for(w, body)),
        (on("tensor_while"), lambda: control.tensor_while(w, body)),
        (on("tensor_for"), lambda: control.rows(w, body)),
        (1.0 if w.in_loop else 0.0, lambda: control.leave(w)),
        (on("returns", 0.7), lambda: control.early_return(w)),
        (on("raises", 0.4), lambda: control.refuse(w)),
        (on("tries", 0.8), lambda: control.attempt(w, body)),
        (on("nested", 0.8), lambda: control.nested(w, body)),
        (on("backward", 0.8), lambda: training.backward(w)),
        (on("penalty", 0.8), lambda: training.penalty(w)),
        (on("params", 0.6), lambda: training.parameter_write(w)),
        (on("target", 0.6), lambda: training.soft_update(w)),
        (on("target", 0.2), lambda: training.loaded(w)),
        (on("contexts", 0.7), lambda: control.own_context(w, body)),
        (on("hooks", 0.6), lambda: training.hook(w)),
        (on("rules", 1.5), lambda: training.rule(w)),
        (on("shared", 2.0), lambda: keeping.shared(w)),
        (on("numbers", 1.5), lambda: keeping.numbers(w)),
        (on("derived", 1.5), lambda: training.derived(w)),
    ])


def _body(w: Writer, least: int, most: int) -> list[str]:
    lines = []
    for _ in range(w.rng.randint(least, most)):
        lines += statement(w)
    return lines


def _forward(rng: random.Random, chosen: set[str]) -> tuple[list[str], Writer]:
    w = Writer(rng, (chosen | {"in_forward"}) - {
        "nonlocals", "dicts", "objects", "backward", "optimizer", "outside", "target"})
    w.scope.add("x", "V")
    prelude.names(w, forward=True)
    w.returned = ["x * 0.5"]
    body = _body(w, 1, 4)
    result = ex.tensor(w, "V")
    head = ["global G_V, G_N, G_F"] if w.has("globals") else []
    if w.has("lists"):
        head += ["items = self.items"]
    return ["def forward(self, x, flag):",
            *indented([*head, *body, f"return {result}"])], w


_OPTIMIZERS = (
    "T.optim.SGD(net.parameters(), lr=0.1)",
    "T.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)",
    "T.optim.SGD(net.parameters(), lr=0.1, momentum=0.8, nesterov=True, "
    "weight_decay=0.01)",
    "T.optim.Adam(net.parameters(), lr=0.05)",
    "T.optim.AdamW(net.parameters(), lr=0.05, weight_decay=0.1)",
    "T.optim.RMSprop(net.parameters(), lr=0.02)",
)
_SCHEDULERS = (
    "T.optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)",
    "T.optim.lr_scheduler.ExponentialLR(opt, 0.8)",
    "T.optim.lr_scheduler.CosineAnnealingLR(opt, 5)",
    "T.optim.lr_scheduler.LambdaLR(opt, lambda k: 1.0 / (1 + k))",
    "T.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=40)",
)


def _setup(w: Writer) -> tuple[list[str], list[str]]:
    """The first lines of run(), and the names of what they make."""
    lines, shown = ["T.manual_seed(3)"], []
    if w.has("globals"):
        lines.insert(0, "global G_V, G_N, G_F")
    if w.has("module"):
        lines.append("net = Net()")
        shown.append("net")
        if w.has("lists"):
            lines.append("items = net.items")
    elif w.has("lists"):
        lines.append(f"items = [{prelude.vector(w)}, {prelude.vector(w)}]")
    if w.has("lists"):
        shown.append("items")
    if w.has("target"):
        lines.append("target = copy.deepcopy(net)")
        shown.append("target")
    if w.has("optimizer"):
        lines.append("opt = " + w.rng.choice(_OPTIMIZERS))
        shown.append("opt")
        if w.has("scheduler"):
            lines.append("sched = " + w.rng.choice(_SCHEDULERS))
            shown.append("sched")
    if w.has("dicts"):
        lines.append(f'd = {{"a": {prelude.vector(w)}, "n": 1, "f": 0.5}}')
        shown.append("d")
    if w.has("objects"):
        lines.append(f"box = Box({prelude.vector(w)})")
        shown.append("box")
    if w.has("nonlocals"):
        lines += [f"c_v = {prelude.vector(w)}", "c_n = 1",
                  f"c_f = {w.number(0.2, 1.2)}"]
        shown += ["c_v", "c_n", "c_f"]
    return lines, shown


def _result(w: Writer) -> str:
    if w.has("scalar"):
        # Of what was made last, too: else nobody would see it.
        last = [n.text for n in w.scope.of("SVMQPB") if n.text.isidentifier()][-4:]
        parts = w.rng.sample(last, min(len(last), w.rng.randint(0, 3)))
        return " + ".join([ex.scalar(w), *(f"{name}.sum()" for name in parts)])
    if w.has("tuple"):
        pair = f"{ex.tensor(w, 'V')}, {ex.tensor(w, 'S')}"
        return w.rng.choice([pair, f"[{pair}]", f'{{"u": {ex.tensor(w, "V")}}}'])
    old = w.scope.pick("VM")
    if old and w.chance(0.4):
        return old.text
    last = [n.text for n in w.scope.of("V") if n.text.isidentifier()][-3:]
    parts = w.rng.sample(last, min(len(last), w.rng.randint(0, 2)))
    return " + ".join([ex.tensor(w, "V"), *parts])


def program(seed: int) -> Program:
    rng = random.Random(f"state {seed}")
    chosen = features(rng) | later_features(seed)
    w = Writer(rng, chosen)
    forward: list[str] = ["def forward(self, x, flag):", "    return x * self.w"]
    inner = w
    split = w.has("module") and w.has("split")
    if split:
        forward, inner = _forward(rng, chosen)
    setup, shown = _setup(w)
    arguments = ["x"] + ["m"] * w.has("rows") + ["flag"]
    for name in ("items", "d", "box"):
        if name in shown and w.chance(0.5):
            arguments.append(name)
    w.scope.add("x", "V", leaf=w.has("x_grad"))
    if w.has("rows"):
        w.scope.add("m", "M")
    prelude.names(w, forward=False)
    zero = {True: "x.sum() * 0.5", False: "x * 0.5"}[w.has("scalar")]
    w.returned = [] if w.has("tuple") else [zero]
    head = ["global G_V, G_N, G_F"] if w.has("globals") else []
    if w.has("nonlocals"):
        head += ["nonlocal c_v, c_n, c_f"]
    if split:
        w.scope.add("out", "V")
        head += ["out = net(x, flag)"]
    body = _body(w, 2, 7)
    step = ["@wrap", f"def step({', '.join(arguments)}):",
            *indented([*head, *body, f"return {_result(w)}"])]
    if w.has("modes") and w.chance(0.1):
        step.insert(1, "@T.no_grad()")
    seen = ["x"] + ["m"] * w.has("rows") + shown
    lines = ["D = T." + rng.choice(["float64", "float64", "float64", "float32"]),
             *prelude.globals_(w), "", "",
             *prelude.HELPERS.split("\n"), ""]
    if w.has("rules"):
        lines += [*prelude.RULES.split("\n"), ""]
    if w.has("shared"):
        lines += [*prelude.SHARED.split("\n"), ""]
    if w.has("layers"):
        lines += [*prelude.FIXED.split("\n"), ""]
    if w.has("module"):
        lines += [*prelude.module(w, forward), "", ""]
    lines += ["def run(wrap, see):",
              *indented([*setup, "", *step, "", *driver.calls(w, arguments, seen)])]
    return Program("state", seed, "\n".join(lines) + "\n", w.torch and inner.torch)
