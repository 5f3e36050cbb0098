"""Lists of everyday lines, run here and in the library they were written for."""

import ast
import pathlib
from typing import NamedTuple

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "everyday"


class Line(NamedTuple):
    """One of a list: its text, and whether it draws at random."""

    text: str
    drawn: bool


def lines(name):
    """The lines of a list, without titles and notes."""
    made = []
    for text in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if text and not text.startswith("#"):
            drawn = text.startswith("~ ")
            made.append(Line(text[2:] if drawn else text, drawn))
    return made


def refused(name):
    """What is refused on purpose: the line, and the reason that stands above it."""
    made, reason = {}, ""
    for text in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if text.startswith("# "):
            reason = text[2:]
        elif text:
            made[text.removeprefix("~ ")] = reason
    return made


def value(text, names):
    """What the last expression of a line gives."""
    tree = ast.parse(text.replace("\\n", "\n"))
    known = dict(names)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"no expression at the end of {text!r}")
    exec(compile(ast.Module(tree.body[:-1], []), "<everyday>", "exec"), known)
    return eval(compile(ast.Expression(last.value), "<everyday>", "eval"), known)


def _plain(made):
    """Arrays, numbers and text, whatever library they are of."""
    if isinstance(made, dict):
        return {k: _plain(v) for k, v in made.items()}
    if isinstance(made, (tuple, list)):
        return [_plain(v) for v in made]
    if isinstance(made, (str, bool, int, float, complex, type(None))):
        return made
    if isinstance(made, (np.ndarray, np.generic)):
        return np.asarray(made)
    if hasattr(made, "detach"):
        made = made.detach()
        if str(made.dtype).rpartition(".")[2] in ("bfloat16", "float16"):
            made = made.float()
        return made.numpy()
    return str(made)


def difference(ours, theirs, drawn=False):
    """Why two results are not the same, or nothing."""
    ours, theirs = _plain(ours), _plain(theirs)
    if isinstance(theirs, dict) and isinstance(ours, dict):
        ours, theirs = sorted(ours.items()), sorted(theirs.items())
    if isinstance(theirs, list):
        # An array may stand for a list of numbers.
        if not isinstance(ours, list) or len(ours) != len(theirs):
            return f"{ours!r}; wanted {theirs!r}"
        return next(filter(None, (
            difference(a, b, drawn) for a, b in zip(ours, theirs))), None)  # fmt: skip
    if isinstance(theirs, str) or theirs is None:
        return None if ours == theirs else f"{ours!r}; wanted {theirs!r}"
    if isinstance(ours, (str, list, dict)) or ours is None:
        return f"{ours!r}; wanted {theirs!r}"
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return f"shape {a.shape}; wanted {b.shape}"
    if a.dtype.kind != b.dtype.kind and {a.dtype.kind, b.dtype.kind} != {"i", "u"}:
        return f"{a.dtype}; wanted {b.dtype}"
    if drawn or a.dtype.kind in "OSU":
        return None
    near = np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)
    return None if near else f"{a.tolist()}; wanted {b.tolist()}"
