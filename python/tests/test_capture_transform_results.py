"""What transforms and constructs give can be written in place, under every name of it,
and has the history of the mode it was made in, captured as at once."""

import pytest

import sluice as sl

MAKERS = {
    "vmap": lambda x: sl.vmap(lambda u: sl.tanh(u) * 2)(x),
    "vmap of rows": lambda x: sl.vmap(lambda u: u * 2, 0, 0)(sl.stack([x, x]))[0],
    "vmap with lanes last": lambda x: sl.vmap(
        lambda u: u * x, out_axes=1)(sl.stack([x, x]))[:, 0],
    "vmap of what is there": lambda x: sl.vmap(lambda u: u)(x * 1),
    "vmap of one for all": lambda x: sl.vmap(lambda u: x * 2)(x)[0],
    "grad": lambda x: sl.grad(lambda u: (u ** 3).sum())(x),
    "vmap of grad": lambda x: sl.vmap(sl.grad(lambda u: u ** 3))(x),
    "grad of vmap": lambda x: sl.grad(lambda u: sl.vmap(sl.sin)(u).sum())(x),
    "value_and_grad": lambda x: sl.value_and_grad(lambda u: (u ** 3).sum())(x)[1],
    "jvp": lambda x: sl.jvp(lambda u: u ** 3, (x,), (x,))[1],
    "vjp": lambda x: sl.vjp(lambda u: u ** 3, x)[1](x)[0],
    "hvp": lambda x: sl.hvp(lambda u: (u ** 3).sum(), x, x),
    "jacrev": lambda x: sl.jacrev(lambda u: u ** 3)(x)[0],
    "jacfwd": lambda x: sl.jacfwd(lambda u: u ** 3)(x)[0],
    "hessian": lambda x: sl.hessian(lambda u: (u ** 3).sum())(x)[0],
    "checkpoint": lambda x: sl.checkpoint(lambda u: sl.tanh(u) * 2)(x),
    "function": lambda x: sl.function(lambda u: sl.tanh(u) * 2)(x),
    "cond": lambda x: sl.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3),
    "while_loop": lambda x: sl.while_loop(
        lambda u: u.sum() < 9, lambda u: u * 2 + 1, x * 1),
    "fori_loop": lambda x: sl.fori_loop(0, 2, lambda i, u: u * 2, x * 1),
    "scan": lambda x: sl.scan(lambda c, u: (c + u, c * u), x.sum(), x)[0],
    "map": lambda x: sl.map_fn(lambda u: u * 2, x),
}


def bump(t):
    t.mul_(0.5)


def written_by_name(make, x):
    made = make(x)
    made += 1
    return made


def written_by_another_name(make, x):
    made = make(x)
    other = made
    bump(other)
    return made + other


def written_through_a_view(make, x):
    made = make(x)
    made[0:2].add_(3.0)
    return made


def written_where_a_branch_says(make, x):
    made = make(x)
    if x.sum() > 0.5:
        made.mul_(3.0)
    return made


def kept_and_written_later(make, x):
    kept = [make(x)]
    before = kept[0] * 1
    kept[0].zero_()
    return before + kept[0]


def made_without_history(make, x):
    with sl.no_grad():
        made = make(x)
    return made * x


WRITES = [written_by_name, written_by_another_name, written_through_a_view,
          written_where_a_branch_says, kept_and_written_later, made_without_history]


def outcome(f, values):
    x = sl.tensor(values, dtype=sl.float64, requires_grad=True)
    y = f(x)
    slope = None
    if y.requires_grad:
        (y * sl.tensor([1.0, 2.0, 3.0], dtype=sl.float64)).sum().backward()
        slope = x.grad.tolist()
    return y.tolist(), slope, x.tolist()


@pytest.mark.parametrize("write", WRITES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("maker", MAKERS)
def test_what_a_transform_gave_is_written(maker, write):
    def f(x):
        return write(MAKERS[maker], x)

    captured = sl.function(f)
    for values in ([0.5, 0.25, 1.0], [-0.5, 0.25, -1.0]):
        at_once = outcome(f, values)
        now = outcome(captured, values)
        assert (at_once[1] is None) == (now[1] is None)
        for a, b in zip(at_once, now, strict=True):
            assert a is b is None or a == pytest.approx(b, rel=1e-12)


# state:8000761: what lanes give of a detached tensor claimed a history, at once too.
@pytest.mark.parametrize("wrap", [lambda f: f, sl.function], ids=["now", "captured"])
def test_lanes_of_a_detached_tensor_have_no_history(wrap):
    w = sl.tensor([0.5], requires_grad=True)

    @wrap
    def step(x):
        still = w.detach()
        with sl.no_grad():
            quiet = sl.vmap(lambda u: w * u)(x)
        return sl.vmap(lambda u: still)(x), sl.vmap(lambda u: still * u)(x), quiet, \
            sl.vmap(lambda u: w * u)(x)

    assert [r.requires_grad for r in step(sl.ones(2))] == [False, False, False, True]


@pytest.mark.parametrize("how", ["vmap", "jacrev", "hessian", "in a branch"])
def test_a_transform_of_a_view_of_what_was_written_since_ends(how):
    """The view is made anew while the transform has begun: it waited for itself."""

    def f(x):
        view = x[1:3]
        x += 1
        if how == "in a branch":
            return sl.vmap(sl.tanh)(view) if x.sum() > 0 else view
        if how == "vmap":
            return sl.vmap(lambda u: u * view.sum())(view)
        inner = sl.tanh if how == "jacrev" else lambda u: (u * u * view).sum()
        return getattr(sl, how)(lambda u: inner(u))(view)

    captured = sl.function(f)
    for first in (1.0, 2.0, -9.0):
        x = sl.tensor([first, 2.0, 3.0, 4.0])
        assert captured(x.clone()).tolist() == f(x.clone()).tolist()
