"""vmap from Python: axes, trees, branches and loops, nesting."""

import numpy as np
import pytest

import sluice as sl


def tensor(values):
    return sl.add(np.asarray(values, np.float32), np.float32(0))


def same(t, values):
    sl.testing.assert_close(t, np.asarray(values, np.float32), rtol=1e-5, atol=1e-6)


M = tensor([[1, 2, 3], [4, 5, 6]])


def test_lanes_along_axis_0():
    norm = sl.vmap(lambda v: sl.sqrt(sl.sum(v * v)))
    same(norm(tensor([[3, 4], [6, 8]])), [5, 10])
    same(norm(tensor([[0, 1], [1, 0], [0, 0]])), [1, 1, 0])
    assert "all lanes at once" in norm.report()


def test_axes_of_arguments_and_results():
    add = sl.vmap(lambda a, b: a + b, in_axes=(0, None))
    same(add(tensor([1, 2]), tensor(1.0)), [2, 3])
    same(sl.vmap(sl.sum, in_axes=1)(M), [5, 7, 9])
    same(sl.vmap(sl.sum, in_axes=-1)(M), [5, 7, 9])
    twice = 2 * np.array([[1, 4], [2, 5], [3, 6]])
    same(sl.vmap(lambda r: r * 2, out_axes=1)(M), twice)
    same(sl.vmap(lambda r: r * 2, in_dims=1, out_dims=-1)(M), [[2, 4, 6], [8, 10, 12]])


def test_trees_of_arguments_and_results():
    def f(d, k):
        return {"sum": d["x"] + d["y"] * k, "x": d["x"]}

    got = sl.vmap(f, in_axes=({"x": 0, "y": None}, None))(
        {"x": M, "y": tensor([1, 1, 1])}, 2
    )
    same(got["sum"], [[3, 4, 5], [6, 7, 8]])
    got = sl.vmap(lambda r: (r, r), out_axes=(0, 1))(M)
    assert got[0].shape == (2, 3) and got[1].shape == (3, 2)
    got = sl.vmap(lambda r, s: (r, s), (0, None), out_axes=(0, None))(M, tensor(7.0))
    same(got[1], 7)


def test_keywords_and_what_is_no_tensor():
    def f(x, scale=None, how="plain", b=None):
        assert how == "loud" and scale is None
        return x + b

    same(sl.vmap(f)(M, how="loud", b=tensor([1, 2])), [[2, 3, 4], [6, 7, 8]])


def test_other_values_of_what_is_no_tensor_are_recorded_anew():
    f = sl.vmap(lambda x, k: x * k, (0, None))
    same(f(tensor([1, 2]), 2), [2, 4])
    same(f(tensor([1, 2]), 3), [3, 6])
    same(f(tensor([1, 2]), [[1, 2]][0][0]), [1, 2])


def test_branches_and_loops_run_live_lanes_alone():
    halved = sl.vmap(lambda v: sl.while_loop(lambda v: v > 1, lambda v: v / 2, v))
    same(halved(tensor([8, 3, 0.5])), [1, 0.75, 0.5])
    root = sl.vmap(lambda v: sl.cond(v > 0, lambda: sl.sqrt(v), lambda: v))
    same(root(tensor([4, -4])), [2, -4])


def test_nested():
    same(sl.vmap(sl.vmap(lambda a: a * 2))(M), 2 * np.array([[1, 2, 3], [4, 5, 6]]))
    outer = sl.vmap(lambda a: sl.vmap(lambda b: a * b)(tensor([1, 10])))
    same(outer(tensor([1, 2])), [[1, 10], [2, 20]])


def test_with_gradients_both_ways():
    def cubes(x):
        return sl.sum(x * x * x)

    same(sl.vmap(sl.grad(cubes))(M), 3 * np.array([[1, 4, 9], [16, 25, 36]]))
    same(sl.grad(lambda x: sl.sum(sl.vmap(lambda v: v * v)(x)))(tensor([1, 2])), [2, 4])
    w = tensor([1, 2, 3]).requires_grad_()
    sl.sum(sl.vmap(lambda r: r * w)(M)).backward()
    same(w.grad, [5, 7, 9])


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: sl.vmap(3), TypeError),
        (lambda: sl.vmap(lambda x: x)(3), ValueError),
        (lambda: sl.vmap(lambda x: x, in_axes=None)(M), ValueError),
        (lambda: sl.vmap(lambda x: x, in_axes=(0, 0))(M), ValueError),
        (lambda: sl.vmap(lambda x: x, in_axes=7)(M), (ValueError, IndexError)),
        (lambda: sl.vmap(lambda x: x, in_axes="a")(M), TypeError),
        (lambda: sl.vmap(lambda x: x, out_axes=(0, 1))(M), (ValueError, TypeError)),
        (lambda: sl.vmap(lambda x: x, out_axes=9)(M), (ValueError, IndexError)),
        (lambda: sl.vmap(lambda x: "text")(M), TypeError),
        (lambda: sl.vmap(lambda a, b: a)(M, tensor([1, 2, 3])), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()


class Doubling(sl.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = sl.nn.Parameter(sl.tensor([1.0, -2.0]))

    def forward(self, x):
        y = (x * self.w).sum()
        if y > 0:
            y = y * y
        return y


# It was refused, also imperatively: what a module does was not converted there.
@pytest.mark.parametrize("capture", [lambda f: f, sl.function])
def test_functional_call_of_a_module_that_branches(capture):
    module = Doubling()

    def loss(w, x):
        return sl.func.functional_call(module, {"w": w}, (x,))

    f = capture(sl.func.vmap(sl.func.grad(loss), in_dims=(None, 0)))
    w = sl.tensor([1.0, -2.0])
    rows = sl.tensor([[1.0, 1.0], [3.0, 1.0], [0.0, -1.0]])
    alone = [sl.func.grad(loss)(w, row) for row in rows]
    assert f(w, rows).tolist() == [g.tolist() for g in alone]
