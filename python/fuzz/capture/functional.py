"""Programs without state: expressions, views and control flow, one scalar out."""

from __future__ import annotations

import random

from . import expressions as ex
from . import prelude, stateful
from .program import Program
from .writer import Writer, indented

FEATURES = {
    "views": 0.5, "alias": 0.3, "tensor_if": 0.6, "tensor_while": 0.4,
    "tensor_for": 0.3, "plain": 0.4, "returns": 0.3, "nested": 0.3, "calls": 0.3,
    "flags": 0.3, "rows": 0.7, "sizes": 0.15,
}


def program(seed: int) -> Program:
    rng = random.Random(f"functional {seed}")
    chosen = {name for name, p in FEATURES.items() if rng.random() < p}
    if "rows" not in chosen:
        chosen -= {"tensor_for", "sizes"}
    w = Writer(rng, chosen | {"scalar"})
    w.scope.add("x", "V")
    if w.has("rows"):
        w.scope.add("m", "M")
    w.returned = ["(x * x).sum() * 0.5"]
    body = []
    for _ in range(rng.randint(2, 7)):
        body += stateful.statement(w)
    last = [n.text for n in w.scope.of("SVMQPB") if n.text.isidentifier()][-4:]
    parts = rng.sample(last, min(len(last), rng.randint(0, 3)))
    # The square lets every program have a second derivative.
    ends = [f"(x * x).sum() * {ex.number(w)}", *(f"{name}.sum()" for name in parts)]
    arguments = ["x"] + ["m"] * w.has("rows") + ["flag"]
    step = ["@wrap", f"def step({', '.join(arguments)}):",
            *indented([*body, f"return {' + '.join([ex.scalar(w), *ends])}"])]
    calls = []
    for _ in range(3):
        flag = rng.choice(["True", "False"]) if w.has("flags") else "True"
        given = [prelude.vector(w)]
        if w.has("rows"):
            given.append(prelude.matrix(w, rng.choice([2, 3, 4])))
        calls.append(f"see(step({', '.join([*given, flag])}))")
    lines = ["D = T.float64", "", "", *prelude.HELPERS.split("\n"), "",
             "def run(wrap, see):", *indented([*step, "", *calls])]
    return Program("functional", seed, "\n".join(lines) + "\n")
