"""Derivatives of functions that read enclosing variables, nested in any order.

Each program is a scalar function of one number, as an expression of nested transforms.
duals.py computes the reference.
"""

from __future__ import annotations

import random
import re

from .program import Program

_PLAIN = ("T.sin({})", "T.cos({})", "T.tanh({})", "({} ** 2)", "({} ** 3)",
          "({} * 0.5)", "(-{})", "T.exp(-({} ** 2))")
_TRANSFORMS = ("grad", "grad", "jvp", "vjp", "value_and_grad", "hessian", "jacrev",
               "jacfwd", "hvp", "vmap", "vmap", "checkpoint", "function", "function",
               "cond", "while_loop", "fori_loop", "scan")


class _Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.left = rng.randint(1, 3)  # transforms still to come
        names = sorted(set(_TRANSFORMS))
        self.allowed = rng.sample(names, rng.randint(2, 5))

    def number(self) -> str:
        return repr(round(self.rng.uniform(0.3, 1.3), 2))

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def value(self, env: list[str], depth: int = 0) -> str:
        rng = self.rng
        if self.left > 0 and rng.random() < 0.6:
            self.left -= 1
            made = self.transform(env, depth)
            # Beside what is around it, so that outer derivatives see both.
            return f"({made} {rng.choice('*+-')} {rng.choice(env)})" if (
                rng.random() < 0.5) else made
        if depth > 2 or rng.random() < 0.3:
            return rng.choice([*env, *env, *env, self.number()])
        if rng.random() < 0.4:
            inner = self.value(env, depth + 1)
            if not re.search("[a-z]", inner):
                inner = rng.choice(env)  # a function of a number alone is a float32
            return rng.choice(_PLAIN).format(inner)
        a, b = self.value(env, depth + 1), self.value(env, depth + 1)
        return f"({a} {rng.choice('+-**')} {b})"

    def function(self, env: list[str], depth: int) -> str:
        """lambda y: an expression with y, and often with enclosing names."""
        y = self.name("y")
        body = self.value([*env, y, y], depth + 1)
        if not re.search(rf"\b{y}\b", body):
            body = f"{body} * {y}"
        if self.rng.random() < 0.6:
            body = f"{body} * {self.rng.choice(env)} * {y}"
        return f"lambda {y}: {body}"

    def transform(self, env: list[str], depth: int) -> str:
        rng = self.rng
        kind = rng.choice([t for t in _TRANSFORMS if t in self.allowed])
        at = self.value(env, depth + 2)
        if not re.search("[a-z]", at):
            at = env[-1]  # a number alone is no tensor
        if kind in ("grad", "hessian", "jacrev", "jacfwd", "checkpoint", "function"):
            return f"T.{kind}({self.function(env, depth)})({at})"
        if kind == "value_and_grad":
            which = rng.choice("01")
            return f"T.value_and_grad({self.function(env, depth)})({at})[{which}]"
        along = rng.choice(env)
        if kind == "jvp":
            f = self.function(env, depth)
            return f"T.jvp({f}, ({at},), ({along},))[{rng.choice('011')}]"
        if kind == "vjp":
            return f"T.vjp({self.function(env, depth)}, {at})[1]({along})[0]"
        if kind == "hvp":
            return f"T.hvp({self.function(env, depth)}, {at}, {along})"
        lanes = f"T.stack([{at}, {rng.choice(env)} * 0.5])"
        if kind == "vmap":
            end = rng.choice([".sum()", "[0]", "[1]"])
            return f"T.vmap({self.function(env, depth)})({lanes}){end}"
        if kind == "cond":
            yes, no = self.value(env, depth + 1), self.value(env, depth + 1)
            test = f"{rng.choice(env)} > {self.number()}"
            one = rng.choice(env)
            return f"T.cond({test}, lambda: {yes} * {one}, lambda: {no} + {one})"
        z = self.name("z")
        body = f"T.sin({z}) * {rng.choice(env)} + {self.value([*env, z], depth + 2)}"
        if kind == "while_loop":
            # Ends: every round adds one to what is tested.
            return (f"T.while_loop(lambda {z}: {z} < {self.number()}, "
                    f"lambda {z}: {z} + 1.0 + 0.1 * T.sin({rng.choice(env)} * {z}), "
                    f"{at})")
        if kind == "fori_loop":
            return f"T.fori_loop(0, {rng.randint(1, 3)}, lambda i, {z}: {body}, {at})"
        c = self.name("c")
        step = f"({c} * {z}, {c} + {z} * {rng.choice(env)})"
        return f"T.scan(lambda {c}, {z}: {step}, {rng.choice(env)}, {lanes})[1]"


# For values or derivatives beyond this, rounding errors exceed the bounds.
_LARGEST = 1e4


def _grows(text: str) -> bool:
    """Whether its values or derivatives are too large to compare."""
    from .running import run

    for wrap in (lambda T, f: f, lambda T, f: T.grad(f),
                 lambda T, f: T.grad(T.grad(f))):
        for seen in run(text, wrap, "capture.duals").snapshots:
            value = seen.get("result")
            if isinstance(value, float) and not abs(value) < _LARGEST:
                return True
    return False


def _text(rng: random.Random) -> str:
    made = _Expressions(rng)
    body = made.transform(["x"], 0)
    lines = ["def run(wrap, see):", "    @wrap", "    def f(x):",
             f"        return x * {body}", ""]
    for _ in range(2):
        at = round(rng.uniform(-1.2, 1.2), 2)
        lines.append(f"    see(f(T.tensor({at}, dtype=T.float64)))")
    return "\n".join(lines) + "\n"


def program(seed: int) -> Program:
    rng = random.Random(f"closures {seed}")
    text = _text(rng)
    while _grows(text):
        text = _text(rng)
    return Program("closures", seed, text, torch=False)
