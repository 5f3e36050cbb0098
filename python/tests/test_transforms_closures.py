"""Derivatives of functions that read values around them, nested in any way.

Each derivative has a point of its own: a closure's value is a constant to it, and
moves with the derivative it belongs to.
"""

import random

import numpy as np
import pytest
import transform_numbers as numbers

import sluice as sl


def value(x):
    return sl.tensor(x, dtype=sl.float64)


def same(got, wanted):
    np.testing.assert_allclose(got.detach().numpy(), wanted, rtol=1e-9, atol=1e-9)


def both_ways(f):
    """f, imperatively and captured."""
    return [f, sl.function(f)]


class Ours:
    """What the programs call, by Sluice."""

    @staticmethod
    def grad(f):
        return sl.grad(f, allow_unused=True)

    @staticmethod
    def jvp(f, x, t):
        return sl.jvp(f, (x,), (t,))[1]

    @staticmethod
    def vjp(f, x, g):
        return sl.vjp(f, x)[1](g)[0]

    @staticmethod
    def vsum(f, x, y):
        return sl.sum(sl.vmap(f)(sl.stack([x, y])))

    @staticmethod
    def const(x):
        return value(x)

    hvp = staticmethod(sl.hvp)
    jacrev = staticmethod(sl.jacrev)
    jacfwd = staticmethod(sl.jacfwd)
    ckpt = staticmethod(sl.checkpoint)
    fn = staticmethod(sl.function)
    sin = staticmethod(sl.sin)


class Theirs:
    """The same by numbers with slopes."""

    grad = jacrev = jacfwd = staticmethod(numbers.jacobian)
    sin = staticmethod(numbers.sin)

    @staticmethod
    def jvp(f, x, t):
        return numbers.jvp(f, x, t)[1]

    @staticmethod
    def vjp(f, x, g):
        return g * numbers.jacobian(f)(x)

    @staticmethod
    def hvp(f, x, v):
        return numbers.jvp(numbers.jacobian(f), x, v)[1]

    @staticmethod
    def vsum(f, x, y):
        return f(x) + f(y)

    @staticmethod
    def ckpt(f):
        return f

    @staticmethod
    def const(x):
        return x

    fn = ckpt


class Programs:
    """Random functions of one number, as Python text."""

    def __init__(self, seed):
        self._draw = random.Random(seed)
        self._names = 0

    def function(self, around, depth):
        name = f"v{self._names}"
        self._names += 1
        body = self._number([*around, name], depth)
        # So that there is something to differentiate, and beside it a closure.
        return f"lambda {name}: {name} * {self._draw.choice([*around, name])} * {body}"

    def _number(self, around, depth):
        draw = self._draw
        simple = [
            lambda: draw.choice(around),
            lambda: draw.choice(around),
            lambda: f"const({draw.choice([0.5, -1.5, 2.0])})",
        ]
        joined = [
            lambda: f"({self._number(around, depth)} + {draw.choice(around)})",
            lambda: f"{draw.choice(around)} * {self._number(around, depth)}",
            lambda: f"sin({draw.choice(around)})",
        ]
        if depth == 0 or draw.random() < 0.15:
            return draw.choice(simple + joined[1:])()
        derived = [
            lambda f, x, t: f"grad({f})({x})",
            lambda f, x, t: f"jvp({f}, {x}, {t})",
            lambda f, x, t: f"vjp({f}, {x}, {t})",
            lambda f, x, t: f"hvp({f}, {x}, {t})",
            lambda f, x, t: f"jacrev({f})({x})",
            lambda f, x, t: f"jacfwd({f})({x})",
            lambda f, x, t: f"vsum({f}, {x}, {t})",
            lambda f, x, t: f"ckpt({f})({x})",
            lambda f, x, t: f"fn({f})({x})",
        ]
        if draw.random() < 0.2:
            return draw.choice(joined)()
        return draw.choice(derived)(
            self.function(around, depth - 1),
            self._number(around, 0),
            self._number(around, 0),
        )


def meaning(text, api):
    names = {name: getattr(api, name) for name in dir(api) if name[0] != "_"}
    return eval(text, names)


@pytest.mark.parametrize("seed", range(0, 300, 10))
def test_closures_nested_at_random(seed):
    for k in range(seed, seed + 10):
        text = Programs(k).function([], 1 + k % 3)
        ours, theirs = meaning(text, Ours), meaning(text, Theirs)
        wanted = [theirs(0.7), Theirs.grad(theirs)(0.7)]
        for how, f in zip(("imperative", "captured"), both_ways(ours)):
            try:
                got = [f(value(0.7)), Ours.grad(f)(value(0.7))]
            except Exception as error:
                raise AssertionError(f"{how}: {text}") from error
            for g, w in zip(got, wanted):
                assert abs(g.item() - w) <= 1e-8 * max(1, abs(w)), f"{how}: {text}"
        inside = sl.function(Ours.grad(ours))(value(0.7)).item()
        assert abs(inside - wanted[1]) <= 1e-8 * max(1, abs(wanted[1])), text


CUBE = 36.0


def test_a_gradient_inside_a_gradient_reads_the_outer_point():
    for f in both_ways(sl.grad(lambda x: sl.grad(lambda y: x * y**3)(x))):
        same(f(value(2.0)), CUBE)


def test_a_parameter_is_an_argument_where_it_is_passed_and_a_constant_elsewhere():
    w = value(2.0).requires_grad_()
    for f in both_ways(sl.grad(lambda y: w * y**3)):
        same(f(w), 24)
    for f in both_ways(lambda g: sl.vjp(lambda y: w * y**3, w)[1](g)[0]):
        same(f(value(1.0)), 24)
    # The other way leads back to it all the same.
    (slope,) = sl.autograd.grad(sl.grad(lambda y: w * y**3)(w), [w])
    same(slope, CUBE)


def test_what_is_read_by_another_way_alone_is_refused():
    w = value([1.0, 2.0]).requires_grad_()
    with pytest.raises(ValueError, match="by another way"):
        sl.grad(lambda params: sl.sum(w * w))(w)
    with pytest.raises(ValueError, match="by another way"):
        sl.function(lambda x: sl.grad(lambda y: sl.sum(x * x))(x))(w)
    same(sl.grad(lambda p: sl.sum(w * w), allow_unused=True)(w), [0, 0])


def test_jvp_of_a_captured_function_that_reads_its_argument_twice():
    def f(x):
        return sl.jvp(lambda x: sl.function(lambda y: y * x)(x), (x,), (value(1.0),))[1]

    for g in both_ways(f):
        same(g(value(2.0)), 4)


def test_checkpoint_of_a_closure_in_a_captured_gradient():
    slope = sl.grad(lambda x: sl.checkpoint(lambda y: y * x * x)(x))
    for f in [*both_ways(slope), *both_ways(sl.grad(slope))]:
        same(f(value(2.0)), 12)


def test_jacobians_and_products_over_closures():
    v = value(1.0)
    programs = {
        "jacrev": lambda x: sl.jacrev(lambda y: x * y**3)(x),
        "jacfwd": lambda x: sl.jacfwd(lambda y: x * y**3)(x),
        "jvp": lambda x: sl.jvp(lambda y: x * y**3, (x,), (v,))[1],
        "vjp": lambda x: sl.vjp(lambda y: x * y**3, x)[1](v)[0],
    }
    for name, f in programs.items():
        for g in both_ways(sl.grad(f)):
            np.testing.assert_allclose(g(value(2.0)).item(), CUBE, err_msg=name)
    for g in both_ways(sl.grad(lambda x: sl.hvp(lambda y: x * y**3, x, v))):
        same(g(value(2.0)), 24)


def test_vmap_over_a_closure_that_is_differentiated():
    xs = value([1.0, 2.0, 3.0])

    def f(x):
        return sl.sum(sl.vmap(lambda y: y * x * x)(xs * x))

    for g in both_ways(sl.grad(f)):
        same(g(value(2.0)), 3 * 4 * 6)
    for g in both_ways(sl.grad(sl.grad(f))):
        same(g(value(2.0)), 6 * 2 * 6)
    for g in both_ways(sl.vmap(lambda x: sl.grad(lambda y: x * y**3)(x))):
        same(g(xs), [3, 24, 81])


def test_custom_vjp_takes_a_closure_for_a_constant():
    def f(x):
        @sl.custom_vjp
        def times(y):
            return y * x

        times.defvjp(lambda y: (y * x, ()), lambda _, g: (g * x,))
        return times(x)

    for g in both_ways(sl.grad(f)):
        same(g(value(3.0)), 3)
    for g in both_ways(sl.grad(sl.grad(f))):
        same(g(value(3.0)), 1)


def test_a_derivative_where_nothing_is_recorded_is_of_plain_numbers():
    w = value(3.0).requires_grad_()
    with sl.no_grad():
        slope = sl.grad(lambda y: w * y * y)(w)
    assert slope.item() == 18 and not slope.requires_grad


def test_a_captured_gradient_of_a_vector_is_refused_as_imperatively():
    x = value([1.0, 2.0])
    for f in both_ways(sl.grad(lambda x: x * 2)):
        with pytest.raises(ValueError, match="wanted a scalar|EnsureShape"):
            f(x)
    one = value([3.0])
    for f in both_ways(sl.grad(lambda x: x * x)):
        same(f(one), [6])


def test_gradients_of_gradients_of_captured_functions_that_read_computed_tensors():
    def f(x):
        square = x * x
        return sl.function(lambda y: y * y * square)(x)

    same(sl.grad(f)(value(2.0)), 4 * 8)
    same(sl.grad(sl.grad(f))(value(2.0)), 12 * 4)
    same(sl.grad(sl.grad(sl.grad(f)))(value(2.0)), 24 * 2)


def test_gradients_of_gradients_of_captured_functions_that_draw():
    noisy = sl.function(lambda x: sl.sum(x * x * x * sl.rand(3, dtype=sl.float64)))
    x = value([1.0, 2.0, 3.0])
    first = sl.grad(noisy)
    sl.manual_seed(3)
    wanted = first(x).numpy() * 2 / x.numpy()
    sl.manual_seed(3)
    same(sl.grad(lambda x: sl.sum(first(x)))(x), wanted)


# closures:536: gradients stop at a list, too.
def test_scan_over_what_a_derivative_has_made_is_captured():
    def f(x):
        made = sl.jvp(lambda y: x * y, (x,), (x,))[1]
        seen, total = sl.scan(lambda c, z: (c * z, c + z * x), x,
                              sl.stack([made - x, x * 0.5]))
        return x * total.sum() + seen.sum()

    for value in (-0.5, 0.75):
        x = sl.tensor(value, dtype=sl.float64)
        assert sl.function(f)(x).item() == pytest.approx(f(x).item(), abs=1e-12)
        want = sl.grad(f)(x).item()
        assert sl.grad(sl.function(f))(x).item() == pytest.approx(want, abs=1e-12)
        lanes = sl.stack([x, x * 2])
        got = sl.vmap(sl.function(f))(lanes).tolist()
        assert got == pytest.approx([f(lane).item() for lane in lanes], abs=1e-12)


# closures:6349: what a loop reads around it got no gradient.
def test_checkpoint_over_a_loop_that_reads_what_is_around():
    def f(x):
        return sl.checkpoint(
            lambda y: sl.fori_loop(0, 1, lambda i, z: z * x * z, y)
        )(x)

    x = sl.tensor(0.77, dtype=sl.float64)
    wanted = 3 * 0.77**2
    for made in (sl.grad(f), sl.function(sl.grad(f)), sl.grad(sl.function(f))):
        assert abs(made(x).item() - wanted) < 1e-12


# closures:61263, 63125: the argument is also what the code finds around it.
def test_checkpoint_in_a_captured_function_of_its_own_argument():
    def f(x):
        return sl.function(sl.checkpoint(lambda y: x * x))(x)

    def g(x):
        return sl.function(sl.checkpoint(lambda y: x * x * y))(x)

    same(sl.grad(f)(value(1.5)), 3.0)
    same(sl.grad(g)(value(1.5)), 3 * 1.5**2)
    same(sl.grad(sl.grad(g))(value(1.5)), 6 * 1.5)


# closures:63818: a gradient gives a loop more results than its sizes were asked of.
def test_hessian_of_lanes_beside_a_loop():
    def f(x):
        def inner(y):
            powers = sl.fori_loop(0, 2, lambda i, z: z * y, y)
            return sl.vmap(lambda z: y * z)(sl.stack([powers, y * 0.5])).sum()

        return sl.hessian(inner)(x)

    for way in both_ways(f):
        same(way(value(-1.5)), 12 * 1.5**2 + 1)
    for way in both_ways(sl.grad(f)):
        same(way(value(-1.5)), 24 * -1.5)


# Captured, it was 0 on the way that does not depend on the argument.
@pytest.mark.parametrize("construct", ["branch", "loop"])
def test_grad_on_a_way_that_depends_on_no_argument(construct):
    c = value(2.0)

    def branch(x):
        return sl.cond(x > 0, lambda: x * 2, lambda: c)

    def loop(x):
        made = c * 1
        k = 0
        while k < x:
            made = made * x
            k = k + 1
        return made

    f = {"branch": branch, "loop": loop}[construct]
    for way in both_ways(sl.grad(f)):
        for x in (-1.5, 0.5, -1.5):
            if x > 0:
                same(way(value(x)), 2.0)
                continue
            with pytest.raises(ValueError, match="depends on no argument"):
                way(value(x))
    for way in both_ways(sl.grad(f, allow_unused=True)):
        same(way(value(-1.5)), 0.0)


# closures:60079, 61942, 65308: run again, the code finds the variable of a loop that
# is over.
def test_checkpoint_of_a_closure_over_a_loops_variable():
    def f(x):
        def body(i, z):
            return sl.checkpoint(lambda y: y * z * x)(x)

        return sl.fori_loop(0, 2, body, x)

    def branch(x):
        z = x * x
        return sl.cond(x > 0, lambda: sl.checkpoint(lambda y: y * z)(x), lambda: z)

    for way in both_ways(sl.grad(f)):
        same(way(value(1.5)), 5 * 1.5**4)
    same(sl.grad(sl.function(f))(value(1.5)), 5 * 1.5**4)
    for way in both_ways(sl.grad(sl.grad(f))):
        same(way(value(1.5)), 20 * 1.5**3)
    for way in both_ways(sl.grad(branch)):
        same(way(value(1.5)), 3 * 1.5**2)


def test_why_a_captured_function_gives_an_argument_no_gradient():
    w = value(2.0).requires_grad_()
    f = sl.function(lambda x: x.detach() * w)
    with pytest.raises(ValueError, match="no gradient: f64.*made no result of it"):
        sl.grad(f)(value(1.0))


# closures:2004522: run again for a gradient of a gradient, the derivative inside of it
# asked who needs more of it, when whoever did was over.
def test_second_gradient_of_a_checkpoint_with_a_derivative_inside():
    c = value(0.5)

    def inside(y):
        return sl.grad(lambda b: b * b * y)(value(3.0)) * c

    def f(x):
        slope = sl.grad(lambda y: sl.checkpoint(lambda: inside(y))() * y)
        return sl.vjp(lambda a: slope(a), x)[1](value(1.0))[0]

    def h(x):
        def outer(y):
            return sl.checkpoint(lambda _: sl.hvp(lambda z: z * y * z, y, x))(x) * y

        return sl.hvp(outer, x, x)

    for way in both_ways(f):
        same(way(value(1.5)), 6.0)
    for way in both_ways(h):
        same(way(value(1.5)), 4 * 1.5**2)
