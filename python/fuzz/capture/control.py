"""Blocks: branches, loops, with, try, nested functions."""

from __future__ import annotations

from collections.abc import Callable

from . import expressions as ex
from .writer import Writer, indented

Body = Callable[[Writer], list[str]]  # one statement


def block(w: Writer, body: Body, most: int = 2) -> list[str]:
    """Some statements; what they name is gone after them."""
    mark = w.scope.mark()
    w.depth += 1
    lines = []
    for _ in range(w.rng.randint(1, most)):
        lines += body(w)
    w.depth -= 1
    w.scope.release(mark)
    return indented(lines)


def branch(w: Writer, body: Body, test: str) -> list[str]:
    lines = [f"if {test}:", *block(w, body)]
    if w.chance(0.2):
        lines += [f"elif {ex.test(w)}:" if w.has("tensor_if") else "elif flag:",
                  *block(w, body, 1)]
    if w.chance(0.55):
        lines += ["else:", *block(w, body)]
    return lines


def tensor_if(w: Writer, body: Body) -> list[str] | None:
    return branch(w, body, ex.test(w)) if w.depth < 3 else None


def plain_if(w: Writer, body: Body) -> list[str] | None:
    return branch(w, body, ex.plain_test(w)) if w.depth < 3 else None


def choice(w: Writer) -> list[str] | None:
    """a if p else b."""
    name = w.scope.fresh()
    a, b = ex.tensor(w, "V", 1), ex.tensor(w, "V", 1)
    test = ex.test(w) if w.has("tensor_if") else ex.plain_test(w)
    w.scope.add(name, "V")
    return [f"{name} = {a} if {test} else {b}"]


def _loop(w: Writer, body: Body, most: int) -> list[str]:
    before, w.in_loop = w.in_loop, True
    lines = block(w, body, most)
    w.in_loop = before
    return lines


def leave(w: Writer) -> list[str] | None:
    """break or continue, if something."""
    if not w.in_loop:
        return None
    test = ex.test(w) if w.has("tensor_while") else ex.plain_test(w)
    return [f"if {test}:", "    " + w.rng.choice(["break", "continue"])]


def early_return(w: Writer) -> list[str] | None:
    if not w.may_return or not w.returned:
        return None
    test = ex.test(w) if w.has("tensor_if") else ex.plain_test(w)
    return [f"if {test}:", f"    return {w.returned[0]}"]


def tensor_while(w: Writer, body: Body) -> list[str] | None:
    """A loop that a tensor ends. The counter bounds it: names with k_ are kept by
    the reducer."""
    if w.depth >= 2:
        return None
    k = w.scope.fresh("k_")
    form = w.rng.random()
    if form < 0.5:
        lines = [f"{k} = 0", f"while {k} < {w.rng.randint(2, 4)} and ({ex.test(w)}):",
                 f"    {k} += 1"]
        return lines + _loop(w, body, 2)
    if form < 0.75:
        lines = [f"for {k} in range({w.rng.randint(2, 4)}):",
                 f"    if {ex.test(w)}:", "        break"]
        return lines + _loop(w, body, 2)
    lines = [f"{k} = 0", "while True:", f"    {k} += 1",
             f"    if {k} > 3 or {ex.test(w)}:", "        break"]
    return lines + _loop(w, body, 2)


def rows(w: Writer, body: Body) -> list[str] | None:
    """for row in a tensor."""
    if w.depth >= 2:
        return None
    old = w.scope.pick("MQ")
    if old is None:
        return None
    mark = w.scope.mark()
    row = w.scope.fresh("row")
    w.scope.add(row, "V", assigned=False, leaf=old.leaf, written=False)
    head = f"for {row} in {old.text}:"
    if w.chance(0.3):
        index = w.scope.fresh("i")
        head = f"for {index}, {row} in enumerate({old.text}):"
    lines = [head, *_loop(w, body, 2)]
    w.scope.release(mark)
    return lines


def plain_for(w: Writer, body: Body) -> list[str] | None:
    if w.depth >= 2:
        return None
    k = w.scope.fresh("k_")
    end = w.rng.choice(["2", "3", "2"])
    mark = w.scope.mark()
    w.scope.add(k, "I", assigned=False)
    lines = [f"for {k} in range({end}):", *_loop(w, body, 2)]
    w.scope.release(mark)
    return lines


_MODES = ("T.no_grad()", "T.no_grad()", "T.set_grad_enabled(False)",
          "T.set_grad_enabled(flag)", "T.inference_mode()", "T.enable_grad()")


def grad_mode(w: Writer, body: Body) -> list[str] | None:
    if w.depth >= 3:
        return None
    mode = w.rng.choice(_MODES)
    if "inference" in mode:
        w.torch = False  # there its tensors are of a kind of their own
    before, w.no_grad = w.no_grad, mode not in (_MODES[3], _MODES[5])
    lines = [f"with {mode}:", *block(w, body)]
    w.no_grad = before
    return lines


def attempt(w: Writer, body: Body) -> list[str] | None:
    """try with an exception of the program's own."""
    if w.depth >= 2:
        return None
    before, w.in_loop = w.in_loop, False
    was, w.may_return = w.may_return, False
    test = ex.plain_test(w)
    lines = ["try:", *block(w, body, 1), f"    if {test}:",
             '        raise Own("own")', *block(w, body, 1),
             "except Own:", *block(w, body, 1)]
    if w.chance(0.4):
        lines += ["finally:", *block(w, body, 1)]
    w.in_loop, w.may_return = before, was
    return lines


def own_context(w: Writer, body: Body) -> list[str] | None:
    """A context manager, or a generator, of the program's own."""
    if w.depth >= 2:
        return None
    if w.has("module") and w.chance(0.6):
        return [f"with frozen({ex.w_net(w)}.w):", *block(w, body)]
    mark = w.scope.mark()
    piece = w.scope.fresh("piece")
    source = ex.tensor(w, "V", 1)
    w.scope.add(piece, "V", assigned=False)
    lines = [f"for {piece} in pieces({source}):", *_loop(w, body, 2)]
    w.scope.release(mark)
    return lines


def refuse(w: Writer) -> list[str] | None:
    """An exception that leaves the function, in a way of few calls."""
    test = ex.test(w) if w.has("tensor_if") and w.chance(0.5) else ex.plain_test(w)
    return [f"if {test} and {ex.plain_test(w)}:", '    raise Own("own")']


def nested(w: Writer, body: Body) -> list[str] | None:
    """A function inside, that reads and writes what is around it."""
    if w.depth >= 1:
        return None
    name = w.scope.fresh("inner")
    local = w.scope.fresh("u")
    mark = w.scope.mark()
    w.scope.add(local, "V", assigned=False)
    before = (w.in_loop, w.may_return, w.depth)
    w.in_loop, w.may_return = False, False
    # Only names of its own are assigned there: others would become local.
    frozen = [n for n in w.scope.names if n.assigned and n.text.isidentifier()]
    for n in frozen:
        n.assigned = False
    w.binds_nothing = True
    inside = block(w, body)
    w.binds_nothing = False
    result = ex.tensor(w, "V", 1)
    for n in frozen:
        n.assigned = True
    w.in_loop, w.may_return, w.depth = before
    w.scope.release(mark)
    lines = [f"def {name}({local}):", *inside, f"    return {result}"]
    argument = ex.tensor(w, "V", 1)
    out = w.scope.fresh()
    w.scope.add(out, "V")
    decorated = w.has("modes") and w.chance(0.25)
    return (["@T.no_grad()"] if decorated else []) + lines + [
        f"{out} = {name}({argument})"]
