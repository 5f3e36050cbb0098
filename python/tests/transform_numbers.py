"""Numbers with slopes: what the transforms are compared with.

A `Dual` is a number and its slope along one direction, each a number or a Dual of
an outer derivative. Every derivative has a tag of its own, so that nested ones do
not mix; nothing here is shared with Sluice.
"""

import itertools
import math

_tags = itertools.count(1)


class Dual:
    """A number with a slope. A greater tag is further inside."""

    __slots__ = ("tag", "x", "dx")

    def __init__(self, tag, x, dx):
        self.tag, self.x, self.dx = tag, x, dx

    def __add__(self, other):
        a, b, tag = _parts(self, other)
        return Dual(tag, a[0] + b[0], a[1] + b[1])

    def __mul__(self, other):
        a, b, tag = _parts(self, other)
        return Dual(tag, a[0] * b[0], a[1] * b[0] + a[0] * b[1])

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -1.0 * other

    def __rsub__(self, other):
        return other + -1.0 * self

    def __truediv__(self, other):
        return self * power(other, -1)

    def __rtruediv__(self, other):
        return other * power(self, -1)

    def __pow__(self, n):
        return power(self, n)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other):
        return plain(self) < plain(other)

    def __gt__(self, other):
        return plain(self) > plain(other)

    def __le__(self, other):
        return plain(self) <= plain(other)

    def __ge__(self, other):
        return plain(self) >= plain(other)


def _parts(a, b):
    tag = max(a.tag if isinstance(a, Dual) else 0, b.tag if isinstance(b, Dual) else 0)

    def split(v):
        same = isinstance(v, Dual) and v.tag == tag
        return (v.x, v.dx) if same else (v, 0.0)

    return split(a), split(b), tag


def plain(v):
    """The number alone."""
    while isinstance(v, Dual):
        v = v.x
    return v


def power(v, n):
    if not isinstance(v, Dual):
        return v**n
    return Dual(v.tag, power(v.x, n), v.dx * (n * power(v.x, n - 1)))


def sin(v):
    if isinstance(v, Dual):
        return Dual(v.tag, sin(v.x), v.dx * cos(v.x))
    return math.sin(v)


def cos(v):
    if isinstance(v, Dual):
        return Dual(v.tag, cos(v.x), v.dx * sin(v.x) * -1.0)
    return math.cos(v)


def exp(v):
    if isinstance(v, Dual):
        return Dual(v.tag, exp(v.x), v.dx * exp(v.x))
    return math.exp(v)


def _mapped(f, tree):
    if isinstance(tree, (list, tuple)):
        return type(tree)(_mapped(f, t) for t in tree)
    return f(tree)


def _slope(tag, out):
    def one(v):
        return v.dx if isinstance(v, Dual) and v.tag == tag else 0.0

    return _mapped(one, out)


def _value(tag, out):
    def one(v):
        return v.x if isinstance(v, Dual) and v.tag == tag else v

    return _mapped(one, out)


def jvp(f, x, t):
    """f(x), and its change when x, a number or a list of them, changes by t."""
    tag = next(_tags)
    several = isinstance(x, list)
    at = [Dual(tag, a, b) for a, b in zip(x, t)] if several else Dual(tag, x, t)
    out = f(at)
    return _value(tag, out), _slope(tag, out)


def jacobian(f):
    """For a number: its slope. For a list: [slope along x[0], ...], the first index
    that of the result when that is a list, too."""

    def slopes(x):
        if not isinstance(x, list):
            return jvp(f, x, 1.0)[1]
        columns = [
            jvp(f, x, [float(i == j) for i in range(len(x))])[1] for j in range(len(x))
        ]
        return _by_result(columns)

    return slopes


def _by_result(columns):
    if isinstance(columns[0], list):
        return [_by_result([c[i] for c in columns]) for i in range(len(columns[0]))]
    return columns


def total(v):
    return sum(map(total, v)) if isinstance(v, list) else v


def dot(a, b):
    if isinstance(a, list):
        return total([dot(p, q) for p, q in zip(a, b)])
    return a * b
