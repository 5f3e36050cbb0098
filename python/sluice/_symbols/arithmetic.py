"""Quotients, remainders, minima and maxima of Exprs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import _core
from .expression import Expr, atom


def not_zero(divisor: Expr, plain: Callable[[int, int], Any]) -> None:
    """Raises what `plain` raises if the divisor is zero now. Else the recording serves
    calls where it is not zero."""
    least, most = divisor.bounds()
    if (least is not None and least > 0) or (most is not None and most < 0):
        return
    if divisor.hint() is None:
        return  # the graph checks it when it runs
    from .numbers import whole

    if whole(divisor) == 0:
        plain(1, 0)


def quotient(a: Expr, b: Expr) -> Expr:
    """a // b with Python's meaning. Raises if b is zero."""
    not_zero(b, operator.floordiv)
    exact = a.over(b)
    if exact is not None:
        return exact
    number = b.constant()
    outside = Expr.of(0)
    if number is not None:
        outside, a = a.split(number)
        known = a.constant()
        if known is not None:
            return outside.plus(Expr.of(known // number))
    op = _core.op_function("FloorDiv")
    return outside.plus(_pair("//", a, b, op, operator.floordiv, _sign(a, b)))


def remainder(a: Expr, b: Expr) -> Expr:
    """a % b with Python's meaning. Raises if b is zero."""
    not_zero(b, operator.mod)
    if a.over(b) is not None:
        return Expr.of(0)
    number = b.constant()
    if number is not None:
        a = a.split(number)[1]
        known = a.constant()
        if known is not None:
            return Expr.of(known % number)
    least = 0 if (b.bounds()[0] or 0) > 0 or _sign(a, b) == 0 else None
    return _pair("%", a, b, _core.op_function("Mod"), operator.mod, least)


def _sign(a: Expr, b: Expr) -> int | None:
    """0 if neither is negative for any sizes."""
    for e in (a, b):
        least = e.bounds()[0]
        if least is None or least < 0:
            return None
    return 0


def _pair(
    sign: str, a: Expr, b: Expr, op: Any, plain: Callable[[int, int], int],
    least: int | None,
) -> Expr:  # fmt: skip
    x, y = a.hint(), b.hint()
    hint = None if x is None or y is None else plain(x, y)
    if sign in ("min", "max"):
        text = f"{sign}({a}, {b})"
    else:
        left, right = (f"({e})" if _loose(str(e)) else str(e) for e in (a, b))
        text = f"{left}{sign}{right}"

    def build() -> Any:
        return op(_operand(a), _operand(b))

    everywhere = a.everywhere() and b.everywhere()
    leaf = (a.atoms() or b.atoms())[0].leaf
    key = (sign, a.key, b.key)
    return Expr.one(atom(key, hint, text, everywhere, build, leaf, least))


def _loose(text: str) -> bool:
    return " " in text and not text.startswith(("min(", "max("))


def _operand(e: Expr) -> Any:
    known = e.constant()
    return e.tensor() if known is None else known


def extreme(name: str, exprs: list[Expr]) -> Expr:
    """The min or max of these."""
    op = _core.op_function("Minimum" if name == "min" else "Maximum")
    plain = min if name == "min" else max
    made = exprs[0]
    for e in exprs[1:]:
        least, most = made.plus(e, -1).bounds()
        if least is not None and least >= 0:  # the first is never smaller
            made = e if name == "min" else made
        elif most is not None and most <= 0:
            made = made if name == "min" else e
        else:
            lows = made.bounds()[0], e.bounds()[0]
            known = [low for low in lows if low is not None]
            low = plain(known) if len(known) == 2 or name == "max" and known else None
            made = _pair(name, made, e, op, plain, low)
    return made
