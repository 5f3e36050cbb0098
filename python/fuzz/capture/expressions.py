"""Expressions over the names in scope, by kind. They keep numbers near 1."""

from __future__ import annotations

from .writer import Writer

_ELEMENTWISE = (
    "T.tanh({})", "T.sin({})", "({} * 0.5)", "T.relu({})", "(-{})", "T.sigmoid({})",
    "T.exp(-{} * {})", "{}.clamp(-1.0, 1.0)", "T.abs({})", "({} ** 2)",
    "({} / 1.5)", "(1.0 - {})", "T.cos({})",
)


def number(w: Writer) -> str:
    """A number of Python's: a literal, or one the program keeps."""
    name = w.scope.pick("F")
    if name and w.chance(0.4):
        return name.text
    count = w.scope.pick("I")
    if count and w.chance(0.2):
        return f"({count.text} * 0.1)"
    return w.number(0.1, 1.5)


def tensor(w: Writer, kind: str, depth: int = 0) -> str:
    """An expression of a kind. REQUIRES: a name from which the kind can be made."""
    rng = w.rng
    name = w.scope.pick(kind)
    if name and (depth >= 2 or w.chance(0.35)):
        return name.text
    if name is None or w.chance(0.25):
        made = _from_other(w, kind, depth)
        if made:
            return made
    choice = rng.random()
    if choice < 0.4:
        text = rng.choice(_ELEMENTWISE)
        inner = tensor(w, kind, depth + 1)
        return text.format(*[inner] * text.count("{}"))
    if choice < 0.75:
        a, b = tensor(w, kind, depth + 1), tensor(w, kind, depth + 1)
        return f"({a} {rng.choice(['+', '-', '*', '+'])} {b})"
    if choice < 0.85:
        op = rng.choice(["*", "+"])
        return f"({tensor(w, kind, depth + 1)} {op} {number(w)})"
    if choice < 0.93:
        a = tensor(w, kind, depth + 1)
        b = tensor(w, kind, depth + 1)
        return f"T.where({a} > {w.number(-0.3, 0.3)}, {a}, {b})"
    if w.has("calls") and kind == "V":
        return f"{rng.choice(['mix', 'quiet'])}({tensor(w, 'V', depth + 1)})"
    return f"({tensor(w, kind, depth + 1)} * {w.number(0.2, 0.9)})"


def _from_other(w: Writer, kind: str, depth: int) -> str | None:
    scope, rng = w.scope, w.rng
    v, m, q, s = scope.pick("V"), scope.pick("M"), scope.pick("Q"), scope.pick("S")
    ways: list[str] = []
    if kind == "S":
        if v:
            ways += [f"{v.text}.sum()", f"{v.text}.mean()", f"{v.text}[1]",
                     f"({v.text} * {v.text}).sum()", f"{v.text}.max()"]
        if m:
            ways += [f"{m.text}.sum()", f"{m.text}.mean()", f"{m.text}[0, 1]"]
    elif kind == "V":
        if m:
            ways += [f"{m.text}.sum(0)", f"{m.text}.mean(0)", f"{m.text}[0]",
                     f"{m.text}[-1]"]
        if q:
            ways += [f"{q.text}[1]", f"{q.text}.sum(1)", f"{q.text}.T[0]"]
        if v and q:
            ways += [f"({v.text} @ {q.text} * 0.5)"]
        if v and s:
            ways += [f"({v.text} * {s.text})"]
        if w.has("layers") and v:
            ways += [f"{w_net(w)}.lin({v.text})"] * 2
            if w.has("random"):
                w.torch = False
                ways += [f"{w_net(w)}.drop({v.text})"]
        if w.has("target") and v and not w.has("in_forward"):
            ways += [f"target({v.text}, flag)"]
        if w.has("random") and w.chance(0.5):
            w.torch = False
            ways = [f"T.rand({rng.choice(['3', '(3,)'])}, dtype=D)",
                    "T.randn(3, dtype=D)"]
            if v:
                ways += [f"T.rand_like({v.text})"]
    elif kind == "M":
        if m and q:
            ways += [f"({m.text} @ {q.text} * 0.5)"]
        if m and v:
            ways += [f"({m.text} + {v.text})", f"({m.text} * {v.text})"]
        if m and w.has("layers"):
            ways += [f"{w_net(w)}.lin({m.text})"]
            if w.has("norm"):
                ways += [f"{w_net(w)}.norm({m.text})"] * 2
    elif kind == "Q":
        if q:
            ways += [f"{q.text}.T", f"({q.text} @ {q.text} * 0.3)"]
        if v:
            ways += [f"({v.text}.unsqueeze(1) * {v.text})",
                     f"{v.text}.expand(3, 3)", f"T.stack([{v.text}] * 3)"]
    elif kind == "P":
        if v:
            ways += [f"{v.text}[1:]", f"{v.text}[:2]"]
    elif kind == "B":
        if m:
            ways += [f"{m.text}.sum(1)", f"{m.text}[:, 1]", f"{m.text}.mean(dim=1)"]
    return rng.choice(ways) if ways else None


def w_net(w: Writer) -> str:
    """How the code being written calls its module."""
    return "self" if w.has("in_forward") else "net"


def scalar(w: Writer) -> str:
    """A loss: one element that depends on much."""
    kind = w.rng.choice([k for k in "VMQ" if w.scope.of(k)] or ["S"])
    if kind == "S":
        return tensor(w, "S")
    inner = tensor(w, kind)
    return w.rng.choice(
        [f"({inner} ** 2).sum()", f"{inner}.sum()", f"T.tanh({inner}).mean()"])


def test(w: Writer) -> str:
    """A condition that a tensor decides."""
    kind = w.rng.choice([k for k in "SVM" if w.scope.of(k)] or ["V"])
    name = w.scope.pick(kind)
    if name is None:
        return f"{tensor(w, 'S')} > {w.number(-0.5, 0.5)}"
    text, bound = name.text, w.number(-0.8, 0.8)
    if kind == "S":
        ways = [f"{text} > {bound}", f"{text} < {bound}", f"abs({text}) > {bound}"]
    elif kind == "V":
        ways = [f"{text}.sum() > {bound}", f"{text}[0] < {bound}",
                f"({text} > {bound}).any()", f"({text} > {bound}).all()",
                f"{text}.mean() < {text}[1]"]
    else:
        ways = [f"{text}.mean() > {bound}", f"{text}[0, 0] < {bound}"]
    made = w.rng.choice(ways)
    if w.chance(0.15):
        second = w.scope.pick("V")
        if second:
            word = w.rng.choice(["and", "or"])
            made = f"{made} {word} {second.text}[2] > {w.number(-0.5, 0.5)}"
    return f"not ({made})" if w.chance(0.08) else made


def plain_test(w: Writer) -> str:
    """A condition over Python's own values."""
    count, size, rows = w.scope.pick("I"), w.scope.pick("F"), w.scope.pick("M")
    ways = ["flag"]
    if count:
        ways += [f"{count.text} % 2 == 0", f"{count.text} > 2"]
    if size:
        ways += [f"{size.text} > 0.7"]
    if rows and w.has("sizes"):
        ways += [f"{rows.text}.shape[0] > 2", f"len({rows.text}) % 2 == 0"]
    if w.has("module"):
        ways += [f"{w_net(w)}.training"]
    if w.has("modes"):
        ways += ["T.is_grad_enabled()"]
    return w.rng.choice(ways)
