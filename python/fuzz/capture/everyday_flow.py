"""Blocks of everyday programs: branches, loops with else, try, closures, match."""

from __future__ import annotations

from collections.abc import Callable

from .everyday_parts import Names, number, real, tensor, test, text, whole
from .writer import indented

Body = Callable[[Names], list[str]]


def block(w: Names, body: Body, most: int = 2) -> list[str]:
    mark = len(w.names)
    w.depth += 1
    lines = []
    for _ in range(w.rng.randint(1, most)):
        lines += body(w)
    w.depth -= 1
    del w.names[mark:]
    return indented(lines)


def _round(w: Names, body: Body) -> list[str]:
    before, w.in_loop = w.in_loop, True
    lines = block(w, body)
    w.in_loop = before
    return lines


def branch(w: Names, body: Body) -> list[str]:
    lines = [f"if {test(w)}:", *block(w, body)]
    if w.chance(0.25):
        lines += [f"elif {test(w)}:", *block(w, body, 1)]
    if w.chance(0.6):
        lines += ["else:", *block(w, body)]
    return lines


def loop(w: Names, body: Body) -> list[str] | None:
    """Loops that numbers or tensors bound; names with k_ are kept by the reducer."""
    if w.depth >= 2:
        return None
    rng, mark = w.rng, len(w.names)
    w.count += 1
    k = f"k_{w.count}"
    form = rng.random()
    if form < 0.3:
        head = [f"for {k} in range({whole(w, 1)} % 4):"]
        w.add("I", k)
    elif form < 0.45:
        head = [f"for {k}, q in enumerate({w.pick('V')}.tolist()):"]
        w.add("I", k)
        w.add("F", "q")
    elif form < 0.6:
        head = [f"for q, p in zip({w.pick('K')}, {w.pick('V')}):"]
        w.add("J", "q")
        w.add("S", "p")
    elif form < 0.7 and w.of("L"):
        head = [f"for q in list({w.pick('L')}):"]
        w.add("F", "q")
    else:
        head = [f"{k} = 0", f"while {k} < 3 and ({test(w)}):", f"    {k} += 1"]
        w.add("I", k)
    lines = [*head, *_round(w, body)]
    del w.names[mark:]
    if w.chance(0.3):
        lines += ["else:", *block(w, body, 1)]
    return lines


def leave(w: Names) -> list[str]:
    return [f"if {test(w)}:", "    " + w.rng.choice(["break", "continue"])]


_CAUGHT = ("ZeroDivisionError", "IndexError", "(KeyError, IndexError)", "Own",
           "ValueError", "Exception", "ArithmeticError", "(Own, ZeroDivisionError)")


def attempt(w: Names, body: Body) -> list[str] | None:
    if w.depth >= 2:
        return None
    rng, loop_, was = w.rng, w.in_loop, w.may_return
    w.in_loop, w.may_return = False, False
    i = whole(w, 1)
    failing = rng.choice([
        [f"{w.add('I')} = careful({i}, {whole(w, 1)})"], [f"{i} // {whole(w, 1)}"],
        [f"if {test(w)}:", f"    raise Own({text(w)})"],
        [f"{w.pick('V')}[{i}]"], [f"[1, 2][{i}]"], [f"int({text(w)})"],
        [f"assert {test(w)}, {text(w)}"],
    ])
    if "careful" in failing[0]:
        w.names.pop()
    lines = ["try:", *block(w, body, 1), *indented(failing)]
    if w.chance(0.4):
        lines += block(w, body, 1)
    caught = rng.choice(_CAUGHT)
    mark = len(w.names)
    lines += [f"except {caught} as error:"]
    end = rng.random()
    if end < 0.35:
        lines += ["    caught = str(error)"]
        if w.has("prints"):
            lines += ["    print(caught, type(error).__name__)"]
    elif end < 0.45:
        lines += [f"    raise Own({text(w)}) from error"]
    lines += block(w, body, 1)
    del w.names[mark:]
    if w.chance(0.3):
        lines += ["else:", *block(w, body, 1)]
    if w.chance(0.35):
        lines += ["finally:", *block(w, body, 1)]
    w.in_loop, w.may_return = loop_, was
    return lines


def generated(w: Names) -> list[str]:
    i, v, k = whole(w, 1), w.pick("V"), w.pick("K")
    kind, value = w.rng.choice([
        ("L", f"list(upto({i}))"), ("I", f"sum(upto({i}))"),
        ("I", f"sum(j * {whole(w, 2)} for j in range(3))"),
        ("F", f"sum(float(q) for q in parts({v}))"),
        ("S", f"sum(parts({v}))"), ("L", f"[int(q) for q in parts({k})]"),
        ("I", f"next((j for j in range(4) if j > {i}), -1)"),
        ("B", f"all(int(q) > 0 for q in parts({k}))"),
        ("L", f"[a + b for a, b in zip(upto(3), {k}.tolist())]"),
        ("L", f"[j for j in range(3) if {test(w)}]"),
        ("L", f"list(map(lambda q: q + {i}, [1, 2]))"),
        ("I", f"max(range(3), key=lambda j: {k}.tolist()[j])"),
        ("L", f"[a for row in [[1], [2, {i}]] for a in row]"),
        ("I", f"{{j: j * 2 for j in range(3)}}[{i} % 3]"),
    ])
    return [f"{w.add(kind)} = {value}"]


def walrus(w: Names, body: Body) -> list[str]:
    value = whole(w)
    name = w.add("I")
    limit = w.rng.randint(0, 3)
    if w.chance(0.3):
        w.names.pop()
        return [f"{w.add('L')} = [y for q in range(3) if (y := q + {value}) > 1]"]
    lines = [f"if ({name} := {value}) > {limit}:", *block(w, body, 1)]
    if w.chance(0.5):
        lines += ["else:", *block(w, body, 1)]
    return lines


def nested(w: Names, body: Body) -> list[str] | None:
    """Closures that count in an enclosing variable."""
    if w.depth >= 1:
        return None
    start, by, other, condition = whole(w, 1), whole(w, 1), whole(w, 2), test(w)
    state, made = w.add("I"), w.add("I")
    w.count += 1
    name = f"inner{w.count}"
    inside = w.rng.choice([
        [f"{state} += by"], [f"if {condition}:", f"    {state} += by"],
        [f"{state} = {state} * 2 - by"], ["total += by", f"{state} += total"],
        ["for k_0 in range(by % 3):", f"    {state} += k_0 + 1"],
    ])
    names = state + (", total" if "total" in inside[0] else "")
    return [f"{state} = {start}", f"def {name}(by=1):",
            *indented([f"nonlocal {names}", *inside, f"return {state} + by"]),
            f"{made} = {name}() + {name}({by})" if w.chance(0.6) else
            f"{made} = {name}(by={other})"]


def match(w: Names, body: Body) -> list[str]:
    i = whole(w, 1)
    form = w.rng.choice([
        (f"match {i}:", "case 0:", "case 1 | 2:"),
        (f"match ({i}, {number(w)}):", "case (0, _):", "case (a, b) if a > b:"),
        (f"match Pair({i}, {real(w)}):", "case Pair(a=0):", "case Pair(a=1, b=b):"),
        (f"match [{i}, {i}]:", "case [1, *_]:", "case [a, b] if a == 2:"),
    ])
    lines = [form[0]]
    for case in (*form[1:], "case _:"):
        lines += indented([case, *block(w, body, 1)])
    return lines


def early(w: Names) -> list[str] | None:
    if not w.may_return:
        return None
    value = w.rng.choice([number(w), text(w), "None", tensor(w, "V"),
                          f"({number(w)}, {w.pick('T')})"])
    return [f"if {test(w)}:", f"    return {value}"]


def refuse(w: Names) -> list[str]:
    return [f"if {test(w)}:", f"    raise {w.rng.choice(['Own', 'ValueError'])}"
            f"({w.rng.choice([text(w), number(w), '3'])})"]
