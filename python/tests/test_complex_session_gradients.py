"""Gradients of graphs through complex numbers: in loops, branches, functions that are
called, of variables; what is stopped stays a constant."""

import numpy as np
import pytest
import sluice as sl


def looped(x):
    def more(i, s):
        return i + 1, s + sl.real(sl.make_complex(s, s)).sum()

    return sl.while_loop(lambda i, s: i < 2, more, [0, x.sum()])[1]


def read_in_a_loop(x):
    z = sl.make_complex(x, x)

    def more(i, s):
        return i + 1, s + sl.real(z).sum()

    return sl.while_loop(lambda i, s: i < 2, more, [0, x.sum()])[1]


def carried(x):
    def more(i, z):
        return i + 1, z * 2.0

    z = sl.while_loop(lambda i, z: i < 2, more, [0, sl.make_complex(x, x)])[1]
    return sl.real(z).sum() + x.sum()


def chosen(x):
    z = sl.cond(
        x.sum() > 0,
        lambda: sl.make_complex(x, x),
        lambda: sl.make_complex(x, -x),
    )
    return sl.imag(z).sum() + x.sum()


def called(x):
    @sl.function
    def real_of(y):
        return sl.real(sl.make_complex(y, y)).sum() + y.sum()

    return real_of(x)


THROUGH = {
    "complex": lambda x: sl.abs(sl.make_complex(x, x)).sum() + x.sum(),
    "a cast": lambda x: sl.real(x.to(sl.complex64)).sum() + x.sum(),
    "a product": lambda x: sl.real(x * sl.tensor([1j, 2.0])).sum() + x.sum(),
    "a sum with a number": lambda x: sl.imag(x + 1j).sum() + x.sum(),
    "nothing but": lambda x: sl.real(sl.make_complex(x, x)).sum(),
    "there and back twice": lambda x: (
        sl.real(sl.make_complex(sl.real(sl.make_complex(x, x)), x.detach())).sum()
        + x.sum()
    ),
    "inside a loop": looped,
    "read in a loop": read_in_a_loop,
    "carried by a loop": carried,
    "out of a branch": chosen,
    "a function called": called,
}


@pytest.mark.parametrize("name", THROUGH)
def test_gradient_is_that_of_differences(name):
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (2,))
        y = THROUGH[name](x)
        (dx,) = sl.gradients(y, [x])
        with sl.Session(graph) as session:
            at = np.array([1.0, 3.0], np.float32)
            got = np.asarray(session.run(dx, {x: at}))
            for i in range(2):
                step = np.zeros(2, np.float32)
                step[i] = 0.0625
                up = np.asarray(session.run(y, {x: at + step}))
                down = np.asarray(session.run(y, {x: at - step}))
                assert got[i] == pytest.approx((up - down) / 0.125, rel=1e-3, abs=1e-3)


def test_of_variables():
    with sl.Graph() as graph:
        w = sl.Variable(sl.ones(2))
        y = sl.real(sl.make_complex(w * 2.0, w)).sum() + (w * w).sum()
        (dw,) = sl.gradients(y, [w])
        with sl.Session(graph) as session:
            session.run(sl.global_variables_initializer())
            assert np.asarray(session.run(dw)).tolist() == [4.0, 4.0]


def test_a_complex_result_needs_to_know_what_flows_in():
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (2,))
        z = sl.make_complex(x, x)
        with pytest.raises((RuntimeError, ValueError), match="wanted a real value"):
            sl.gradients(z * z, [x])
        (dx,) = sl.gradients(z, [x], grad_ys=[sl.make_complex(x, x * 2.0)])
        got = sl.Session(graph).run(dx, {x: np.array([1.0, 3.0], np.float32)})
    assert np.asarray(got).tolist() == [3.0, 9.0]


KEPT = {
    "stopped before": lambda x: sl.real(sl.make_complex(x.detach(), x.detach())).sum(),
    "stopped after": lambda x: sl.real(sl.make_complex(x, x).detach()).sum(),
    "its shape": lambda x: sl.real(sl.zeros_like(x, dtype=sl.complex64)).sum(),
    "another value": lambda x: sl.real(sl.make_complex(sl.ones(2), sl.ones(2))).sum(),
    "rounded": lambda x: sl.real(sl.make_complex(sl.floor(x), sl.ones(2))).sum(),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_lost_is_computed(name):
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (2,))
        y = KEPT[name](x) + (x * x).sum()
        (dx,) = sl.gradients(y, [x])
        got = sl.Session(graph).run(dx, {x: np.array([1.0, 3.0], np.float32)})
    assert np.asarray(got).tolist() == [2.0, 6.0]


def made_before_a_branch(x):
    with sl.no_grad():
        z = sl.make_complex(x, x)
    if x.sum() > 0:
        return sl.real(z).sum() * x.sum()
    return x.sum()


def made_in_a_loop(x):
    total, i = x.sum() * 0.0, sl.tensor(0)
    while i < 1:
        with sl.no_grad():
            z = sl.make_complex(x, x)
        total, i = total + sl.real(z).sum() * x.sum(), i + 1
    return total


@pytest.mark.parametrize("f", [made_before_a_branch, made_in_a_loop])
def test_captured_without_gradients_they_are_constants(f):
    x = sl.tensor([1.0, 3.0], requires_grad=True)
    sl.function(f)(x).backward()
    assert x.grad.tolist() == [4.0, 4.0]


class Energy(sl.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sl.square(sl.abs(sl.make_complex(x, x))).sum()

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return 4.0 * x * dy


def test_a_gradient_of_the_users_own_is_taken():
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (2,))
        (dx,) = sl.gradients(Energy.apply(x), [x])
        got = sl.Session(graph).run(dx, {x: np.array([1.0, 3.0], np.float32)})
    assert np.asarray(got).tolist() == [4.0, 12.0]
