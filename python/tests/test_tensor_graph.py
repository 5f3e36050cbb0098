"""Tensors of a graph: what they refuse, and indexing that becomes nodes."""

import numpy as np
import pytest
import sluice as sl

A = np.arange(24, dtype="float32").reshape(2, 3, 4)


def run(build, *arrays):
    """What a graph computes from placeholders of unknown sizes."""
    with sl.Graph() as graph:
        xs = [sl.placeholder(str(a.dtype), [None] * a.ndim) for a in arrays]
        y = build(*xs)
    return sl.Session(graph).run(y, dict(zip(xs, map(sl.tensor, arrays)))).numpy()


KEYS = [
    (0,), (-1,), (slice(None), 1), (..., 2), (slice(None, None, -1),),
    (slice(1, None), slice(None, 2), None), (None, 0, slice(0, 4, 2)),
    (np.array([1, 0, -1]),), (slice(None), np.array([[0, 2]])),
    (np.array([0, 1]), np.array([2, 0])), (0, slice(None), np.array([1, 1])),
    (slice(None), A[0] > 5), (A > 7,),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts_in_a_graph(key):
    ours = tuple(sl.tensor(k) if isinstance(k, np.ndarray) else k for k in key)
    np.testing.assert_array_equal(run(lambda x: x[ours], A), A[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_assignment_in_a_graph(key):
    ours = tuple(sl.tensor(k) if isinstance(k, np.ndarray) else k for k in key)

    def build(x):
        y = x * 1
        y[ours] = -1.0
        return y

    wanted = A.copy()
    wanted[key] = -1
    np.testing.assert_array_equal(run(build, A), wanted)


def test_indices_that_are_not_known_yet():
    i = np.array(-2)
    js = np.array([2, -1, 0])
    np.testing.assert_array_equal(run(lambda x, i: x[:, i], A, i), A[:, -2])
    np.testing.assert_array_equal(run(lambda x, j: x[0, j], A, js), A[0, js])
    np.testing.assert_array_equal(
        run(lambda x, m: x[m], A, A > 3), A[A > 3]
    )
    with pytest.raises((IndexError, ValueError), match="5; wanted 0 <= index < 2"):
        run(lambda x, i: x[i], A, np.array(5))


def test_no_elements_to_look_at():
    with sl.Graph():
        x = sl.placeholder(sl.float32, (None, 784), name="x")
        assert repr(x) == "<Tensor x: f32[?,784]>"
        assert x.shape == (None, 784) and x.size is None and x.ndim == 2
        for use in (bool, int, float, lambda t: t.item(), lambda t: t.tolist(),
                    lambda t: t.numpy(), np.asarray, lambda t: [0][t]):  # fmt: skip
            with pytest.raises(TypeError, match="graph"):
                use(x)
        with pytest.raises(TypeError, match="sluice.cond.*@sluice.function"):
            if x.sum() > 0:
                pass
        with pytest.raises(TypeError, match="known only while a step"):
            len(x)
        with pytest.raises(TypeError):
            list(x)
        y = x
        y += 1  # another node, by the same name
        assert y is not x and y.symbolic


def test_functions_in_a_graph():
    np.testing.assert_allclose(run(lambda x: x.sum(axis=1), A), A.sum(1))
    np.testing.assert_allclose(run(lambda x: x.flatten(1), A), A.reshape(2, 12))
    np.testing.assert_allclose(run(lambda x: sl.zeros_like(x) + 1, A), A * 0 + 1)
    np.testing.assert_allclose(run(lambda x: x @ x.mT, A), A @ A.swapaxes(1, 2))
    np.testing.assert_allclose(run(lambda x: x.max(2).values, A), A.max(2))
    np.testing.assert_allclose(run(lambda x: x.clamp(2, 5), A), A.clip(2, 5))
    np.testing.assert_allclose(run(lambda x: x + sl.tensor([1.0] * 4), A), A + 1)
    means = run(lambda x: x.mean(-1, keepdim=True), A)
    np.testing.assert_allclose(means, A.mean(-1, keepdims=True))


def test_captured():
    @sl.function
    def f(x, i):
        y = x * 2
        y[i] = 0.0
        return y[i - 1] + y.sum()

    x = sl.arange(4).float()
    assert f(x, sl.tensor(2)).item() == 2 + (0 + 2 + 0 + 6)
    assert f(x, sl.tensor(1)).item() == 0 + (0 + 0 + 4 + 6)


def test_a_loop_over_places():
    @sl.function
    def total(xs):
        def body(i, acc):
            return i + 1, acc + xs[i]

        return sl.while_loop(lambda i, acc: i < 5, body, 0, sl.zeros(2))[1]

    xs = sl.arange(10).float().reshape(5, 2)
    assert total(xs).tolist() == [20, 25]
    w = xs.clone().requires_grad_()
    total(w).sum().backward()
    assert w.grad.to_dense().tolist() == [[1, 1]] * 5
