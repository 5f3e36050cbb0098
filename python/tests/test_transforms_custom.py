"""custom_vjp and checkpoint."""

import numpy as np
import pytest

import sluice as sl


def tensor(values):
    return sl.add(np.asarray(values, np.float32), np.float32(0))


def same(t, values):
    sl.testing.assert_close(t, np.asarray(values, np.float32), rtol=1e-5, atol=1e-6)


def make():
    """sin(x) * y with a gradient that is told from the true one by its factor."""

    @sl.custom_vjp
    def f(x, y):
        """Doc."""
        return sl.sin(x) * y

    calls = []

    def fwd(x, y):
        calls.append("fwd")
        return sl.sin(x) * y, (sl.cos(x), sl.sin(x), y)

    def bwd(res, g):
        calls.append("bwd")
        return res[0] * res[2] * g * 10, res[1] * g * 10

    f.defvjp(fwd, bwd)
    return f, calls


def test_custom_vjp_says_the_gradient():
    f, calls = make()
    assert f.__name__ == "f" and f.__doc__ == "Doc."
    same(f(tensor(0.5), tensor(2.0)), 2 * np.sin(0.5))
    same(sl.grad(f)(tensor(0.5), tensor(2.0)), 20 * np.cos(0.5))
    same(sl.grad(f, 1)(tensor(0.5), tensor(2.0)), 10 * np.sin(0.5))
    assert "bwd" in calls
    x = tensor(0.5).requires_grad_()
    f(x, tensor(2.0)).backward()
    same(x.grad, 20 * np.cos(0.5))


def test_custom_vjp_is_differentiated_again():
    f, _ = make()
    same(sl.grad(sl.grad(f))(tensor(0.5), tensor(2.0)), -20 * np.sin(0.5))
    many = sl.vmap(sl.grad(sl.grad(f)))(tensor([0.5, 0.6]), tensor([2.0, 2.0]))
    same(many, -20 * np.sin([0.5, 0.6]))


def test_custom_vjp_under_vmap_and_in_graphs():
    f, _ = make()
    got = sl.vmap(sl.grad(f))(tensor([0.5, 0.6]), tensor([2.0, 2.0]))
    same(got, 20 * np.cos([0.5, 0.6]))
    if hasattr(sl, "Session"):
        with sl.Graph().as_default() as graph:
            x = sl.placeholder(sl.float32, [])
            g = sl.grad(f)(x, tensor(2.0))
            with sl.Session(graph) as session:
                same(session.run(g, {x: 0.5}), 20 * np.cos(0.5))


def test_custom_vjp_of_trees_and_nondiff_arguments():
    def power(p, n):
        return {"y": p["x"] ** n if hasattr(p["x"], "__pow__") else p["x"]}

    f = sl.custom_vjp(power, nondiff_argnums=(1,))
    f.defvjp(
        lambda p, n: (power(p, n), p["x"]),
        lambda n, x, g: ({"x": g["y"] * x * n, "unused": None},),
    )
    g = sl.grad(lambda p: sl.sum(f(p, 3)["y"]), allow_unused=True)(
        {"x": tensor([1, 2]), "unused": tensor(1.0)}
    )
    same(g["x"], [3, 6])
    same(g["unused"], 0)


def test_custom_vjp_wrong_uses():
    with pytest.raises(TypeError, match="wanted a function"):
        sl.custom_vjp(3)
    f = sl.custom_vjp(lambda x: x)
    with pytest.raises(TypeError, match="defvjp"):
        f(tensor(1.0))
    with pytest.raises(TypeError):
        f.defvjp(1, 2)
    f.defvjp(lambda x: x, lambda r, g: (g,))
    with pytest.raises(TypeError, match="residuals"):
        f(tensor(1.0))
    f.defvjp(lambda x: (x * 1, None), lambda r, g: g)
    with pytest.raises(TypeError, match="tuple of 1"):
        sl.grad(f)(tensor(1.0))
    f.defvjp(lambda x: (x * 1, None), lambda r, g: (tensor([1, 2]),))
    with pytest.raises(ValueError, match=r"returned f32\[2\] for input 0"):
        sl.grad(f)(tensor(1.0))


def test_checkpoint_runs_again_for_the_gradient():
    calls = []

    def f(a, b, scale=1.0):
        calls.append(1)
        return {"y": sl.sin(a) * b * scale}

    w = tensor([0.5]).requires_grad_()
    out = sl.checkpoint(f, w, tensor([2.0]), scale=3.0, use_reentrant=False)
    assert len(calls) == 1
    sl.sum(out["y"]).backward()
    same(w.grad, 6 * np.cos([0.5]))
    assert len(calls) == 2
    w.grad = None
    sl.sum(sl.checkpoint(f)(w, tensor([2.0]))["y"]).backward()
    same(w.grad, 2 * np.cos([0.5]))

    @sl.checkpoint
    def g(x):
        """Doc."""
        return sl.sin(x)

    assert g.__doc__ == "Doc."
    same(sl.grad(sl.grad(lambda x: g(x)))(tensor(0.5)), -np.sin(0.5))


def test_what_the_second_run_raises_comes_out():
    calls = []

    def f(x):
        calls.append(1)
        if len(calls) > 1:
            raise OSError("second")
        return sl.sin(x)

    w = tensor(0.5).requires_grad_()
    y = sl.checkpoint(f)(w)
    with pytest.raises(OSError, match="second"):
        y.backward(retain_graph=True)
    with pytest.raises(OSError, match="second"):
        y.backward(retain_graph=True)
    calls.clear()
    y.backward()
    same(w.grad, np.cos(0.5))


def test_a_function_that_does_something_else_is_told():
    calls = []

    def f(x):
        calls.append(1)
        return sl.sin(x) if len(calls) == 1 else sl.sin(sl.sin(x))

    w = tensor(0.5).requires_grad_()
    y = sl.checkpoint(f)(w)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the same every time"):
            y.backward(retain_graph=True)


def test_a_forward_function_may_call_the_function_itself():
    @sl.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (square(x), x), lambda x, g: (3 * x * g,))
    value, grad = sl.value_and_grad(square)(sl.tensor(2.0))
    assert (value.item(), grad.item()) == (4, 6)
    assert sl.grad(sl.grad(square))(sl.tensor(2.0)).item() == 3
