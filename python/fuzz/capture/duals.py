"""An independent reference for derivatives: dual numbers with tags, in floats.

A namespace like sluice's, over Python floats alone. Every derivative has a tag of its
own. A Dual holds a value, which may be a Dual of an older tag, and the derivative for
its tag. Arithmetic follows the newest tag, so that nested derivatives never mix. Sluice
must give the same results, and this implementation shares nothing with it.

Vectors are lists of scalars in a Vec; vmap runs its function once for each lane.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

_tags = itertools.count(1)
float64 = "float64"


class Dual:
    def __init__(self, tag: int, value: Any, slope: Any) -> None:
        self.tag, self.value, self.slope = tag, value, slope

    def __add__(self, other: Any) -> Any:
        return _lift2(self, other, lambda a, b: a + b, lambda a, b: 1.0,
                      lambda a, b: 1.0)

    def __mul__(self, other: Any) -> Any:
        return _lift2(self, other, lambda a, b: a * b, lambda a, b: b,
                      lambda a, b: a)

    def __sub__(self, other: Any) -> Any:
        return self + -1.0 * other

    def __truediv__(self, other: Any) -> Any:
        return _lift2(self, other, lambda a, b: a / b, lambda a, b: 1.0 / b,
                      lambda a, b: -1.0 * a / (b * b))

    def __rsub__(self, other: Any) -> Any:
        return other + -1.0 * self

    def __rtruediv__(self, other: Any) -> Any:
        return Dual(self.tag, other, 0.0) / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return -1.0 * self

    def __pow__(self, n: int) -> Any:
        made: Any = 1.0
        for _ in range(n):
            made = made * self
        return made

    def __lt__(self, other: Any) -> bool:
        return plain(self) < plain(other)

    def __gt__(self, other: Any) -> bool:
        return plain(self) > plain(other)


def plain(x: Any) -> float:
    while isinstance(x, Dual):
        x = x.value
    return float(x)


def _tag(x: Any) -> int:
    return x.tag if isinstance(x, Dual) else 0


def _parts(x: Any, tag: int) -> tuple[Any, Any]:
    return (x.value, x.slope) if _tag(x) == tag else (x, 0.0)


# Zero terms are left out: most terms of nested derivatives are zero.
def _zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


def _times(slope: Any, at: tuple[Any, ...], x: Any) -> Any:
    return 0.0 if _zero(x) else slope(*at) * x


def _plus(a: Any, b: Any) -> Any:
    return b if _zero(a) else a if _zero(b) else a + b


def _lift2(a: Any, b: Any, f: Any, da: Any, db: Any) -> Any:
    if isinstance(b, Vec):
        return NotImplemented
    tag = max(_tag(a), _tag(b))
    (av, as_), (bv, bs) = _parts(a, tag), _parts(b, tag)
    slope = _plus(_times(da, (av, bv), as_), _times(db, (av, bv), bs))
    return Dual(tag, f(av, bv), slope)


def _lift1(f: Callable[[float], float], df: Callable[[Any], Any]
           ) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        if isinstance(x, Vec):
            return Vec([call(item) for item in x.items])
        if isinstance(x, Dual):
            return Dual(x.tag, call(x.value), _times(df, (x.value,), x.slope))
        return f(x)
    return call


sin = _lift1(math.sin, lambda x: cos(x))
cos = _lift1(math.cos, lambda x: -1.0 * sin(x))
exp = _lift1(math.exp, lambda x: exp(x))
tanh = _lift1(math.tanh, lambda x: 1.0 - tanh(x) * tanh(x))


class Vec:
    """A vector, elementwise."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def _with(self, other: Any, f: Any) -> Vec:
        others = other.items if isinstance(other, Vec) else [other] * len(self.items)
        return Vec([f(a, b) for a, b in zip(self.items, others)])

    def __add__(self, other: Any) -> Vec:
        return self._with(other, lambda a, b: a + b)

    def __mul__(self, other: Any) -> Vec:
        return self._with(other, lambda a, b: a * b)

    def __sub__(self, other: Any) -> Vec:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Vec:
        return self._with(other, lambda a, b: b - a)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Vec:
        return self * -1.0

    def __pow__(self, n: int) -> Vec:
        return Vec([x ** n for x in self.items])

    def __getitem__(self, i: int) -> Any:
        return self.items[i]

    def sum(self) -> Any:
        made: Any = 0.0
        for x in self.items:
            made = made + x
        return made


def tensor(x: Any, dtype: Any = None) -> Any:
    return Vec([tensor(item) for item in x]) if isinstance(x, list) else float(x)


def stack(items: Any) -> Vec:
    return Vec(list(items))


def _slope(y: Any, tag: int) -> Any:
    if isinstance(y, tuple):
        return tuple(_slope(item, tag) for item in y)
    if isinstance(y, Vec):
        return Vec([_slope(item, tag) for item in y.items])
    return _parts(y, tag)[1]


def _value(y: Any, tag: int) -> Any:
    if isinstance(y, Vec):
        return Vec([_value(item, tag) for item in y.items])
    return _parts(y, tag)[0]


def jvp(f: Any, primals: Any, tangents: Any) -> tuple[Any, Any]:
    tag = next(_tags)
    given = []
    for x, dx in zip(primals, tangents):
        if isinstance(x, Vec):
            given.append(Vec([Dual(tag, a, b) for a, b in zip(x.items, dx.items)]))
        else:
            given.append(Dual(tag, x, dx))
    y = f(*given)
    return _value(y, tag), _slope(y, tag)


def _directions(x: Any) -> list[Any]:
    if not isinstance(x, Vec):
        return [1.0]
    n = len(x.items)
    return [Vec([float(i == j) for i in range(n)]) for j in range(n)]


def grad(f: Any, allow_unused: bool = True) -> Any:
    def call(x: Any, *rest: Any) -> Any:
        parts = [jvp(lambda y: f(y, *rest), (x,), (d,))[1] for d in _directions(x)]
        return Vec(parts) if isinstance(x, Vec) else parts[0]
    return call


def value_and_grad(f: Any) -> Any:
    return lambda x, *rest: (f(x, *rest), grad(f)(x, *rest))


def vjp(f: Any, x: Any) -> tuple[Any, Any]:
    def pull(dy: Any) -> tuple[Any]:
        return (grad(lambda z: f(z) * dy)(x),)
    return f(x), pull


def jacfwd(f: Any) -> Any:
    def call(x: Any) -> Any:
        if isinstance(x, Vec):
            raise TypeError("duals: jacobians are of scalars here")
        return jvp(f, (x,), (1.0,))[1]
    return call


jacrev = jacfwd


def hessian(f: Any) -> Any:
    return jacfwd(jacfwd(f))


def hvp(f: Any, x: Any, v: Any) -> Any:
    return jvp(grad(f), (x,), (v,))[1]


def vmap(f: Any, in_dims: Any = 0) -> Any:
    def call(*args: Any) -> Any:
        axes = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        n = next(len(a.items) for a, axis in zip(args, axes) if axis is not None)
        return Vec([f(*(a if axis is None else a.items[i]
                        for a, axis in zip(args, axes))) for i in range(n)])
    return call


def function(f: Any) -> Any:
    return f


checkpoint = remat = function


def cond(pred: Any, yes: Any, no: Any, *operands: Any) -> Any:
    return (yes if pred else no)(*operands)


def while_loop(test: Any, body: Any, x: Any) -> Any:
    while test(x):
        x = body(x)
    return x


def fori_loop(low: int, high: int, body: Any, x: Any) -> Any:
    for i in range(low, high):
        x = body(i, x)
    return x


def scan(f: Any, init: Any, xs: Any) -> tuple[Any, Any]:
    out = []
    for x in xs.items:
        y, init = f(init, x)
        out.append(y)
    return Vec(out), init
