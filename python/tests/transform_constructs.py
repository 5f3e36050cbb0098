"""Small functions, one for each construct, and every nesting of transforms to put
them through: by Sluice, and by numbers with slopes (transform_numbers.py).

Each construct is written once, against `m`: either `Graph`, whose loops are
Sluice's, or `Plain`, whose loops are Python's.
"""

import transform_numbers as numbers

import sluice as sl

ELEMENTS = [0.5, 1.25, -0.75]


class Graph:
    sin = staticmethod(sl.sin)
    cond = staticmethod(sl.cond)
    while_loop = staticmethod(sl.while_loop)
    function = staticmethod(sl.function)
    sum = staticmethod(sl.sum)
    grad = staticmethod(sl.grad)

    @staticmethod
    def vector(items):
        return sl.stack(items)

    @staticmethod
    def fori(n, body, init):
        return sl.fori_loop(0, n, body, init)

    @staticmethod
    def scan(f, init):
        return sl.scan(f, init, sl.tensor(ELEMENTS, dtype=sl.float64))

    @staticmethod
    def map(f):
        return sl.map_fn(f, sl.tensor(ELEMENTS, dtype=sl.float64))


class Plain:
    sin = staticmethod(numbers.sin)
    sum = staticmethod(numbers.total)
    grad = staticmethod(numbers.jacobian)

    @staticmethod
    def vector(items):
        return list(items)

    @staticmethod
    def function(f):
        return f

    @staticmethod
    def cond(pred, then, otherwise):
        return then() if pred else otherwise()

    @staticmethod
    def while_loop(cond, body, *values):
        alone = len(values) == 1
        while cond(*values):
            values = (body(*values),) if alone else body(*values)
        return values[0] if alone else values

    @staticmethod
    def fori(n, body, value):
        for i in range(n):
            value = body(i, value)
        return value

    @staticmethod
    def scan(f, state):
        kept = []
        for e in ELEMENTS:
            out, state = f(state, e)
            kept.append(out)
        return kept, state

    @staticmethod
    def map(f):
        return [f(e) for e in ELEMENTS]


def straight(m):
    return lambda x: m.sin(x[0]) * x[1] + x[0] * x[0] * x[1]


def cond(m):
    return lambda x: m.cond(
        x[0] > x[1], lambda: m.sin(x[0]) * x[1], lambda: x[0] * x[1] * x[1]
    )


def cond_unused(m):
    """A branch that does not depend on what is differentiated."""
    return lambda x: x[1] * m.cond(x[0] > 1.0, lambda: x[0] * x[0], lambda: x[1] * 0.5)


def while_loop(m):
    def f(x):
        v, w = m.while_loop(
            lambda v, w: v < 4.0, lambda v, w: (v * 1.5 + x[1], w * v), x[0], x[1]
        )
        return v * w

    return f


def while_sin(m):
    return lambda x: m.while_loop(
        lambda v: v < 3.0, lambda v: v + m.sin(v) * 0.25 + x[1] * x[1], x[0] * x[0]
    )


def fori(m):
    return lambda x: m.fori(3, lambda i, v: m.sin(v) * x[1] + v, x[0])


def scan(m):
    def f(x):
        kept, last = m.scan(lambda s, e: (s * e, m.sin(s) * e + x[0]), x[1])
        return m.sum(kept) * last

    return f


def map_fn(m):
    return lambda x: m.sum(m.map(lambda e: m.sin(x[0] * e) * x[1] * x[1]))


def recursion(m):
    @m.function
    def far(v, w):
        return m.cond(
            v > 4.0, lambda: v * w, lambda: far(v * 1.5 + w, w * v)
        )

    return lambda x: far(x[0], x[1])


def python_if(m):
    def f(x):
        if x[0] > x[1]:
            y = m.sin(x[0]) * x[1]
        else:
            y = x[0] * x[1] * x[1]
        return y * x[0]

    return f


def python_while(m):
    def f(x):
        v, w = x[0], x[1]
        while v < 4.0:
            v = v * 1.5 + w
            w = w * v
        return v * w

    return f


def python_for(m):
    def f(x):
        v = x[0]
        for i in range(4):
            if v > 3.0:
                break
            v = v * 1.5 + x[1] * i
        return v * v

    return f


def python_list(m):
    def f(x):
        kept = []
        v = x[0]
        for _ in range(3):
            v = m.sin(v) * x[1] + v
            kept.append(v * x[0])
        return m.sum(m.vector(kept))

    return f


def while_in_while(m):
    def f(x):
        def outer(v):
            inner = m.while_loop(lambda u: u < v, lambda u: u * 2.0 + x[1], x[1])
            return v + inner * 0.5

        return m.while_loop(lambda v: v < 5.0, outer, x[0])

    return f


def cond_in_while(m):
    def f(x):
        def body(v):
            return m.cond(v > 2.0, lambda: v * x[1] + 2.0, lambda: v * v + x[1])

        return m.while_loop(lambda v: v < 4.0, body, x[0] + 0.5)

    return f


def while_in_cond(m):
    def f(x):
        return m.cond(
            x[0] > x[1],
            lambda: m.while_loop(lambda v: v < 4.0, lambda v: v * v + x[1], x[0] + 0.5),
            lambda: x[0] * x[1] * x[1],
        )

    return f


def while_in_scan(m):
    def f(x):
        def step(s, e):
            grown = m.while_loop(lambda v: v < 2.0, lambda v: v * v + x[1], s)
            return grown * e, m.sin(grown) + x[0]

        kept, last = m.scan(step, x[1])
        return m.sum(kept) * last

    return f


def cond_in_scan(m):
    def f(x):
        def step(s, e):
            t = m.cond(s > x[1], lambda: m.sin(s) * e, lambda: s * s + x[0])
            return t, t + x[0]

        kept, last = m.scan(step, x[1])
        return m.sum(kept) * last

    return f


def scan_in_while(m):
    def f(x):
        def body(v):
            kept, last = m.scan(lambda s, e: (s * e * x[0], s + v), x[1])
            return v + 1.0 + m.sum(kept) * 0.1 + last * 0.1

        return m.while_loop(lambda v: v < 4.0, body, x[0])

    return f


def slope_in_while(m):
    """Newton's steps: a derivative inside the loop."""

    def f(x):
        def body(v, n):
            slope = m.grad(lambda u: u * u * u + x[1] * u)(v)
            return v - (v * v * v + x[1] * v - 1.0) / slope, n + 1.0

        return m.while_loop(lambda v, n: n < x[0] + 1.0, body, x[0], 0.0 * x[0])[0]

    return f


CONSTRUCTS = {
    made.__name__: made
    for made in (
        straight, cond, cond_unused, while_loop, while_sin, fori, scan, map_fn,
        recursion, python_if, python_while, python_for, python_list, while_in_while,
        cond_in_while, while_in_cond, while_in_scan, cond_in_scan, scan_in_while,
        slope_in_while,
    )
}  # fmt: skip

X = [1.2, 0.7]
T = [0.5, -1.5]
# Loops of these end in different iterations.
LANES = [[1.2, 0.7], [0.4, 0.9], [3.0, 1.1]]


class Ours:
    """Functions of a tensor of two numbers."""

    dot = staticmethod(lambda a, b: sl.sum(a * b))
    sum = staticmethod(sl.sum)
    grad = staticmethod(lambda f: sl.grad(f, allow_unused=True))
    jacrev = staticmethod(sl.jacrev)
    jacfwd = staticmethod(sl.jacfwd)
    hessian = staticmethod(sl.hessian)
    vmap = staticmethod(sl.vmap)
    jvp = staticmethod(lambda f, x, t: sl.jvp(f, (x,), (t,))[1])
    vjp = staticmethod(lambda f, x: sl.vjp(f, x)[1](sl.ones_like(f(x)))[0])
    hvp = staticmethod(sl.hvp)
    times = staticmethod(lambda lanes, x: lanes * x)

    @staticmethod
    def value(x):
        return sl.tensor(x, dtype=sl.float64)


class Theirs:
    """The same of a list."""

    dot = staticmethod(numbers.dot)
    sum = staticmethod(numbers.total)
    grad = jacrev = jacfwd = staticmethod(numbers.jacobian)
    jvp = staticmethod(lambda f, x, t: numbers.jvp(f, x, t)[1])
    vjp = staticmethod(lambda f, x: numbers.jacobian(f)(x))

    @staticmethod
    def hessian(f):
        return numbers.jacobian(numbers.jacobian(f))

    @staticmethod
    def vmap(f):
        return lambda lanes: [f(x) for x in lanes]

    @staticmethod
    def hvp(f, x, v):
        return numbers.jvp(numbers.jacobian(f), x, v)[1]

    @staticmethod
    def times(lanes, x):
        return [[a * b for a, b in zip(lane, x)] for lane in lanes]

    @staticmethod
    def value(x):
        return x


def _slope(a, f):
    """The gradient, along T: a scalar function again."""
    return lambda x: a.dot(a.grad(f)(x), a.value(T))


def _over(a, f):
    return lambda x: a.sum(a.vmap(f)(a.times(a.value(LANES), x)))


# By name: what is applied to f, and whether to lanes.
TRANSFORMS = {
    "f": (lambda a, f: f, 0),
    "grad": (lambda a, f: a.grad(f), 0),
    "grad grad": (lambda a, f: a.grad(_slope(a, f)), 0),
    "grad grad grad": (lambda a, f: a.grad(_slope(a, _slope(a, f))), 0),
    "jvp": (lambda a, f: lambda x: a.jvp(f, x, a.value(T)), 0),
    "vjp": (lambda a, f: lambda x: a.vjp(f, x), 0),
    "hvp": (lambda a, f: lambda x: a.hvp(f, x, a.value(T)), 0),
    "hessian": (lambda a, f: a.hessian(f), 0),
    "jacrev": (lambda a, f: a.jacrev(f), 0),
    "jacfwd": (lambda a, f: a.jacfwd(f), 0),
    "jacfwd grad": (lambda a, f: a.jacfwd(a.grad(f)), 0),
    "jacfwd jacrev": (lambda a, f: a.jacfwd(a.jacrev(f)), 0),
    "jacrev jacfwd": (lambda a, f: a.jacrev(a.jacfwd(f)), 0),
    "jvp grad": (lambda a, f: lambda x: a.jvp(a.grad(f), x, a.value(T)), 0),
    "grad jvp": (lambda a, f: a.grad(lambda x: a.jvp(f, x, a.value(T))), 0),
    "jvp jvp": (
        lambda a, f: lambda x: a.jvp(
            lambda y: a.jvp(f, y, a.value(T)), x, a.value(T)), 0),
    "vmap": (lambda a, f: a.vmap(f), 1),
    "vmap grad": (lambda a, f: a.vmap(a.grad(f)), 1),
    "vmap grad grad": (lambda a, f: a.vmap(a.grad(_slope(a, f))), 1),
    "vmap jvp": (lambda a, f: a.vmap(lambda x: a.jvp(f, x, a.value(T))), 1),
    "vmap hvp": (lambda a, f: a.vmap(lambda x: a.hvp(f, x, a.value(T))), 1),
    "vmap hessian": (lambda a, f: a.vmap(a.hessian(f)), 1),
    "vmap jacrev": (lambda a, f: a.vmap(a.jacrev(f)), 1),
    "vmap jacfwd": (lambda a, f: a.vmap(a.jacfwd(f)), 1),
    "grad vmap": (lambda a, f: a.grad(_over(a, f)), 0),
    "grad grad vmap": (lambda a, f: a.grad(_slope(a, _over(a, f))), 0),
    "hessian vmap": (lambda a, f: a.hessian(_over(a, f)), 0),
    "grad vmap grad": (lambda a, f: a.grad(_over(a, a.grad(f))), 0),
    "vmap vmap": (lambda a, f: a.vmap(a.vmap(f)), 2),
    "vmap vmap grad": (lambda a, f: a.vmap(a.vmap(a.grad(f))), 2),
    "vmap grad vmap": (lambda a, f: a.vmap(a.grad(_over(a, f))), 1),
}  # fmt: skip


def point(transform):
    axes = TRANSFORMS[transform][1]
    return (X, LANES, [LANES, LANES[::-1]])[axes]


def wanted(construct, transform):
    made = TRANSFORMS[transform][0](Theirs, CONSTRUCTS[construct](Plain))
    return made(point(transform))


def ours(construct, transform):
    """The function, and what to give it."""
    made = TRANSFORMS[transform][0](Ours, CONSTRUCTS[construct](Graph))
    return made, Ours.value(point(transform))
