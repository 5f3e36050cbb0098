"""Integers made of sizes: sums of products in a canonical form.

An Expr is a polynomial over atoms: sizes of axes, and quotients, remainders, minima and
maxima of other Exprs. Equal polynomials are equal for all sizes, so many comparisons
fold without deciding any size.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .. import _core

_add = _core.op_function("Add")
_mul = _core.op_function("Mul")
_neg = _core.op_function("Neg")
_gather = _core.op_function("Gather")
_shape = _core.op_function("Shape")

_less = _core.op_function("Less")
_cast = _core.op_function("Cast")

_MOST = 2**63 - 1
_WIDE = 3  # products of this many sizes may overflow 64 bits


class Atom:
    """A number that is not a sum or product. There is one per key.

    `hint` is its value in the call being recorded, or None if that depends on
    elements of tensors. `everywhere`: any region of the graph may read it.
    """

    __slots__ = (
        "__weakref__", "_build", "_made", "decided", "everywhere", "fixed", "hint",
        "key", "leaf", "least", "order", "text",
    )  # fmt: skip

    key: Any
    leaf: tuple[Any, int]
    hint: int | None
    text: str
    everywhere: bool
    least: int | None
    order: int
    fixed: bool
    decided: dict[Any, Any]

    def tensor(self) -> Any:
        """The scalar of the graph."""
        if not self.everywhere:
            return self._build()
        if self._made is None:
            self._made = _core.in_root(self._build)
        return self._made


_atoms: weakref.WeakValueDictionary[Any, Atom] = weakref.WeakValueDictionary()
_order = 0


def atom(
    key: Any,
    hint: int | None,
    text: str,
    everywhere: bool,
    build: Callable[[], Any],
    leaf: tuple[Any, int],
    least: int | None = 0,
) -> Atom:
    """The atom of a key. `least` is a lower bound for all sizes.

    `leaf` is a tensor and an axis from whose size the atom is made.
    """
    global _order
    known = _atoms.get(key)
    if known is not None:
        return known
    made = Atom()
    made.key, made.hint, made.text, made.everywhere = key, hint, text, everywhere
    made._build, made._made, made.least, made.leaf = build, None, least, leaf
    made.fixed, made.decided = False, {}
    _order += 1
    made.order = _order
    _atoms[key] = made
    return made


def axis_atom(tensor: Any, axis: int) -> Atom:
    """The size of an axis of a tensor of the graph."""
    key, hint, text, everywhere, now = _core.describe_size(tensor, axis)

    def build() -> Any:
        return _gather(_shape(now), axis)

    return atom(("size", *key), hint, text, everywhere, build, (now, axis))


Product = tuple[Atom, ...]


class Expr:
    """A sum of products of atoms, each with a factor. Immutable."""

    __slots__ = ("_key", "_made", "terms")

    def __init__(self, terms: dict[Product, int]) -> None:
        self.terms = {product: n for product, n in terms.items() if n != 0}
        self._key: Any = None
        self._made: Any = None

    @staticmethod
    def of(value: int) -> Expr:
        """The Expr of a number."""
        return Expr({(): value})

    @staticmethod
    def one(atom: Atom) -> Expr:
        """The Expr of an atom."""
        return Expr({(atom,): 1})

    @property
    def key(self) -> Any:
        """A key that is equal for equal polynomials."""
        if self._key is None:
            self._key = frozenset(
                (tuple(a.key for a in product), n) for product, n in self.terms.items()
            )
        return self._key

    def constant(self) -> int | None:
        """The number, if it does not depend on sizes; else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def atoms(self) -> list[Atom]:
        """The atoms in the polynomial."""
        return [a for product in self.terms for a in product]

    def hint(self) -> int | None:
        """The value in the call being recorded."""
        total = 0
        for product, n in self.terms.items():
            for a in product:
                if a.hint is None:
                    return None
                n *= a.hint
            total += n
        return total

    def fixed(self) -> bool:
        """Whether the code has decided the values of all its atoms.

        Raises if their recording has ended.
        """
        atoms = self.atoms()
        if not all(a.fixed for a in atoms):
            return False
        for a in atoms:
            _core.describe_size(*a.leaf)
        return True

    def plus(self, other: Expr, factor: int = 1) -> Expr:
        """self + factor * other."""
        terms = dict(self.terms)
        for product, n in other.terms.items():
            terms[product] = terms.get(product, 0) + factor * n
        return Expr(terms)

    def times(self, other: Expr) -> Expr:
        """self * other."""
        terms: dict[Product, int] = {}
        for a, n in self.terms.items():
            for b, m in other.terms.items():
                product = tuple(sorted((*a, *b), key=lambda atom: atom.order))
                terms[product] = terms.get(product, 0) + n * m
        return Expr(terms)

    def bounds(self) -> tuple[int | None, int | None]:
        """Lower and upper bounds; None if there is none."""
        least: int | None = self.terms.get((), 0)
        most = least
        for product, n in self.terms.items():
            if not product:
                continue
            low = 1
            for a in product:
                if a.least is None or a.least < 0:
                    return None, None
                low *= a.least
            if n > 0:
                most = None
                least = None if least is None else least + n * low
            else:
                least = None
                most = None if most is None else most + n * low
        return least, most

    def over(self, divisor: Expr) -> Expr | None:
        """self / divisor, if every product contains the divisor's; else None."""
        if len(divisor.terms) != 1:
            return None
        ((product, factor),) = divisor.terms.items()
        terms = {}
        for own, n in self.terms.items():
            left = list(own)
            for a in product:
                if a not in left:
                    return None
                left.remove(a)
            if n % factor:
                return None
            terms[tuple(left)] = n // factor
        return Expr(terms)

    def split(self, divisor: int) -> tuple[Expr, Expr]:
        """(q, r) with self = divisor * q + r, where no factor of r exceeds divisor."""
        quotient = {product: n // divisor for product, n in self.terms.items()}
        rest = {product: n % divisor for product, n in self.terms.items()}
        return Expr(quotient), Expr(rest)

    def everywhere(self) -> bool:
        """Whether any region of the graph may read it."""
        return all(a.everywhere for a in self.atoms())

    def tensor(self) -> Any:
        """The i64 scalar of the graph that computes it."""
        now = self.hint()
        if now is not None and abs(now) > _MOST:
            raise OverflowError(f"{self} is {now}; wanted at most 64 bits")
        if now is not None:
            for product, n in self.terms.items():
                if len(product) >= _WIDE:
                    _must_fit(product, n)
        if not self.everywhere():
            return self._build()
        if self._made is None:
            self._made = _core.in_root(self._build)
        return self._made

    def _build(self) -> Any:
        total = None
        for product, n in sorted(self.terms.items(), key=_place):
            part = None
            for a in product:
                part = a.tensor() if part is None else _mul(part, a.tensor())
            if part is None:
                part = n
            elif n == -1 and total is None:
                part = _neg(part)
            elif n != 1:
                part = _mul(part, n)
            total = part if total is None else _add(total, part)
        if total is None or isinstance(total, int):
            return _core.op_function("Cast")(total or 0, dtype=_core.int64)
        return total

    def __str__(self) -> str:
        parts = []
        for product, n in sorted(self.terms.items(), key=_place):
            names = [a.text if _plain(a.text) else f"({a.text})" for a in product]
            if n not in (1, -1) or not names:
                names.append(str(abs(n)))
            sign = "-" if n < 0 else "+"
            parts += [sign, "*".join(names)]
        if not parts:
            return "0"
        first = parts[1] if parts[0] == "+" else "-" + parts[1]
        return " ".join([first, *parts[2:]])


def _must_fit(product: Product, n: int) -> None:
    """Restricts the recording to sizes whose product fits into 64 bits."""
    key = ("fits", tuple(a.key for a in product), n)
    decided = product[0].decided
    if key in decided:
        return
    decided[key] = True

    def build() -> Any:
        total = _cast(abs(n), dtype=_core.float64)
        for a in product:
            total = _mul(total, _cast(a.tensor(), dtype=_core.float64))
        return _less(total, _cast(2.0**62, dtype=_core.float64))

    everywhere = all(a.everywhere for a in product)
    fits = _core.in_root(build) if everywhere else build()
    _core.require_size(fits, f"{Expr({product: n})} < 2**62")


def fits(expr: Expr) -> None:
    """Makes sure that its products fit into 64 bits."""
    for product, n in expr.terms.items():
        if len(product) >= _WIDE:
            product[0].decided["fits", tuple(a.key for a in product), n] = True


def _place(item: tuple[Product, int]) -> Any:
    product, _ = item
    # Atoms in the order of creation, the constant last.
    return (not product, [a.order for a in product])


def _plain(text: str) -> bool:
    return " " not in text or text.startswith(("min(", "max("))
