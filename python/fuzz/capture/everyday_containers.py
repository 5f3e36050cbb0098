"""Containers that a program makes and changes by their methods, under one name, under
two names, or in a function that receives them."""

from __future__ import annotations

from .everyday_parts import Names, number, tensor, text, whole

PRELUDE = '''\
def pushed(into, value):
    into.append(value)
    return len(into)


def swapped(both):
    both[0], both[-1] = both[-1], both[0]


def noted(table, key, value):
    table.setdefault(key, []).append(value)
    return table
'''

# Kinds in addition to those of everyday_parts:
#   Q  a deque   D  a dict of lists   E  a set of ints   W  a list of tensors (V)
#   G  a list of two lists


def contained(w: Names) -> list[str]:
    kind = w.rng.choice("LLQDEWG")
    old = w.pick(kind)
    if not old or w.chance(0.15):
        return _new(w, kind)
    if w.chance(0.15) and not w.in_function:
        return [f"{w.add(kind)} = {old}"]  # two names for one
    return _read(w, kind, old) if w.chance(0.35) else [_changed(w, kind, old)]


def _new(w: Names, kind: str) -> list[str]:
    a, b = number(w), number(w)
    made = {
        "L": f"[{a}, {b}, {whole(w, 1)}]",
        "Q": f"collections.deque([{a}, {b}], maxlen={w.rng.randint(2, 4)})",
        "D": f'{{"a": [{a}], "b": [{b}, 1]}}',
        "E": f"{{1, {whole(w, 1)}}}",
        "W": f"[{tensor(w, 'V')}, {tensor(w, 'V')}]",
        "G": f"[[{a}], [{b}, 2]]",
    }[kind]
    if kind == "D" and w.chance(0.4):
        made = "collections.defaultdict(list)"
    return [f"{w.add(kind)} = {made}"]


def _read(w: Names, kind: str, c: str) -> list[str]:
    i = whole(w, 1)
    gives, value = w.rng.choice({
        "L": [("I", f"len({c})"), ("L", f"{c}.copy()"), ("L", f"{c}[::-1]"),
              ("I", f"{c}.count({i})"), ("F", f"float(sum({c}))")],
        "Q": [("L", f"list({c})"), ("I", f"len({c})"), ("F", f"float(sum({c}))"),
              ("I", f"int({c}[-1])")],
        "D": [("I", f"len({c})"), ("L", f'{c}["a"]'), ("s", f'"".join(sorted({c}))'),
              ("L", f"[q for row in {c}.values() for q in row]"),
              ("I", f'len({c}.get("b", ()))')],
        "E": [("I", f"len({c})"), ("L", f"sorted({c})"), ("B", f"{i} in {c}")],
        "W": [("V", f"sum({c})"), ("V", f"{c}[-1]"), ("I", f"len({c})"),
              ("V", f"T.stack({c}).sum(0)"), ("F", f"float({c}[0].sum())")],
        "G": [("L", f"{c}[{i} % 2]"), ("I", f"len({c}[0])"),
              ("L", f"[q for row in {c} for q in row]")],
    }[kind])
    return [f"{w.add(gives)} = {value}"]


def _changed(w: Names, kind: str, c: str) -> str:
    i, n = whole(w, 1), number(w)
    v = tensor(w, "V") if kind == "W" else n
    ways = {
        "L": [f"{c}.pop()", f"{c}.pop(0)", f"{c}.remove({i})", f"{c}.clear()",
              f"del {c}[0]", f"{c}[:1] = [{n}, {i}]", f"{c} *= 2", f"swapped({c})",
              f"pushed({c}, {n})", f"list.append({c}, {n})", f"{c}.sort(reverse=True)",
              f"{c}.append({c}.pop(0))", f"{c}[0], {c}[-1] = {c}[-1], {n}"],
        "Q": [f"{c}.append({n})", f"{c}.appendleft({n})", f"{c}.rotate({i})",
              f"{c}.popleft()", f"{c}.pop()", f"pushed({c}, {n})", f"{c}.extend([{n}])",
              f"{c}[0] = {n}", f"{c}.clear()", f"{c}.reverse()"],
        "D": [f'{c}["a"].append({n})', f'{c}["b"] = [{n}]', f"{c}.update(c=[{n}])",
              f'{c}.pop("b", None)', f'noted({c}, "d", {n})', f"{c}.clear()",
              f'{c}.setdefault("e", []).append({n})', f'del {c}["a"]',
              f"noted({c}, {text(w)}, {i})", f'{c} |= {{"f": [{i}]}}',
              f"{c}.popitem()"],
        "E": [f"{c}.add({i})", f"{c}.discard({i})", f"{c} |= {{{i}, 3}}",
              f"{c}.remove({i})", f"{c}.clear()", f"{c}.update([{i}])", f"{c} -= {{1}}"],
        "W": [f"{c}.append({v})", f"{c}.pop()", f"{c}[0] = {v}", f"{c}.reverse()",
              f"{c}[0] += 1", f"swapped({c})", f"pushed({c}, {v})", f"{c}.insert(1, {v})",
              f"{c}[1:] = [{v}]", f"{c}[-1].mul_(0.5)", f"del {c}[-1]"],
        "G": [f"{c}[0].append({n})", f"{c}[{i} % 2] = {c}[0]", f"{c}.reverse()",
              f"pushed({c}[-1], {n})", f"{c}[1][0] = {n}", f"{c}.append([{n}])",
              f"swapped({c})", f"{c}[0].clear()"],
    }[kind]
    line = w.rng.choice(ways)
    if line.startswith(("pushed", "noted")) and w.chance(0.3):
        return f"{w.add('I')} = len([{line}])"
    return line
