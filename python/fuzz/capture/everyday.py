"""Everyday Python code with tensors: numbers from them, strings, containers, errors.

The comparison is strict: an int must be an int, exceptions must have the same class and
message, and printed output must be equal.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from . import everyday_containers as containers
from . import everyday_flow as flow
from .everyday_parts import Names, number, real, tensor, test, text, whole
from .program import Program
from .writer import indented

FEATURES = {
    "taken": 0.8, "failing": 0.35, "bits": 0.2, "logic": 0.3, "indices": 0.3,
    "helpers": 0.35, "tensor_tests": 0.5, "texts": 0.4, "prints": 0.3, "lists": 0.45,
    "dicts": 0.35, "records": 0.35, "pairs": 0.3, "unused": 0.35, "tries": 0.35,
    "loops": 0.45, "generators": 0.3, "walrus": 0.25, "nested": 0.3, "match": 0.15,
    "returns": 0.25, "raises": 0.2, "branches": 0.6, "kinds": 0.2, "sets": 0.12,
}

PRELUDE = r'''\
import collections
import dataclasses


class Own(Exception):
    pass


@dataclasses.dataclass
class Record:
    n: int = 0
    t: object = None
    seen: list = dataclasses.field(default_factory=list)

    def bump(self, by=1):
        self.n += by
        return self.n

    @property
    def double(self):
        return self.n * 2


Pair = collections.namedtuple("Pair", "a b", defaults=(5,))


def scaled(t, *, by=2, plus=0):
    return t * by + plus


def shifted(t, *parts, **options):
    for part in parts:
        t = t + part
    return t * options.get("scale", 1)


def careful(a, b=0):
    if b == 0:
        raise ZeroDivisionError(f"{a} by nothing")
    return a // b


def upto(n):
    k_ = 0
    while k_ < n and k_ < 4:
        yield k_
        k_ += 1


def parts(t):
    for i in range(3):
        yield t[i]


def told(error):
    """An exception as a result. Refusals are none."""
    name, message = type(error).__name__, str(error).partition("\n")[0]
    if name == "StagingError" or any(
            word in message for word in ("graph", "record", "captured")):
        raise error
    return name, message
'''


def later_features(seed: int) -> set[str]:
    """Features added later: earlier seeds keep their programs."""
    rng = random.Random(f"later everyday {seed}")
    return {"containers"} if seed >= 4_000_000 and rng.random() < 0.4 else set()


def _made(w: Names) -> list[str]:
    """A new name, or another value for one there is."""
    kind = w.rng.choice("IIIIFFFVKSJB" + "sss" * w.has("texts"))
    make: dict[str, Callable[[], str]] = {
        "I": lambda: whole(w), "F": lambda: real(w), "B": lambda: test(w),
        "s": lambda: text(w)}
    value = make[kind]() if kind in make else tensor(w, kind)
    if kind == "B":
        value = f"bool({value})"
    name = w.local(kind) if w.chance(0.35) and not w.in_function else ""
    if name:
        if kind in "IF" and w.chance(0.4):
            return [f"{name} {w.rng.choice(['+=', '-='])} {value}"]
        return [f"{name} = {value}"]
    return [f"{w.add(kind)} = {value}"]


def _unused(w: Names) -> list[str]:
    i, k, v = whole(w, 1), w.pick("K"), w.pick("V")
    ways = [f"{i} // {whole(w, 1)}", f"{v}[{i}]", f"{k}[{i}]", f"{v} + {v}[:{i}]",
            f"{k} // {k}", f"{v}.reshape({i}, -1)", f"careful({i}, {whole(w, 1)})",
            f"{v}[{k}]", f"[1, 2, 3][{i}]", f'{{"a": 1}}[{text(w)}]',
            f"int({text(w)})", f"{v} @ {v}[{i}:]"]
    if w.of("L"):
        ways += [f"{w.pick('L')}[{i}]", f"{w.pick('L')}.index({number(w)})"]
    line = w.rng.choice(ways)
    return [line if w.chance(0.6) else f"unused = {line}"]


def _listed(w: Names) -> list[str]:
    old = w.pick("L")
    if not old or w.chance(0.2):
        value = f"[{number(w)}, {number(w)}]"
        return [f"{w.add('L')} = {value}"]
    i = whole(w, 1)
    if w.chance(0.45):
        kind, value = w.rng.choice([
            ("I", f"len({old})"), ("I", f"int(sum({old}))"),
            ("I", f"sum(1 for q in {old} if q > {w.rng.randint(0, 2)})"),
            ("F", f"float(max({old}))"), ("F", f"float(sum({old}))"),
            ("F", f"float({old}[{i} % len({old})])"),
            ("L", f"sorted({old})"), ("L", f"{old}[{i} % 2:]"),
            ("L", f"[q * 2 for q in {old}]"), ("L", f"[q for q in {old} if q > 0]"),
            ("L", f"[q + j for j, q in enumerate({old})]"),
            ("L", f"[a * b for a, b in zip({old}, {w.pick('V')}.tolist())]"),
            ("L", f"{w.pick('K')}.tolist()"), ("L", f"list(reversed({old}))"),
            ("L", f"{old} + [{number(w)}]"), ("L", f"[*{old}, {number(w)}]"),
            ("B", f"any(q > 1 for q in {old})"), ("B", f"{i} in {old}"),
            ("V", f"{w.pick('V')} * {old}[-1]"),
        ])
        return [f"{w.add(kind)} = {value}"]
    return [w.rng.choice([
        f"{old}.append({number(w)})", f"{old}[-1] = {number(w)}",
        f"{old}[{i} % len({old})] += 1", f"{old}.insert(0, {number(w)})",
        f"{old}.extend([{number(w)}])", f"{old}.reverse()", f"{old}.sort()",
        f"{old} += [{number(w)}]",
    ])]


def _keyed(w: Names) -> list[str]:
    i = whole(w, 1)
    if w.chance(0.4):
        kind, value = w.rng.choice([
            ("I", 'd["n"]'), ("I", f'd.get("z", {i})'), ("I", "len(d)"),
            ("I", "sum(q for q in d.values() if isinstance(q, int))"),
            ("s", '"".join(sorted(d))'), ("L", "list(d.values())[:2]"),
            ("L", f"[q for q in {{j: {i} for j in range(2)}}.values()]"),
            ("I", 'd.pop("extra", 3)'),
        ])
        return [f"{w.add(kind)} = {value}"]
    return [w.rng.choice([
        f'd["n"] += {i}', f'd["f"] = {real(w)}',
        f'd[f"""k{{{i} % 2}}"""] = {number(w)}',
        f'd["extra"] = {number(w)}', f'd.update(n={i}, g={real(w)})',
        f'd.setdefault("h", {number(w)})', f"d[{i} % 3] = {text(w)}",
    ])]


def _recorded(w: Names) -> list[str]:
    if w.chance(0.35):
        kind, value = w.rng.choice([
            ("I", f"rec.bump({whole(w, 1)})"), ("I", "rec.double"),
            ("I", f"Record({whole(w, 1)}).bump(by=2)"), ("I", "rec.n"),
            ("I", f"dataclasses.replace(rec, n={whole(w, 1)}).n"),
            ("s", "repr(Record(rec.n, None, []))"), ("I", "len(rec.seen)"),
        ])
        return [f"{w.add(kind)} = {value}"]
    return [w.rng.choice([
        f"rec.n += {whole(w, 1)}", f"rec.t = {tensor(w, 'V')}", "rec.bump()",
        f"rec.seen.append({number(w)})", f"rec.n = {whole(w)}",
        f"rec.note = {text(w)}", f"rec.last = {number(w)}",
        f"rec.pair = Pair({number(w)})",
    ])]


def _paired(w: Names) -> list[str]:
    i, f = whole(w, 1), real(w, 1)
    a, b = w.add("I"), w.add("F")
    return w.rng.choice([
        [f"{a}, {b} = Pair({i}, {f})"], [f"{a}, {b} = {i}, {f}"],
        [f"{b}, {a} = Pair(b={i}, a={f})"], [f"({a}, _), {b} = ({i}, 1), {f}"],
        [f"pair = Pair({i})._replace(b={f})", f"{a}, {b} = pair.a, pair.b"],
        [f"{a}, *rest = [{i}, 2, {f}]", f"{b} = rest[-1]"],
        [f"{a}, {b} = {i}, {f}", f"{a}, {b} = int({b}), float({a})"],
        [f"{a} = divmod({i}, 2)[0]", f"{b} = sum([{f}, {a}], 0.5)"],
    ])


def _printed(w: Names) -> list[str]:
    return [w.rng.choice([
        f"print({number(w)})", f'print("now", {whole(w)}, {w.pick("T")}, sep="|")',
        f"print({text(w)})", f'print(f"""{{{number(w)}}}""", end=";")',
        f"print({w.pick('L') or '[]'}, {test(w)})",
    ])]


def _sets(w: Names) -> list[str]:
    i, j = whole(w, 1), whole(w, 1)
    return [f"{w.add('I')} = " + w.rng.choice([
        f"len({{{i}, {j}, 2}})", f"sum({{j % 3 for j in range({i} % 5)}})",
        f"max({{1, 2}} | {{{i}}})"])]


def statement(w: Names) -> list[str]:
    def on(feature: str, weight: float = 1.0) -> float:
        return weight if w.has(feature) else 0.0

    deep = 0.0 if w.depth >= 3 else 1.0
    ways: list[tuple[float, Callable[[], list[str] | None]]] = [
        (3.0, lambda: _made(w)), (on("unused", 0.7), lambda: _unused(w)),
        (on("lists"), lambda: _listed(w)), (on("dicts"), lambda: _keyed(w)),
        (on("records"), lambda: _recorded(w)), (on("pairs"), lambda: _paired(w)),
        (on("prints"), lambda: _printed(w)), (on("sets", 0.5), lambda: _sets(w)),
        (on("containers", 3.0), lambda: containers.contained(w)),
        (on("branches", 1.5 * deep), lambda: flow.branch(w, statement)),
        (on("loops", 1.2 * deep), lambda: flow.loop(w, statement)),
        (on("tries", 1.2 * deep), lambda: flow.attempt(w, statement)),
        (on("generators", deep), lambda: flow.generated(w)),
        (on("walrus", deep), lambda: flow.walrus(w, statement)),
        (on("nested", deep), lambda: flow.nested(w, statement)),
        (on("match", deep), lambda: flow.match(w, statement)),
        (on("returns", 0.6), lambda: flow.early(w)),
        (on("raises", 0.6), lambda: flow.refuse(w)),
        (0.5 * w.in_loop, lambda: flow.leave(w)),
    ]
    left = [way for way in ways if way[0] > 0]
    while left:
        i = w.rng.choices(range(len(left)), [weight for weight, _ in left])[0]
        lines = left.pop(i)[1]()
        if lines is not None:
            return lines
    return ["pass"]


def _result(w: Names) -> str:
    kinds = [k for k in "IIFNNsBLVKSJ" + "LQDEWG" * w.has("containers") if w.of(k)]
    parts = [w.pick(w.rng.choice(kinds)) for _ in range(w.rng.randint(1, 4))]
    if w.has("kinds"):
        parts += [f"type({w.pick('N')}).__name__", f"isinstance({w.pick('N')}, int)"]
    made = ", ".join(parts)
    return w.rng.choice([made, made, f"[{made}]", f'{{"r": {parts[0]}}}',
                         f"Pair({parts[0]}, {parts[-1]})", parts[0],
                         f"Record({parts[0]}, {parts[-1]})"])


def _data(rng: random.Random) -> tuple[str, str]:
    floats = ", ".join(repr(rng.randint(-8, 8) / 4) for _ in range(3))
    ints = ", ".join(str(rng.randint(-2, 4)) for _ in range(3))
    return f"T.tensor([{floats}], dtype=T.float64)", f"T.tensor([{ints}])"


def program(seed: int) -> Program:
    rng = random.Random(f"everyday {seed}")
    chosen = {name for name, p in FEATURES.items() if rng.random() < p}
    w = Names(rng, chosen | later_features(seed))
    for kind, name in (("V", "x"), ("K", "k"), ("I", "n")):
        w.add(kind, name)
    body: list[str] = []
    if w.has("nested"):
        w.add("I", "total")
        body += ["nonlocal total"]
    if w.has("records"):
        w.add("I", "rec.n")
    if w.has("lists"):
        w.add("L", "acc")
    if w.has("dicts"):
        w.add("I", 'd["n"]')
    if w.has("containers"):
        body += containers.contained(w) + containers.contained(w)
    for _ in range(rng.randint(2, 8)):
        body += statement(w)
    body += [f"return {_result(w)}"]
    setup = ["total = 0", "acc = [1, 2]", 'd = {"n": 1, "f": 0.5}',
             "rec = Record(1, T.tensor([1.0]))"]
    calls = []
    for _ in range(rng.randint(3, 5)):
        x, k = _data(rng)
        n = rng.choice([0, 1, 1, 2, 3])
        calls += ["try:", f"    r = step({x}, {k}, {n}, {rng.choice([True, False])})",
                  "except Exception as error:", "    r = told(error)",
                  "see(r, total=total, acc=acc, d=d, rec=rec)"]
    more = containers.PRELUDE.split("\n") if w.has("containers") else []
    lines = [*PRELUDE.split("\n"), "", *more, "", "def run(wrap, see):",
             *indented([*setup, "", "@wrap", "def step(x, k, n, flag):",
                        *indented(body), "", *calls])]
    return Program("everyday", seed, "\n".join(lines) + "\n", torch=False)
