"""Arguments by place and by name mean what PyTorch's mean."""

import numpy as np
import pytest

import sluice as sl
import sluice.nn.functional as F

X = sl.tensor([[3.0, -4.0], [1.0, 2.0]])


def test_norm_takes_p_first():
    assert X.norm().tolist() == pytest.approx(30**0.5)
    assert X.norm(1).tolist() == 10.0
    assert X.norm(float("inf")).tolist() == 4.0
    assert sl.norm(X, 1, 1).tolist() == [7.0, 3.0]
    assert sl.norm(X, p=1, dim=0, keepdim=True).tolist() == [[4.0, 6.0]]
    assert sl.norm(X, 1, axis=0).tolist() == [4.0, 6.0]
    assert sl.norm(X, "nuc").tolist() == pytest.approx(
        np.linalg.norm(X.numpy(), "nuc"), rel=1e-5)  # fmt: skip
    with pytest.raises(ValueError, match="wanted a number, fro or nuc"):
        X.norm("frobenius")


def test_std_takes_unbiased_second():
    a = X.numpy()
    assert X.std(0, False).tolist() == pytest.approx(a.std(0).tolist())
    assert X.std(0, True).tolist() == pytest.approx(a.std(0, ddof=1).tolist())
    assert X.var(1, False, True).shape == (2, 1)
    assert X.std(False).tolist() == pytest.approx(a.std())
    assert sl.var(X, axis=0, keepdims=True, ddof=0).tolist()[0] == pytest.approx(
        a.var(0).tolist())  # fmt: skip
    wanted = a.var(0) * 2 / (2 - 0.5)
    assert X.var(0, correction=0.5).tolist() == pytest.approx(wanted.tolist())


def test_var_mean_keeps_axes():
    for f, which in ((sl.var_mean, np.var), (sl.std_mean, np.std)):
        spread, mean = f(X, 1, keepdim=True)
        assert spread.shape == mean.shape == (2, 1)
        assert mean.flatten().tolist() == X.mean(1).tolist()
        spread, mean = f(X, dim=0, unbiased=False)
        assert spread.tolist() == pytest.approx(which(X.numpy(), 0).tolist())
        with pytest.raises(TypeError):
            f(X, 0, keep=True)


def test_cholesky_solve_takes_b_first():
    m = X @ X.T + sl.eye(2)
    b = sl.tensor([[1.0], [2.0]])
    factor = sl.cholesky(m)
    for made in (
        sl.cholesky_solve(b, factor),
        b.cholesky_solve(factor),
        sl.cholesky_solve(b, sl.cholesky(m, upper=True), upper=True),
    ):
        assert np.allclose(m.numpy() @ made.numpy(), b.numpy(), atol=1e-4)


def test_triangular_solve_takes_b_first():
    a, b = sl.tensor([[2.0, 1.0], [0.0, 4.0]]), sl.tensor([[1.0], [2.0]])
    solution, coefficient = sl.triangular_solve(b, a)
    assert (a @ solution).tolist() == b.tolist()
    assert coefficient.tolist() == a.tolist()


def test_polygamma_takes_n_first():
    x = sl.tensor([1.0, 2.5])
    assert sl.polygamma(1, x).tolist() == pytest.approx([1.6449341, 0.4903578])
    assert x.polygamma(1).tolist() == sl.polygamma(1, x).tolist()
    assert sl.polygamma(0, x).tolist() == sl.digamma(x).tolist()


def test_meshgrid_has_the_first_vector_along_the_first_axis():
    a, b = sl.meshgrid(sl.tensor([1, 2]), sl.tensor([3, 4, 5]))
    assert a.shape == b.shape == (2, 3)
    assert a.tolist() == [[1, 1, 1], [2, 2, 2]]
    x, _ = sl.meshgrid(sl.tensor([1, 2]), sl.tensor([3, 4, 5]), indexing="xy")
    assert x.shape == (3, 2)


def test_sort_and_max_are_pairs():
    values, indices = sl.sort(X)
    assert values.tolist() == [[-4, 3], [1, 2]]
    assert indices.tolist() == [[1, 0], [0, 1]]
    values, indices = sl.sort(X, 0, True)
    assert values.tolist() == [[3, 2], [1, -4]]
    assert sl.sort(X, axis=0).tolist() == [[1, -4], [3, 2]]
    for f, wanted in ((sl.max, [[3, 2], [0, 1]]), (sl.min, [[-4, 1], [1, 0]])):
        values, indices = f(X, 1)
        assert [values.tolist(), indices.tolist()] == wanted
        values, indices = f(X, dim=1, keepdim=True)
        assert values.shape == indices.shape == (2, 1)
        assert f(X, axis=1).tolist() == wanted[0]
    assert sl.max(X).tolist() == 3
    assert sl.max(X, sl.zeros(2, 2)).tolist() == [[3, 0], [1, 2]]
    assert sl.min(X, sl.zeros(2, 2)).tolist() == [[0, -4], [0, 0]]
    values, indices = sl.median(X, 1)
    assert [values.tolist(), indices.tolist()] == [[-4, 1], [1, 0]]


def test_split_chunk_and_unbind_are_views():
    for cut in (
        lambda x: x.split(2),
        lambda x: x.split([1, 3]),
        lambda x: x.chunk(2),
        lambda x: x.unbind(),
        lambda x: sl.split(x, 1, 1),
        lambda x: sl.unbind(x, 1),
    ):
        x = sl.zeros(4, 3)
        parts = cut(x)
        for part in parts:
            part += 1.0
        assert x.tolist() == sl.ones(4, 3).tolist()
        assert np.shares_memory(parts[0].numpy(), x.numpy())


def test_chunks_of_parameters_are_written_through():
    weight = sl.nn.Parameter(sl.zeros(4, 2))
    with sl.no_grad():
        for i, part in enumerate(weight.chunk(2)):
            part.fill_(float(i + 1))
    assert weight.tolist() == [[1, 1], [1, 1], [2, 2], [2, 2]]


def test_split_has_gradients():
    x = sl.arange(4.0).requires_grad_()
    a, b = x.split([1, 3])
    (a.sum() * 2 + (b * b).sum()).backward()
    assert x.grad.tolist() == [2, 2, 4, 6]


def test_count_nonzero_over_no_axes():
    x = sl.tensor([[0, 2], [3, 0]])
    assert sl.count_nonzero(x, axis=()).tolist() == [[0, 1], [1, 0]]
    assert sl.count_nonzero(x, dim=()).tolist() == 2
    assert sl.count_nonzero(x, 0).tolist() == [1, 1]
    assert sl.sum(x, axis=()).tolist() == x.tolist()
    assert sl.sum(x, dim=()).tolist() == 5


def test_masked_select_stretches():
    x = sl.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert sl.masked_select(x, sl.tensor([True, False])).tolist() == [1, 3]
    assert x.masked_select(sl.tensor([[True], [False]])).tolist() == [1, 2]
    mask = sl.tensor([[True, False], [True, True]])
    assert sl.masked_select(sl.tensor([5.0, 6.0]), mask).tolist() == [5, 5, 6]
    assert sl.masked_fill(x[0], mask, 0.0).shape == (2, 2)


def test_masked_scatter_stretches():
    x = sl.tensor([[3.0, -4.0], [1.0, 2.0]])
    source = sl.tensor([7.0, 8.0, 9.0])
    columns, rows = sl.tensor([True, False]), sl.tensor([[True], [False]])
    assert x.masked_scatter(columns, source).tolist() == [[7, -4], [8, 2]]
    assert x.masked_scatter(rows, source).tolist() == [[7, 8], [1, 2]]
    made = sl.tensor([5.0, 6.0]).masked_scatter(x > 0, source)
    assert made.tolist() == [[7, 6], [8, 9]]
    w = sl.tensor([5.0, 6.0], requires_grad=True)
    w.masked_scatter(x > 0, source).sum().backward()
    assert w.grad.tolist() == [0, 1]


def test_diagonal_is_of_the_first_two_axes():
    x = sl.arange(12).reshape(2, 3, 2)
    assert sl.diagonal(x).tolist() == np.diagonal(x.numpy()).tolist()
    assert x.diagonal(1, 1, 2).tolist() == np.diagonal(x.numpy(), 1, 1, 2).tolist()
    wanted = np.diagonal(x.numpy(), 0, -2, -1).tolist()
    assert sl.linalg.diagonal(x).tolist() == wanted


def test_cross_is_along_the_first_axis_of_three():
    a, b = sl.randn(3, 3), sl.randn(3, 3)
    wanted = np.cross(a.numpy(), b.numpy(), axis=0)
    assert np.allclose(sl.cross(a, b).numpy(), wanted, atol=1e-6)
    wanted = np.cross(a.numpy(), b.numpy(), axis=-1)
    assert np.allclose(sl.linalg.cross(a, b).numpy(), wanted, atol=1e-6)


def test_top_level_svd_has_v_not_transposed():
    x = sl.randn(4, 3)
    u, s, v = sl.svd(x)
    assert v.shape == (3, 3)
    assert np.allclose((u * s @ v.T).numpy(), x.numpy(), atol=1e-5)
    u, s, vh = sl.linalg.svd(x, full_matrices=False)
    assert np.allclose((u * s @ vh).numpy(), x.numpy(), atol=1e-5)


def test_flip_takes_several_axes():
    x = sl.arange(6).reshape(2, 3)
    assert x.flip(0, 1).tolist() == [[5, 4, 3], [2, 1, 0]]
    assert x.flip((0, 1)).tolist() == sl.flip(x, dims=(0, 1)).tolist()
    assert sl.flip(x, axis=0).tolist() == [[3, 4, 5], [0, 1, 2]]
    same = x.flip(())
    same += 1
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_reductions_of_elements_without_axes():
    x = sl.tensor(3.0)
    for f in (sl.sum, sl.mean, sl.prod, sl.amax, sl.logsumexp, sl.norm, sl.nansum):
        for dim in (0, -1):
            assert f(x, dim=dim).tolist() == pytest.approx(3.0)
            assert f(x, dim=dim).shape == ()
    assert sl.max(x, 0).indices.tolist() == 0
    assert sl.argmax(x, 0).tolist() == 0
    assert sl.any(x, 0).tolist() is True
    assert sl.cumsum(x, 0).tolist() == 3.0
    assert sl.sort(x).values.tolist() == 3.0
    with pytest.raises(IndexError):
        sl.sum(x, dim=1)


def test_nansum_takes_dim():
    x = sl.tensor([[1.0, float("nan")], [2.0, 3.0]])
    assert sl.nansum(x, dim=0).tolist() == [3, 3]
    assert x.nansum(1, True).tolist() == [[1], [5]]
    assert sl.nanmean(x, dim=0).tolist() == [1.5, 3]


def test_unique_of_slices():
    x = sl.tensor([[2, 1], [0, 5], [2, 1], [0, 4]])
    values, inverse, counts = sl.unique(
        x, dim=0, return_inverse=True, return_counts=True)  # fmt: skip
    assert values.tolist() == [[0, 4], [0, 5], [2, 1]]
    assert inverse.tolist() == [2, 1, 2, 0]
    assert counts.tolist() == [1, 1, 2]
    assert sl.unique(sl.tensor([[1, 1, 2]]), dim=1).tolist() == [[1, 2]]


def test_gather_and_scatter_with_a_smaller_index():
    x = sl.arange(12.0).reshape(3, 4)
    index = sl.tensor([[2, 0]])
    assert sl.gather(x, 0, index).tolist() == [[8, 1]]
    assert x.gather(1, index).tolist() == [[2, 0]]
    made = x.scatter(0, index, sl.tensor([[-1.0, -2.0]]))
    wanted = x.tolist()
    wanted[2][0], wanted[0][1] = -1, -2
    assert made.tolist() == wanted
    made = sl.zeros(3, 4).scatter_add(1, sl.tensor([[1, 1], [0, 2]]), sl.ones(2, 2))
    assert made.tolist() == [[0, 2, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]
    with pytest.raises(ValueError, match="wanted no size of index larger"):
        sl.gather(x, 0, sl.zeros(1, 5, dtype=sl.int64))
    x.requires_grad_()
    sl.gather(x, 0, index).sum().backward()
    assert x.grad.sum(1).tolist() == [1, 0, 1]


def test_take_along_dim_is_of_all_elements_by_default():
    x = sl.tensor([[10, 30, 20], [60, 40, 50]])
    assert sl.take_along_dim(x, sl.argmax(x)).tolist() == [60]
    assert sl.take_along_dim(x, sl.argmax(x, 1, True), 1).tolist() == [[30], [60]]
    # Stretched along the other axes.
    assert sl.take_along_dim(x, sl.tensor([[2, 0]]), 1).tolist() == [[20, 10], [50, 60]]


def test_atleast_of_several_tensors_is_a_tuple():
    a, b = sl.tensor(1.0), sl.tensor([1.0, 2.0])
    assert [t.shape for t in sl.atleast_1d((a, b))] == [(1,), (2,)]
    assert [t.shape for t in sl.atleast_2d(a, b)] == [(1, 1), (1, 2)]
    assert sl.atleast_3d(b).shape == (1, 2, 1)


def test_inplace_writes_over_the_argument():
    for f in (F.relu, F.relu6, F.elu, F.hardtanh, F.silu):
        x = sl.tensor([-2.0, 3.0])
        made = f(x, inplace=True)
        assert made is x
        assert x.tolist() == f(sl.tensor([-2.0, 3.0])).tolist()
    # Recorded for gradients, the argument keeps its elements.
    x = sl.tensor([-2.0, 3.0]).requires_grad_()
    (F.relu(x * 1, inplace=True)).sum().backward()
    assert x.grad.tolist() == [0, 1]


def test_losses_have_pytorchs_places():
    x, t = sl.tensor([1.0, 2.0]), sl.tensor([0.0, 0.0])
    assert F.mse_loss(x, t, None, None, "sum").item() == 5
    assert F.mse_loss(x, t, False).item() == 5
    assert F.mse_loss(x, t, reduce=False).tolist() == [1, 4]
    logits = sl.tensor([[1.0, 2.0], [0.0, 0.0]])
    made = F.cross_entropy(logits, sl.tensor([1, 0]), None, None, 1, None, "sum")
    assert made.item() == pytest.approx(0.6931472)


def test_softmax_without_an_axis_goes_by_pytorchs_rule():
    assert F.softmax(sl.zeros(2, 3, 4))[0, 0, 0].item() == 0.5
    assert F.softmax(sl.zeros(2, 4, 3, 3))[0, 0, 0, 0].item() == 0.25


def test_layers_at_the_top_have_pytorchs_places():
    x, w = sl.ones(1, 1, 4, 4), sl.ones(1, 1, 3, 3)
    assert sl.conv2d(x, w, None, 2).shape == (1, 1, 1, 1)
    assert sl.conv2d(x, w, None, 1, 1).shape == (1, 1, 4, 4)
    assert sl.max_pool2d(x, 2, 1).shape == (1, 1, 3, 3)
    assert sl.dropout(x, 0.5, False).tolist() == x.tolist()
    a, b = sl.randn(2, 3, 4), sl.randn(2, 3, 4)
    assert sl.cosine_similarity(a, b).shape == (2, 4)
    assert sl.layer_norm(a, (4,)).shape == a.shape


def test_integers_for_linear_are_said_of_the_input():
    layer = sl.nn.Linear(3, 2)
    with pytest.raises(ValueError, match=r"x is i64\[2,3\]; wanted f32"):
        layer(sl.ones(2, 3, dtype=sl.int64))
    with pytest.raises(ValueError, match=r"x is f64\[2,3\]; wanted f32"):
        layer(sl.ones(2, 3, dtype=sl.float64))
    with pytest.raises(ValueError, match="conv: input is f64"):
        sl.nn.Conv2d(1, 1, 1)(sl.ones(1, 1, 2, 2, dtype=sl.float64))


def test_targets_of_embedding_losses_that_are_neither_1_nor_minus_1():
    x, t = sl.tensor([0.25, 0.25, 0.25]), sl.tensor([1.0, -1.0, 0.0])
    made = F.hinge_embedding_loss(x, t, reduction="none")
    assert made.tolist() == [0.25, 0.75, 1.0]


def test_second_argument_of_matrix_rank_is_a_bound_not_a_share():
    x = sl.tensor([[5.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.1]])
    assert sl.linalg.matrix_rank(x, 0.2).item() == 2
    assert sl.linalg.matrix_rank(x, tol=0.2, hermitian=True).item() == 2
    assert sl.linalg.matrix_rank(x, rtol=0.2).item() == 1
    assert sl.linalg.matrix_rank(x, atol=0.2, rtol=0.11).item() == 1
    with pytest.raises(TypeError, match="one of them"):
        sl.linalg.matrix_rank(x, 0.2, rtol=0.1)


def test_norm_of_an_order_over_three_axes_is_refused():
    with pytest.raises(ValueError, match="3 axes and ord is 1; wanted 1 or 2 axes"):
        sl.linalg.norm(sl.ones((2, 2, 2)), 1)
    assert sl.linalg.norm(sl.ones((2, 2, 2)), 1, dim=-1).shape == (2, 2)
