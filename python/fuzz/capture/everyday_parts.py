"""Names, numbers and tests of everyday programs.

Numbers are small multiples of a quarter, on which every op is exact, so that strings
made of them do not depend on the order of sums.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence


class Names:
    """The names that generated code may use, by kind.

    I  an int         F  a float        N  either        B  a bool       s  a text
    V  3 floats       K  3 ints         S  one float     J  one int
    L  a list of numbers
    """

    def __init__(self, rng: random.Random, features: set[str]) -> None:
        self.rng, self.features = rng, features
        self.names: list[tuple[str, str]] = []
        self.count = self.depth = 0
        self.in_loop = self.in_function = False
        self.may_return = True

    def has(self, feature: str) -> bool:
        return feature in self.features

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def add(self, kind: str, name: str | None = None) -> str:
        if name is None:
            self.count += 1
            name = f"{kind.lower()}{self.count}"
        self.names.append((kind, name))
        return name

    def of(self, kind: str) -> list[str]:
        kinds = {"N": "IF", "T": "VKSJ"}.get(kind, kind)
        return [name for k, name in self.names if k in kinds]

    def pick(self, kind: str) -> str:
        found = self.of(kind)
        return self.rng.choice(found[-6:] + found) if found else ""

    def local(self, kind: str) -> str:
        """A name that this code may assign."""
        found = [n for n in self.of(kind) if n.isidentifier() and n[-1].isdigit()
                 and not n.startswith("k_")]  # those end loops
        return self.rng.choice(found) if found else ""


def fill(w: Names, ways: Sequence[str], depth: int) -> str:
    """A random template: `@I` becomes an int, `@F` a float, `@?` a test."""
    made = {"I": whole, "F": real, "?": lambda w, _: test(w)}
    return re.sub("@([IF?])", lambda found: made[found[1]](w, depth + 1),
                  w.rng.choice(ways))


def whole(w: Names, depth: int = 0) -> str:
    """A Python int."""
    rng = w.rng
    old = w.pick("I")
    if depth >= 2 or w.chance(0.4):
        return old
    ways = [str(rng.randint(0, 4)), "(@I + @I)", "(@I - @I)",
            f"(@I * {rng.randint(2, 3)})", f"(@I % {rng.randint(2, 5)})", "abs(@I)",
            "min(@I, @I)", f"max(@I, {rng.randint(0, 3)})", "(-@I)"]
    if w.has("taken"):
        ways += [taken(w)] * 6
    if w.has("failing"):
        ways += ["(@I // @I)", "(@I % @I)"]
    if w.has("bits"):
        ways += ["(@I & 3)", "(@I << 1)", "(@I ^ 5)", "(@I >> 1)", "(~@I)",
                 "divmod(@I, 3)[1]"]
    if w.of("F"):
        ways += [f"int({w.pick('F')})", f"round({w.pick('F')})"]
    if w.of("s"):
        ways += [f"len({w.pick('s')})"]
    if w.of("L"):
        ways += [f"len({w.pick('L')})"]
    if w.has("logic"):
        ways += ["(@I if @? else @I)", "(@I or 7)", "(@I and @I)", "((@I > 1) + 1)"]
    return fill(w, ways, depth)


def taken(w: Names) -> str:
    """An integer taken from a tensor."""
    k, v = w.pick("K"), w.pick("V")
    at = w.rng.randint(0, 2)
    ways = [f"int({k}[{at}])", f"{k}.sum().item()", f"{k}.max().item()",
            f"{k}.tolist()[{at}]", f"int({v}[{at}])", f"int({v}.sum())",
            f"{k}[{at}].item()", f"len({k})", f"({k} > 1).sum().item()",
            f"int({k}[{at}] > 1)", f"{k}.argmax().item()", f"{k}.shape[0]",
            f"round({v}[{at}].item())"]
    if w.of("J"):
        ways += [f"int({w.pick('J')})", f"{w.pick('J')}.item()"]
    return w.rng.choice(ways)


def real(w: Names, depth: int = 0) -> str:
    """A Python float."""
    rng = w.rng
    old, v = w.pick("F"), w.pick("V")
    plain = repr(rng.randint(-6, 6) / 4)
    if depth >= 2 or old and w.chance(0.4):
        return old or plain
    ways = [plain, "(@F + @F)", "(@F - @I)", "(@F * 0.5)", "abs(@F)", "float(@I)",
            "(@I / 2)", "max(@F, @F)"]
    if w.has("taken"):
        at = rng.randint(0, 2)
        ways += [f"float({v}[{at}])", f"{v}.sum().item()", f"{v}.tolist()[{at}]",
                 f"{v}.max().item()", f"float({v}.min())"] * 2
        if w.of("S"):
            ways += [f"{w.pick('S')}.item()", f"float({w.pick('S')})"]
    if w.has("failing"):
        ways += ["(@F // 0.5)", "(2.0 ** (@I % 4))"]
    if w.has("logic"):
        ways += ["(@F if @? else @F)"]
    return fill(w, ways, depth)


def number(w: Names) -> str:
    return whole(w) if w.chance(0.6) else real(w)


def tensor(w: Names, kind: str, depth: int = 0) -> str:
    rng, old = w.rng, w.pick(kind)
    if old and (depth >= 2 or w.chance(0.3)):
        return old
    if kind in "SJ":
        base = w.pick({"S": "V", "J": "K"}[kind])
        ways = [f"{base}.sum()", f"{base}[{rng.randint(0, 2)}]", f"{base}.max()",
                f"({base} * {base}).sum()"]
        if w.has("indices"):
            ways += [f"{base}[{whole(w, 1)}]"]
        return rng.choice(ways)
    one = tensor(w, kind, depth + 1)
    by = whole(w, 1) if kind == "K" else number(w)
    ways = [f"({one} + {tensor(w, kind, depth + 1)})", f"({one} * {by})",
            f"({one} - {by})", f"(-{one})", f"{one}.flip(0)", f"({by} + {one})"]
    if kind == "V":
        ways += [f"T.relu({one})", f"({one} * 0.5)", f"{one}.abs()"]
    if w.has("helpers"):
        ways += [f"scaled({one})", f"scaled({one}, by={whole(w, 2)})",
                 f"scaled(plus={whole(w, 2)}, t={one})", f"shifted({one}, {by})",
                 f"shifted({one}, 1, {whole(w, 2)}, scale=2)"]
    return rng.choice(ways)


def test(w: Names) -> str:
    """A condition, of numbers or of tensors."""
    rng = w.rng
    a = w.pick("I") or "n"
    ways = [f"{a} > {rng.randint(0, 3)}", f"{a} % 2 == 0", "flag",
            f"0 < {a} < {rng.randint(2, 5)}", f"{a} in (0, 2, 3)"]
    if w.of("F"):
        ways += [f"{w.pick('F')} < {rng.randint(-3, 4) / 4}"]
    if w.of("B"):
        ways += [w.pick("B"), f"not {w.pick('B')}"]
    if w.of("s"):
        ways += [f'"1" in {w.pick("s")}', f'{w.pick("s")}.startswith("a")']
    if w.has("tensor_tests"):
        v, k = w.pick("V"), w.pick("K")
        at, limit = rng.randint(0, 2), rng.randint(-2, 3)
        ways += [f"{v}[{at}] > {limit / 4}", f"{k}[{at}] > {limit}",
                 f"({k} > {limit}).any()", f"{k}.sum() < {limit * 2}",
                 f"{v}.sum() > {limit / 2}"] * 2
    made = rng.choice(ways)
    if w.chance(0.12):
        made = f"{made} {rng.choice(['and', 'or'])} {rng.choice(ways)}"
    return made


def text(w: Names) -> str:
    rng, old = w.rng, w.pick("s") or '"a"'
    i, f = whole(w, 1), real(w, 1)
    return rng.choice([
        f'f"""{{{i}}}"""', f'f"""a{{{i}:>3}}-{{{f}:.2f}}"""', f"str({i})", f"str({f})",
        f"repr({number(w)})", f'"%d/%s" % ({i}, {f})', f'"{{}}:{{}}".format({i}, {f})',
        f"{old} + str({i})", f"{old}.upper()", f"{old} * ({i} % 3)", f"{old}[:2]",
        f'"odd" if {test(w)} else "even"', f"str({w.pick('T')})",
        f'f"""{{{w.pick("T")}}}"""', f"type({i}).__name__", f"type({f}).__name__",
        f'",".join(str(q) for q in [{i}, {f}])',
    ])
