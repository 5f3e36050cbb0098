"""SymInt, SymFloat, SymBool: numbers made of sizes in a function being recorded.

They support arithmetic like numbers and become scalars of the graph as operands of ops.
Where Python needs the value (bool, int, float, hash, a string), it is that of the call
being recorded. A guard then restricts the recording to calls with the same value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import _core
from .arithmetic import extreme, not_zero, quotient, remainder
from .expression import Atom, Expr, atom, axis_atom, fits
from .symbol import Symbol

Tensor = _core.Tensor
_cast = _core.op_function("Cast")
_OPS = {
    "<": (_core.op_function("Less"), operator.lt),
    "<=": (_core.op_function("LessEqual"), operator.le),
    ">": (_core.op_function("Greater"), operator.gt),
    ">=": (_core.op_function("GreaterEqual"), operator.ge),
    "==": (_core.op_function("Equal"), operator.eq),
    "!=": (_core.op_function("NotEqual"), operator.ne),
}
_ARITHMETIC = {
    "+": (_core.op_function("Add"), operator.add),
    "-": (_core.op_function("Sub"), operator.sub),
    "*": (_core.op_function("Mul"), operator.mul),
    "/": (_core.op_function("Div"), operator.truediv),
}


def known_sizes(tensor: Any) -> Any:
    """The shape, with None for sizes that depend on elements of tensors."""
    shape = tensor.shape
    if not shape:
        return shape
    return tuple(
        None if isinstance(size, Symbol) and size.hint is None else size
        for size in shape
    )


def _expr(value: Any) -> Expr | None:
    """An integer as an Expr; None for other values."""
    kind = type(value)
    if kind is int or kind is bool:
        return Expr.of(int(value))
    if isinstance(value, SymInt):
        return value.expr
    if isinstance(value, SymBool):
        return Expr.of(int(bool(value)))
    if isinstance(value, Tensor) or getattr(value, "ndim", 0) != 0:
        return None
    if hasattr(kind, "__index__"):  # a subclass of int, or a numpy integer
        return Expr.of(operator.index(value))
    return None


def whole(expr: Expr) -> Any:
    """The number: an int if it does not depend on sizes."""
    known = expr.constant()
    if known is not None:
        return known
    if expr.fixed():
        return expr.hint()
    return SymInt(expr)


def size_of(tensor: Any, axis: int) -> Any:
    """The size of an axis of a tensor of the graph being recorded."""
    return whole(Expr.one(axis_atom(tensor, axis)))


def count_of(sizes: list[Any]) -> Any:
    """The number of elements of these sizes."""
    total = Expr.of(1)
    for size in sizes:
        part = _expr(size)
        assert part is not None
        total = total.times(part)
    fits(total)  # as for the elements of every tensor
    return whole(total)


def _from_ints(
    f: Callable[[Expr, Expr], Any], plain: Callable[[Any, Any], Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator on integers, and its reflected form."""

    def forward(self: SymInt, other: Any) -> Any:
        expr = _expr(other)
        if expr is not None:
            return f(self.expr, expr)
        if isinstance(other, (float, SymFloat, complex)):
            return plain(_float(self), other)
        return NotImplemented

    def backward(self: SymInt, other: Any) -> Any:
        expr = _expr(other)
        if expr is not None:
            return f(expr, self.expr)
        if isinstance(other, (float, SymFloat, complex)):
            return plain(other, _float(self))
        return NotImplemented

    return forward, backward


def choose(name: str, values: Any) -> Any:
    """The min or max of integers, some of them symbolic; None for other values."""
    exprs = [e for e in map(_expr, values) if e is not None]
    if not exprs or len(exprs) != len(values):
        return None
    return whole(extreme(name, exprs))


def _power(base: Any, exponent: Any) -> Any:
    """base ** exponent of integers."""
    if type(exponent) is not int or not 0 <= exponent <= 4:
        return int(base) ** int(exponent)
    expr = _expr(base)
    assert expr is not None
    made = Expr.of(1)
    for _ in range(exponent):
        made = made.times(expr)
    return whole(made)


def _plus(a: Expr, b: Expr) -> Any:
    return whole(a.plus(b))


def _minus(a: Expr, b: Expr) -> Any:
    return whole(a.plus(b, -1))


def _quotient(a: Expr, b: Expr) -> Any:
    return whole(quotient(a, b))


def _remainder(a: Expr, b: Expr) -> Any:
    return whole(remainder(a, b))


def _times(a: Expr, b: Expr) -> Any:
    return whole(a.times(b))


def _ratio(a: Expr, b: Expr) -> Any:
    not_zero(b, operator.truediv)
    return _float(whole(a)) / _float(whole(b))


def _compared(sign: str) -> Callable[..., Any]:
    _, plain = _OPS[sign]

    def compare(self: Any, other: Any) -> Any:
        if isinstance(self, SymInt):
            expr = _expr(other)
            if expr is not None:
                return _compare_ints(sign, self.expr, expr)
        if isinstance(other, (int, float, SymInt, SymFloat)):
            return SymBool(sign, _float(self), _float(other))
        if isinstance(other, Tensor) or sign not in ("==", "!="):
            return NotImplemented
        if hasattr(other, "__array__") or isinstance(other, complex):
            return plain(self._now(), other)
        return NotImplemented

    return compare


def _compare_ints(sign: str, a: Expr, b: Expr) -> Any:
    away = a.plus(b, -1)
    known = away.constant()
    plain = _OPS[sign][1]
    if known is not None:
        return plain(known, 0)
    if away.fixed():
        return plain(away.hint(), 0)
    least, most = away.bounds()
    if least is not None:
        if sign in (">=",) and least >= 0 or sign in (">", "!=") and least > 0:
            return True
        if sign in ("<",) and least >= 0 or sign in ("<=", "==") and least > 0:
            return False
    if most is not None:
        if sign in ("<=",) and most <= 0 or sign in ("<", "!=") and most < 0:
            return True
        if sign in (">",) and most <= 0 or sign in (">=", "==") and most < 0:
            return False
    return SymBool(sign, whole(a), whole(b), away)


class SymInt(Symbol):
    """A whole number made of sizes."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    # isinstance(n, int) holds. C code, which would read the object, uses __index__.
    __class__ = property(lambda self: int)  # type: ignore[assignment]

    @property
    def hint(self) -> int | None:  # type: ignore[override]
        """The value in the call that is recorded."""
        return self.expr.hint()

    @property
    def expression(self) -> str:
        """How it is made of sizes: "x.shape[1]*4"."""
        return str(self.expr)

    def _tensor(self) -> Any:
        return self.expr.tensor()

    def _atoms(self) -> list[Atom]:
        return self.expr.atoms()

    def _now(self) -> int:
        value = int(self._decide(("is", self.expr.key)))
        if len(self.expr.terms) == 1:
            ((product, _),) = self.expr.terms.items()
            if len(product) == 1:
                product[0].fixed = True  # a plain number from here on
        return value

    __index__ = __int__ = _now

    def __bool__(self) -> bool:
        return bool(_compare_ints("!=", self.expr, Expr.of(0)))

    def __float__(self) -> float:
        return float(self._now())

    def __complex__(self) -> complex:
        return complex(self._now())

    def _itself(self, *_: Any) -> Any:
        return self

    __pos__ = __floor__ = __ceil__ = __trunc__ = _itself

    def __round__(self, digits: int | None = None) -> Any:
        return self if digits is None or digits >= 0 else round(self._now(), digits)

    def __neg__(self) -> Any:
        return whole(Expr.of(0).plus(self.expr, -1))

    def __abs__(self) -> Any:
        least, most = self.expr.bounds()
        if least is not None and least >= 0:
            return self
        return self if self >= 0 else -self

    __add__, __radd__ = _from_ints(_plus, operator.add)
    __sub__, __rsub__ = _from_ints(_minus, operator.sub)
    __mul__, __rmul__ = _from_ints(_times, operator.mul)
    __floordiv__, __rfloordiv__ = _from_ints(_quotient, operator.floordiv)
    __mod__, __rmod__ = _from_ints(_remainder, operator.mod)
    __truediv__, __rtruediv__ = _from_ints(_ratio, operator.truediv)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        if modulo is not None:
            return pow(int(self), int(other), int(modulo))
        if isinstance(other, float):
            return float(self) ** float(other)
        return _power(self, other)

    def __rpow__(self, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        return other ** int(self)

    __lt__ = _compared("<")
    __le__ = _compared("<=")
    __gt__ = _compared(">")
    __ge__ = _compared(">=")
    __eq__ = _compared("==")
    __ne__ = _compared("!=")
    __hash__ = Symbol.__hash__


class SymFloat(Symbol):
    """A number made of sizes by dividing, or of sizes and floats."""

    __slots__ = ("_build", "_cached", "_key", "_parts", "_text", "_whole", "hint")

    def __init__(
        self, key: Any, hint: float | None, text: str, parts: list[Atom],
        build: Callable[[], Any], whole: Expr | None = None,
    ) -> None:  # fmt: skip
        self._whole = whole  # the integer, if it is one
        self._key, self.hint, self._text = key, hint, text
        self._parts, self._build, self._cached = parts, build, None

    __class__ = property(lambda self: float)  # type: ignore[assignment]

    @property
    def expression(self) -> str:
        """How it is made of sizes."""
        return self._text

    def _tensor(self) -> Any:
        if not all(a.everywhere for a in self._parts):
            return self._build()
        if self._cached is None:
            self._cached = _core.in_root(self._build)
        return self._cached

    def _atoms(self) -> list[Atom]:
        return self._parts

    def _now(self) -> float:
        return float(self._decide(("is", self._key)))

    __float__ = _now

    def __int__(self) -> int:
        return int(self._now())

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __complex__(self) -> complex:
        return complex(self._now())

    def _rounded(self, op: str, plain: Callable[[float], int]) -> Any:
        function = _core.op_function(op)
        hint = None if self.hint is None else plain(self.hint)

        def build() -> Any:
            tensor = self._tensor()
            # Python has no integer for NaN, and ours have 64 bits.
            words = f"{op.lower()}() of a number that int64 does not hold"
            _core.op_function("Assert")(abs(tensor) < 2.0**63, message=words)
            return _cast(function(tensor), dtype=_core.int64)

        everywhere = all(a.everywhere for a in self._parts)
        text = f"{op.lower()}({self._text})"
        leaf = self._parts[0].leaf
        made = atom((op, self._key), hint, text, everywhere, build, leaf, None)
        return whole(Expr.one(made))

    def __floor__(self) -> Any:
        import math

        return self._rounded("Floor", math.floor)

    def __ceil__(self) -> Any:
        import math

        return self._rounded("Ceil", math.ceil)

    def __trunc__(self) -> Any:
        import math

        return self._rounded("Trunc", math.trunc)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._now(), digits)

    def __neg__(self) -> Any:
        return _float_pair("*", -1.0, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return abs(self._now())

    __lt__ = _compared("<")
    __le__ = _compared("<=")
    __gt__ = _compared(">")
    __ge__ = _compared(">=")
    __eq__ = _compared("==")
    __ne__ = _compared("!=")
    __hash__ = Symbol.__hash__


def _float(value: Any) -> Any:
    """A real number as a float or SymFloat."""
    if isinstance(value, SymFloat):
        return value
    if not isinstance(value, SymInt):
        return complex(value) if type(value) is complex else float(value)
    expr, now = value.expr, value.hint
    return SymFloat(
        ("float", expr.key), None if now is None else float(now), str(expr),
        expr.atoms(), lambda: _cast(expr.tensor(), dtype=_core.float64), expr,
    )  # fmt: skip


def float_of(tensor: Any, now: float, text: str) -> SymFloat:
    """A float that is passed to the function as a float64 scalar."""
    own: Any = atom(
        ("float", id(tensor), text), None, text, True, lambda: tensor, (tensor, 0), None
    )
    return SymFloat(("float", own.key), now, text, [own], own.tensor)


def _float_text(value: Any) -> str:
    text = value.expression if isinstance(value, Symbol) else str(value)
    return f"({text})" if " " in text else text


def _float_pair(sign: str, a: Any, b: Any) -> Any:
    """The operator applied to floats, one of them symbolic."""
    op, plain = _ARITHMETIC[sign]
    sides = [x if isinstance(x, SymFloat) else float(x) for x in (a, b)]
    hints = [x.hint if isinstance(x, SymFloat) else x for x in sides]
    if sign == "/":
        divisor = sides[1]
        if isinstance(divisor, SymFloat) and divisor._whole is not None:
            not_zero(divisor._whole, lambda a, b: float(a) / b)
        elif getattr(divisor, "hint", 1) is not None and divisor == 0:
            raise ZeroDivisionError("float division by zero")
    hint = None if None in hints else plain(*hints)
    keys = tuple(x._key if isinstance(x, SymFloat) else x for x in sides)
    atoms = [t for x in sides if isinstance(x, SymFloat) for t in x._parts]

    def build() -> Any:
        return op(*(_f64(x) for x in sides))

    spaced = f" {sign} " if sign in "+-" else sign
    text = spaced.join(_float_text(x) for x in sides)
    return SymFloat((sign, *keys), hint, text, atoms, build)


def _f64(value: Any) -> Any:
    # A float combined with an f64 tensor keeps its full precision.
    return value._tensor() if isinstance(value, SymFloat) else value


def _float_operator(sign: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    plain = _ARITHMETIC[sign][1]

    def forward(self: SymFloat, other: Any) -> Any:
        if isinstance(other, complex) and not isinstance(other, (int, float)):
            return plain(self._now(), other)
        if not isinstance(other, (int, float)):
            return NotImplemented
        return _float_pair(sign, self, _float(other))

    def backward(self: SymFloat, other: Any) -> Any:
        if isinstance(other, complex) and not isinstance(other, (int, float)):
            return plain(other, self._now())
        if not isinstance(other, (int, float)):
            return NotImplemented
        return _float_pair(sign, _float(other), self)

    return forward, backward


for _sign_, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    _forward, _backward = _float_operator(_sign_)
    setattr(SymFloat, f"__{_name}__", _forward)
    setattr(SymFloat, f"__r{_name}__", _backward)


class SymBool(Symbol):
    """A comparison of numbers made of sizes. Reading its truth decides it."""

    __slots__ = ("_away", "_sides", "_sign", "hint")

    def __init__(self, sign: str, a: Any, b: Any, away: Expr | None = None) -> None:
        self._sign, self._sides, self._away = sign, (a, b), away
        hints = [x.hint if isinstance(x, Symbol) else x for x in (a, b)]
        self.hint: bool | None = None if None in hints else _OPS[sign][1](*hints)

    __class__ = property(lambda self: bool)  # type: ignore[assignment]

    @property
    def expression(self) -> str:
        """The comparison as text: "x.shape[1] > 8"."""
        a, b = (
            x.expression if isinstance(x, Symbol) else str(x) for x in self._sides
        )
        return f"{a} {self._sign} {b}"

    def _tensor(self) -> Any:
        op = _OPS[self._sign][0]

        def build() -> Any:
            sides = [
                x._tensor() if isinstance(x, Symbol) else _like(x, self._sides)
                for x in self._sides
            ]
            return op(*sides)

        if all(a.everywhere for a in self._atoms()):
            return _core.in_root(build)
        return build()

    def _atoms(self) -> list[Atom]:
        return [a for x in self._sides if isinstance(x, Symbol) for a in x._atoms()]

    def _now(self) -> bool:
        if self._away is not None:
            key = (self._sign, self._away.key)
        else:
            key = (self._sign, *(getattr(x, "_key", x) for x in self._sides))
        return bool(self._decide(key))

    __bool__ = _now

    def __index__(self) -> int:
        return int(self._now())

    __int__ = __index__

    def __float__(self) -> float:
        return float(self._now())


def _like(number: Any, sides: Any) -> Any:
    """A number combined with a symbol, in the symbol's dtype."""
    if any(isinstance(x, SymFloat) for x in sides):
        return float(number)  # full precision
    return _cast(number, dtype=_core.int64)


# All other methods of numbers need the decided value.
def _known(name: str) -> Callable[..., Any]:
    plain = getattr(operator, name)

    def forward(self: Symbol, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        return plain(self._now(), other._now() if isinstance(other, Symbol) else other)

    return forward


def _known_right(name: str) -> Callable[..., Any]:
    plain = getattr(operator, name)

    def backward(self: Symbol, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        return plain(other, self._now())

    return backward


_EVERY = "and_ or_ xor lshift rshift add sub mul floordiv mod truediv pow".split()
for _kind in (SymInt, SymFloat, SymBool):
    for _name in _EVERY:
        _dunder = _name.rstrip("_")
        if f"__{_dunder}__" not in vars(_kind):
            setattr(_kind, f"__{_dunder}__", _known(_name))
        if f"__r{_dunder}__" not in vars(_kind):
            setattr(_kind, f"__r{_dunder}__", _known_right(_name))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(SymBool, f"__{_name}__", _known(_name))
setattr(SymBool, "__hash__", Symbol.__hash__)


def _inverted(self: Symbol) -> Any:
    return ~self._now()


setattr(SymInt, "__invert__", _inverted)
setattr(SymBool, "__invert__", _inverted)


# The names that Python shows in error messages.
for _class, _name in ((SymInt, "int"), (SymFloat, "float"), (SymBool, "bool")):
    _class.__name__ = _name
