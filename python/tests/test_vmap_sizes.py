"""vmap where lanes have sizes of their own on the way: what a mask selects, what a
loop kept of as many iterations as its lane made. Every lane gives what it gives by
itself, and so do its gradients."""

import numpy as np
import pytest

import sluice as sl

X = sl.tensor([[0.65, 0.64, 0.14], [-1.0, -2.0, -3.0], [0.1, 0.2, 0.3],
               [0.0, 0.5, 0.0]])
W = sl.tensor([[0.5, 0.2, 0.1], [0.2, 0.4, 0.3], [0.1, 0.1, 0.6]])


def selected(x):
    return x[x > 0.12].sum()


def selected_squares(x):
    return (x[x > 0.12] ** 2).sum() + x.sum() ** 2


def two_masks(x):
    return x[x > 0.12].sum() * sl.exp(x[x < 0.4] * 0.5).sum()


def rows_until(x):
    rows = sl.stack([x, x * 2, x * x])
    total = x.sum()
    for row in rows:
        if total > 1:
            break
        total = total + (row * row).sum()
    return total


def last_row(x):
    rows = x.expand(3, 3) * x
    for row in rows:
        x = row
        if (x > 0.09).any():
            break
    return x.sum()


def elements_until(x):
    product = x.sum()
    for i in range(x.shape[0]):
        product = product * x[i]
        if product > 1:
            break
    return product


def counted(x):
    return sl.while_loop(
        lambda i, z: (i < 3) & (z < 1),
        lambda i, z: (i + 1, z + x[i] * x[i]),
        (sl.tensor(0), x.sum()),
    )[1]


def steps_by_a_matrix(x):
    for _ in range(3):
        x = sl.tanh(x @ W)
        if x.sum() > 0.3:
            break
    return (x * x).sum()


FUNCTIONS = [selected, selected_squares, two_masks, rows_until, last_row,
             elements_until, counted, steps_by_a_matrix]


def second(f):
    """A gradient of a gradient; what is linear has a second term to depend on."""
    return sl.grad(lambda x: (sl.grad(f)(x) ** 2).sum() + (x ** 3).sum())


WAYS = {
    "f": lambda f: f,
    "grad": sl.grad,
    "second": second,
    "captured": lambda f: sl.grad(sl.function(f)),
}


# Their second gradients hand what differs into a branch or a sum of unknown sizes.
REFUSED = {("selected_squares", "second"), ("two_masks", "second"),
           ("rows_until", "second")}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_lanes_with_sizes_of_their_own(f, way):
    g = WAYS[way](f)
    if (f.__name__, way) in REFUSED:
        with pytest.raises(ValueError, match="another size than the first"):
            sl.vmap(g)(X)
        return
    alone = np.array([g(row).numpy() for row in X])
    np.testing.assert_allclose(sl.vmap(g)(X).numpy(), alone, rtol=1e-6)
    np.testing.assert_allclose(sl.function(sl.vmap(g))(X).numpy(), alone, rtol=1e-6)


def test_gradients_to_what_lanes_share():
    def loss(w, x):
        for _ in range(3):
            x = sl.tanh(x @ w)
            if x.sum() > 0.3:
                break
        return x.sum()

    got = sl.vmap(sl.grad(loss), in_dims=(None, 0))(W, X)
    for i, row in enumerate(X):
        assert (got[i] - sl.grad(loss)(W, row)).abs().max().item() < 1e-6


# More lanes than are written out one by one.
def test_many_lanes():
    sl.manual_seed(0)
    x = sl.randn(40, 5)
    for f in (selected, selected_squares):
        got = sl.vmap(sl.grad(f))(x)
        assert got.shape == (40, 5)
        for i in range(40):
            assert (got[i] - sl.grad(f)(x[i])).abs().max().item() < 1e-6


def test_results_of_several_sizes_are_refused():
    with pytest.raises(ValueError, match="another size than the first|wanted"):
        sl.vmap(lambda x: x[x > 0.12])(X)
    sl.manual_seed(0)
    with pytest.raises(Exception, match="another size than the first"):
        sl.vmap(lambda x: x[x > 0.12])(sl.randn(40, 5))
    # Where they agree there is nothing to refuse.
    assert sl.vmap(lambda x: x[x > 0.12])(X[0:1]).tolist() == [X[0].tolist()]
