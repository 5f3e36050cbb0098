"""Loops without an iteration and branches not taken: what is inside is asked for
nothing, so that it need not fit the sizes that are fed."""

import numpy as np
import pytest

import sluice as sl

BODIES = {
    "sum": lambda y, w: y + w,
    "reshape": lambda y, w: y + w.reshape(3),
    "of weights alone": lambda y, w: y + sl.sin(w + sl.ones(3)),
    "element": lambda y, w: y * w[2],
    "product": lambda y, w: y * (w.reshape(1, 3) @ w.reshape(3, 1)).sum(),
}


def looped(n, x, w, body):
    step = lambda i, y: (i + 1, body(y, w))  # noqa: E731
    return sl.while_loop(lambda i, y: i < n, step, (sl.constant(0), x))[1]


def branched(n, x, w, body):
    return sl.cond(n > 0, lambda: body(x, w), lambda: x * 1)


@pytest.fixture(params=[looped, branched])
def flow(request):
    return request.param


def session_of(flow, body, sizes_hidden):
    with sl.Graph() as g:
        n = sl.placeholder(sl.int64, [])
        x = sl.placeholder(sl.float32, [None])
        w = sl.placeholder(sl.float32, [None])
        y = flow(n, x, w[w > 0] if sizes_hidden else w, body)
        grads = sl.gradients((y * y).sum(), [x, w])

    def run(times, x_fed, w_fed):
        feeds = {n: times, x: np.float32(x_fed), w: np.float32(w_fed)}
        return [t.tolist() for t in sl.Session(g).run([y, *grads], feeds)]

    return run


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("sizes_hidden", [False, True])
def test_what_does_not_run_need_not_fit(flow, name, sizes_hidden):
    run = session_of(flow, BODIES[name], sizes_hidden)
    x, two = [1.0, 2.0, 3.0], [1.0, 2.0]
    assert run(0, x, two) == [x, [2.0, 4.0, 6.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="wanted"):
        run(1, x, two)
    # With sizes that fit it is what it is imperatively.
    w = sl.tensor([0.5, 1.0, 1.5]).requires_grad_()
    at = sl.tensor(x).requires_grad_()
    y = BODIES[name](at, w)
    (y * y).sum().backward()
    got = run(1, x, w.tolist())
    for a, b in zip(got, [y, at.grad, w.grad], strict=True):
        np.testing.assert_allclose(a, b.tolist(), rtol=1e-6)


def test_what_does_not_run_need_not_fit_captured(flow):
    def step(n, x, w):
        y = flow(n, x, w, BODIES["sum"])
        return (y * y).sum()

    f = sl.function(step)
    x, w = sl.tensor([1.0, 2.0, 3.0]), sl.tensor([1.0, 2.0])
    assert f(sl.tensor(0), x, w).item() == 14.0
    assert sl.grad(f, argnums=1)(sl.tensor(0), x, w).tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(ValueError, match="broadcast"):
        f(sl.tensor(1), x, w)
