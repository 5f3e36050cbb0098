"""grad, value_and_grad, vjp, jvp, hvp, Jacobians and Hessians on trees."""

from typing import NamedTuple

import numpy as np
import pytest

import sluice as sl


def tensor(values, dtype=np.float32):
    return sl.add(np.asarray(values, dtype), np.asarray(0, dtype))


def same(t, values):
    sl.testing.assert_close(t, np.asarray(values, np.float32), rtol=1e-5, atol=1e-6)


X = tensor([1.0, 2.0, 3.0])


def cubes(x):
    return sl.sum(x * x * x)


def test_grad_and_value():
    g = sl.grad(cubes)(X)
    same(g, [3, 12, 27])
    assert not g.requires_grad and not X.requires_grad
    value, g = sl.value_and_grad(cubes)(X)
    same(value, 36)
    same(g, [3, 12, 27])
    assert not value.requires_grad


def test_numbers_and_arrays_are_taken():
    same(sl.grad(lambda v: v * v)(3.0), 6)
    same(sl.grad(cubes)(np.float32([1, 2])), [3, 12])


def test_grads_nest():
    twice = sl.grad(lambda x: sl.sum(sl.grad(cubes)(x)))
    same(twice(X), [6, 12, 18])
    same(sl.grad(lambda x: sl.sum(twice(x)))(X), [6, 6, 6])


def test_inner_and_outer_variables_are_not_confused():
    one = tensor(1.0)
    same(sl.grad(lambda x: x * sl.grad(lambda y: x + y)(one))(one), 1)
    # d/dx of x * x, not of what the inner point happens to be made of.
    same(sl.grad(lambda x: x * sl.grad(lambda y: x * y)(x * 1))(tensor(3.0)), 6)


def test_argnums():
    def f(a, b, c):
        return sl.sum(a * b) + c

    same(sl.grad(f, argnums=1)(X, X, 1.0), [1, 2, 3])
    a, c = sl.grad(f, argnums=(0, -1))(X, X, 1.0)
    same(a, [1, 2, 3])
    same(c, 1)
    with pytest.raises(ValueError, match="argnums is 3"):
        sl.grad(f, argnums=3)(X, X, 1.0)
    with pytest.raises(TypeError):
        sl.grad(f, argnums="a")(X, X, 1.0)


def test_trees_come_back_as_trees():
    class Layer(NamedTuple):
        w: object
        b: object

    tree = {"l": Layer(X, tensor(1.0)), "n": (2, None, "relu"), "i": tensor(1, int)}

    def f(p, k):
        assert p["n"] == (2, None, "relu")
        return sl.sum(p["l"].w * k) + p["l"].b

    g = sl.grad(f)(tree, 2.0)
    assert isinstance(g["l"], Layer)
    same(g["l"].w, [2, 2, 2])
    same(g["l"].b, 1)
    assert g["n"] == (None, None, None) and g["i"] is None


def test_has_aux():
    def f(x):
        return cubes(x), {"x2": x * 2, "n": 3}

    g, aux = sl.grad(f, has_aux=True)(X)
    same(g, [3, 12, 27])
    same(aux["x2"], [2, 4, 6])
    assert aux["n"] == 3 and not aux["x2"].requires_grad
    (value, aux), g = sl.value_and_grad(f, has_aux=True)(X)
    same(value, 36)
    with pytest.raises(TypeError, match="has_aux"):
        sl.grad(cubes, has_aux=True)(X)


def test_parameters_of_a_model():
    w = tensor([1.0, 2.0]).requires_grad_()
    b = tensor(0.5).requires_grad_()

    def loss(params, batch):
        w, b = params
        return sl.sum(w * batch) + b

    value, grads = sl.value_and_grad(loss)(iter([w, b]), tensor([3.0, 4.0]))
    same(value, 11.5)
    same(grads[0], [3, 4])
    same(grads[1], 1)
    assert w.grad is None and w.requires_grad


def test_gradients_lead_back_to_tensors_around():
    """As a physics-informed loss wants: the slope is part of the loss."""
    w = tensor(3.0).requires_grad_()
    slope = sl.grad(lambda x: w * x * x)(tensor(2.0))
    same(slope, 12)
    (slope * slope).backward()
    same(w.grad, 2 * 12 * 4)
    with sl.no_grad():
        assert not sl.grad(lambda x: w * x * x)(tensor(2.0)).requires_grad


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: sl.grad(cubes)(np.array([1, 2])), TypeError, "no floating-point"),
        (lambda: sl.grad(lambda x: x * 2)(X), ValueError, r"shape \(3,\)"),
        (lambda: sl.grad(lambda x: 3.0)(X), TypeError, "returned a float"),
        (lambda: sl.grad(lambda x: tensor(1.0))(X), ValueError, "is a leaf"),
        (lambda: sl.grad(3), TypeError, "wanted a function"),
        (lambda: sl.grad(cubes)(), ValueError, "0 arguments"),
        (lambda: sl.grad(lambda a, b: cubes(a), (0, 1))(X, X), ValueError, "xs.1."),
    ],
)
def test_what_has_no_gradient_says_why(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_allow_unused_gives_zeros():
    both = sl.grad(lambda a, b: cubes(a), (0, 1), allow_unused=True)(X, X)
    same(both[1], [0, 0, 0])
    same(sl.grad(lambda x: tensor(1.0), allow_unused=True)(X), [0, 0, 0])


def test_what_the_function_raises_comes_out():
    def f(x):
        raise KeyError("mine")

    for call in (sl.grad(f), sl.vmap(f), sl.checkpoint(f), sl.jacrev(f)):
        with pytest.raises(KeyError, match="mine"):
            call(X)
    with pytest.raises(KeyError):
        sl.vjp(f, X)
    with pytest.raises(KeyError):
        sl.jvp(f, (X,), (X,))


def test_vjp():
    def f(a, b):
        return a * b, {"s": a + b}

    out, pull = sl.vjp(f, X, X)
    same(out[0], [1, 4, 9])
    assert not out[0].requires_grad
    for _ in range(2):
        ga, gb = pull((tensor([1, 1, 1]), {"s": tensor([1, 0, 0])}))
        same(ga, [2, 2, 3])
        same(gb, [2, 2, 3])
    with pytest.raises(ValueError, match="cotangents"):
        pull(tensor([1, 1, 1]))


def test_vjp_of_what_does_not_move_is_zero():
    out, pull = sl.vjp(lambda x: sl.round(x), X)
    same(pull(out)[0], [0, 0, 0])


def test_jvp():
    value, change = sl.jvp(lambda x: sl.sin(x), (X,), (tensor([1, 0, 2]),))
    same(value, np.sin([1, 2, 3]))
    same(change, [np.cos(1), 0, 2 * np.cos(3)])
    value, change = sl.jvp(lambda a, b: (a * b, 3), (X, X), (X, None))
    same(change[0], [1, 4, 9])
    same(sl.jvp(lambda x: x * x, X, X)[1], [2, 8, 18])
    with pytest.raises(ValueError):
        sl.jvp(lambda x: x, (X,), (tensor(1.0),))
    with pytest.raises(ValueError):
        sl.jvp(lambda x: x, (X,), ())


def test_grad_of_jvp_and_jvp_of_grad():
    one = tensor([1, 1, 1])
    inner = sl.grad(lambda x: sl.sum(sl.jvp(lambda v: v * v * v, (x,), (one,))[1]))
    same(inner(X), [6, 12, 18])
    same(sl.jvp(sl.grad(cubes), (X,), (one,))[1], [6, 12, 18])


def test_hvp():
    same(sl.hvp(cubes, X, tensor([1, 0, 1])), [6, 0, 18])
    a, b = sl.hvp(lambda a, b: sl.sum(a * a * b), (X, X), (X, X))
    same(a, 2 * np.array([1, 4, 9]) * 2)
    same(b, 2 * np.array([1, 4, 9]))


def test_jacobians():
    a = tensor([[1, 2, 3], [4, 5, 6]])
    for jacobian in (sl.jacrev, sl.jacfwd, sl.jacobian):
        same(jacobian(lambda x: sl.sum(a * x, axis=1))(X), [[1, 2, 3], [4, 5, 6]])
        same(jacobian(lambda x: x * x)(X), np.diag([2, 4, 6]))
        j = jacobian(lambda d: {"o": d["a"] * d["b"]})({"a": X, "b": tensor(2.0)})
        same(j["o"]["a"], np.diag([2, 2, 2]))
        same(j["o"]["b"], [1, 2, 3])
        both = jacobian(lambda a, b: a * b, argnums=(0, 1))(X, X)
        same(both[0], np.diag([1, 2, 3]))
    deeper = sl.grad(lambda x: sl.sum(sl.jacrev(lambda v: v * v * v)(x)))
    same(deeper(X), [6, 12, 18])


def test_hessians():
    same(sl.hessian(cubes)(X), np.diag([6, 12, 18]))
    same(sl.jacfwd(sl.jacrev(cubes))(X), np.diag([6, 12, 18]))
    h = sl.hessian(lambda p: sl.sum(p["a"] * p["b"]))({"a": X, "b": X})
    same(h["a"]["b"], np.eye(3))
    same(h["a"]["a"], np.zeros((3, 3)))
    many = sl.vmap(sl.hessian(cubes))(tensor([[1, 2, 3], [1, 1, 1]]))
    same(many, [np.diag([6, 12, 18]), np.diag([6, 6, 6])])


def test_in_a_graph():
    if not hasattr(sl, "Session"):
        pytest.skip("no Session yet")
    with sl.Graph().as_default() as graph:
        x = sl.placeholder(sl.float32, [3])
        fetches = [
            sl.grad(cubes)(x),
            sl.hessian(cubes)(x),
            sl.jvp(sl.sin, (x,), (x,))[1],
            sl.hvp(cubes, x, x),
            sl.vmap(lambda v: v * 2)(x),
            sl.grad(lambda v: sl.sum(sl.checkpoint(sl.sin)(v)))(x),
        ]
        with sl.Session(graph) as session:
            got = session.run(fetches, {x: np.float32([1, 2, 3])})
    n = np.array([1.0, 2, 3])
    wanted = [
        3 * n * n, np.diag(6 * n), n * np.cos(n), 6 * n * n, 2 * n, np.cos(n)
    ]  # fmt: skip
    for a, b in zip(got, wanted):
        same(a, b)


def test_in_a_captured_function():
    if not hasattr(sl, "function"):
        pytest.skip("no function yet")
    w = tensor(2.0).requires_grad_()

    @sl.function
    def f(x):
        value, slope = sl.value_and_grad(lambda v: cubes(v) * w)(x)
        return value, slope, sl.hvp(cubes, x, x), sl.vmap(lambda v: v * v)(x)

    for _ in range(2):
        value, slope, product, squares = f(X)
        same(value, 72)
        same(slope, [6, 24, 54])
        same(product, [6, 24, 54])
        same(squares, [1, 4, 9])
