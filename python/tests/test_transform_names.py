"""linearize, custom_jvp, associative_scan, and the transforms by PyTorch's names."""

import numpy as np
import pytest

import sluice as sl
from sluice import func
from sluice.autograd import functional
from sluice.utils import data

T = sl.tensor
X = T([0.3, 0.7, 2.0], dtype=sl.float64)
Y = T([1.0, 2.0, 3.0], dtype=sl.float64)


def _f(x):
    return sl.sin(x) * x.sum()


def _jacobian():
    x = X.numpy()
    return np.diag(np.cos(x) * x.sum()) + np.sin(x)[:, None]


def _near(got, wanted):
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-9, atol=1e-12)


def test_linearize():
    out, linear = sl.linearize(_f, X)
    _near(out, _f(X).numpy())
    for t in (Y, X):
        _near(linear(t), _jacobian() @ t.numpy())
    _near(sl.vmap(linear)(sl.eye(3, dtype=sl.float64)), _jacobian().T)
    captured = sl.function(lambda x, t: sl.linearize(_f, x)[1](t))
    _near(captured(X, Y), _jacobian() @ Y.numpy())
    _, of_two = sl.linearize(lambda p, q: {"made": p["x"] * q}, {"x": X}, Y)
    _near(of_two({"x": Y}, X)["made"], Y.numpy() ** 2 + X.numpy() ** 2)
    with pytest.raises(ValueError, match="wanted 1"):
        linear(X, X)


@sl.custom_jvp
def _twice(x, y):
    return sl.sin(x) * y


@_twice.defjvp
def _twice_jvp(primals, tangents):  # twice the slope in x, to be told apart
    (x, y), (dx, dy) = primals, tangents
    return _twice(x, y), 2 * sl.cos(x) * y * dx + sl.sin(x) * dy


def test_custom_jvp_both_ways():
    x, y = X.numpy(), Y.numpy()
    both = sl.grad(lambda x, y: _twice(x, y).sum(), (0, 1))
    for f in (both, sl.function(both)):
        dx, dy = f(X, Y)
        _near(dx, 2 * np.cos(x) * y)
        _near(dy, np.sin(x))
    _near(sl.jvp(_twice, (X, Y), (Y, X))[1], 2 * np.cos(x) * y * y + np.sin(x) * x)
    _near(sl.vmap(sl.grad(_twice))(X, Y), 2 * np.cos(x) * y)
    second = sl.hessian(lambda x: _twice(x, Y).sum())(X)
    _near(second, np.diag(-2 * np.sin(x) * y))
    leaf = X.clone().requires_grad_()
    _twice(leaf, Y).sum().backward()
    _near(leaf.grad, 2 * np.cos(x) * y)


def test_custom_jvp_arguments():
    def power(n, x):
        return x**n

    made = sl.custom_jvp(power, nondiff_argnums=(0,))
    with pytest.raises(TypeError, match="defjvp"):
        made(2, X)
    made.defjvp(lambda n, primals, tangents: (
        made(n, *primals), 10 * n * primals[0] ** (n - 1) * tangents[0]))
    _near(sl.grad(lambda x: made(3, x).sum())(X), 30 * X.numpy() ** 2)
    softplus = sl.custom_jvp(lambda x: sl.log1p(sl.exp(x)))
    softplus.defjvps(lambda t, out, x: t * sl.sigmoid(x))
    s = 1 / (1 + np.exp(-X.numpy()))
    _near(sl.hessian(lambda x: softplus(x).sum())(X), np.diag(s * (1 - s)))
    mixed = sl.custom_jvp(lambda x, i: x[i])
    mixed.defjvp(lambda p, t: (mixed(*p), 5 * t[0][p[1]]))
    _near(sl.grad(lambda x: mixed(x, T(1)))(X), [0, 5, 0])


def _linear(p, q):
    return p[0] * q[0], q[0] * p[1] + q[1]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 8])
def test_associative_scan_of_trees(n):
    a, b = np.random.default_rng(n).normal(size=(2, n))
    wanted, now = [], 0.0
    for i in range(n):
        now = a[i] * now + b[i]
        wanted.append(now)

    def last(a, b):
        return sl.associative_scan(_linear, (a, b))[1]

    for f in (last, sl.function(last)):
        _near(f(T(a), T(b)), wanted)
    slope = sl.grad(lambda b: last(T(a), b)[-1])(T(b))
    _near(slope, [np.prod(a[i + 1 :]) for i in range(n)])


def test_associative_scan_refuses():
    assert sl.associative_scan(sl.add, sl.zeros(0, 2)).shape == (0, 2)
    with pytest.raises(ValueError, match="wanted one"):
        sl.associative_scan(_linear, (sl.zeros(2), sl.zeros(3)))
    with pytest.raises(ValueError, match="as elems"):
        sl.associative_scan(lambda a, b: (a, b), sl.zeros(4))


def test_func():
    x = X.numpy()
    gradient, value = func.grad_and_value(lambda x: (x**2).sum())(X)
    _near(gradient, 2 * x)
    _near(value, (x**2).sum())
    _near(func.grad(lambda x, y: y.sum())(X, Y), 0 * x)
    out, pull = func.vjp(_f, X)
    _near(pull(Y), Y.numpy() @ _jacobian())
    assert len(func.vjp(lambda a, b: a * b, X, Y)[1](X)) == 2
    _near(func.jvp(_f, (X,), (Y,))[1], _jacobian() @ Y.numpy())
    _near(func.jacrev(_f)(X), _jacobian())
    slopes, aux = func.jacfwd(lambda x: (_f(x), x + 1), has_aux=True)(X)
    _near(slopes, _jacobian())
    _near(aux, x + 1)
    assert func.hessian(lambda x: x**3)(X).shape == (3, 3, 3)
    assert func.vmap(lambda a, b: a * b, in_dims=(0, None))(X, Y).shape == (3, 3)
    with pytest.raises(NotImplementedError, match="chunk_size"):
        func.vmap(_f, chunk_size=2)
    with pytest.raises(NotImplementedError, match="randomness"):
        func.vmap(_f, randomness="same")
    drawn = func.vmap(lambda x: x + sl.rand(()), randomness="different")(sl.zeros(4))
    assert len(set(drawn.tolist())) == 4
    with pytest.raises(TypeError, match="tuple"):
        func.jvp(_f, X, Y)


def test_stacked_modules():
    models = [sl.nn.Linear(2, 3) for _ in range(4)]
    parameters, buffers = func.stack_module_state(models)
    assert parameters["weight"].shape == (4, 3, 2) and not buffers
    assert parameters["weight"].requires_grad
    x = sl.ones(2)
    made = func.vmap(lambda p: func.functional_call(models[0], p, (x,)))(parameters)
    for got, model in zip(made, models):
        np.testing.assert_allclose(got.tolist(), model(x).tolist(), rtol=1e-6)


def test_autograd_functional():
    x, y = X.numpy(), Y.numpy()

    def f(x, y):
        return (x**3 * y).sum()

    (xx, xy), (yx, yy) = functional.hessian(f, (X, Y))
    _near(xx, np.diag(6 * x * y))
    _near(xy, np.diag(3 * x**2))
    _near(yx, np.diag(3 * x**2))
    _near(yy, np.zeros((3, 3)))
    for strategy in ("reverse-mode", "forward-mode"):
        _near(functional.jacobian(_f, X, strategy=strategy), _jacobian())
    out, found = functional.vjp(_f, X, Y)
    _near(found, y @ _jacobian())
    _near(functional.jvp(_f, X, Y)[1], _jacobian() @ y)
    for product in (functional.hvp, functional.vhp):
        value, found = product(lambda x: f(x, Y), X, Y)
        _near(value, (x**3 * y).sum())
        _near(found, 6 * x * y * y)
    assert functional.vjp(lambda x: x.sum(), X)[1].tolist() == [1, 1, 1]
    leaf = X.clone().requires_grad_()
    assert not functional.jacobian(_f, leaf).requires_grad
    kept = functional.jacobian(lambda x: x**3, leaf, create_graph=True)
    _near(sl.autograd.grad(kept.sum(), leaf)[0], 6 * x)
    with pytest.raises(ValueError, match="lacks v"):
        functional.vjp(_f, X)
    with pytest.raises(ValueError, match="v is"):
        functional.jvp(_f, X, sl.ones(2))
    with pytest.raises(NotImplementedError, match="strict"):
        functional.jacobian(_f, X, strict=True)


def test_utils():
    class Count(data.IterableDataset):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return iter(range(self.n))

        def __len__(self):
            return self.n

    chained = data.ChainDataset([Count(2), Count(3)])
    assert list(chained) == [0, 1, 0, 1, 2] and len(chained) == 5
    rows = data.TensorDataset(sl.arange(4))
    side = data.StackDataset(a=rows, b=[5, 6, 7, 8])
    assert len(side) == 4 and side[1]["b"] == 6
    batches = list(data.DataLoader(data.StackDataset(rows, rows), batch_size=2))
    assert len(batches) == 2
    with pytest.raises(ValueError, match="one length"):
        data.StackDataset(rows, [1])
    made = data.default_convert({"a": np.ones(2), "b": "text"})
    assert made["a"].tolist() == [1, 1] and made["b"] == "text"
    again = sl.utils.checkpoint.checkpoint(_f, X, use_reentrant=False)
    assert again.tolist() == _f(X).tolist()
