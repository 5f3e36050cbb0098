"""Names of PyTorch's that are made of other ops, beside numpy; captured, batched,
with gradients. Every sample of PyTorch's own is compared by `make compare-ops`."""

import numpy as np
import pytest

import sluice as sl
from composed_check import check

RNG = np.random.default_rng(11)
A = RNG.normal(size=(4, 5))
B = RNG.normal(size=(5, 3))
V, W = RNG.normal(size=5), RNG.normal(size=5)
STACK = RNG.normal(size=(2, 4, 5))
T = sl.tensor

# name: ours, numpy's result
VALUES = {
    "addmm": (lambda x: sl.addmm(x[:, :3], x, T(B), beta=2, alpha=3),
              2 * A[:, :3] + 3 * A @ B),
    "addmv": (lambda x: sl.addmv(x[:, 0], x, T(V), beta=0.5), 0.5 * A[:, 0] + A @ V),
    "addr": (lambda x: sl.addr(x, x[:, 0], T(V)), A + np.outer(A[:, 0], V)),
    "addbmm": (lambda x: sl.addbmm(x[:, :4], T(STACK), T(STACK).mT),
               A[:, :4] + (STACK @ STACK.swapaxes(1, 2)).sum(0)),
    "inner": (lambda x: sl.inner(x, T(V)), np.inner(A, V)),
    "kron": (lambda x: sl.kron(x, T(B)), np.kron(A, B)),
    "block_diag": (lambda x: sl.block_diag(x, T(V)),
                   np.block([[A, np.zeros((4, 5))], [np.zeros((1, 5)), V[None]]])),
    "cdist": (lambda x: sl.cdist(x, x + 1),
              np.linalg.norm(A[:, None] - A[None] - 1, axis=-1)),
    "dist": (lambda x: sl.dist(x, 2 * x), np.linalg.norm(A)),
    "logdet": (lambda x: sl.logdet(x @ x.mT), np.log(np.linalg.det(A @ A.T))),
    "cummax": (lambda x: sl.cummax(x, 1).values, np.maximum.accumulate(A, 1)),
    "cummin": (lambda x: sl.cummin(x, 0).values, np.minimum.accumulate(A, 0)),
    "logcumsumexp": (lambda x: sl.logcumsumexp(x, 1), np.logaddexp.accumulate(A, 1)),
    "kthvalue": (lambda x: sl.kthvalue(x, 2, 1).values, np.sort(A, 1)[:, 1]),
    "quantile": (lambda x: sl.quantile(x, 0.3, 1), np.quantile(A, 0.3, 1)),
    "quantile all": (lambda x: sl.quantile(x, T([0.1, 0.9], dtype=x.dtype)),
                     np.quantile(A, [0.1, 0.9])),
    "nanquantile": (lambda x: sl.nanquantile(x, 0.5, 0, True),
                    np.nanquantile(A, 0.5, 0, keepdims=True)),
    "msort": (sl.msort, np.sort(A, 0)),
    "tensor_split": (lambda x: sl.tensor_split(x, 3, 1)[1], np.array_split(A, 3, 1)[1]),
    "hsplit": (lambda x: sl.hsplit(x, [1, 3])[1], np.hsplit(A, [1, 3])[1]),
    "vsplit": (lambda x: sl.vsplit(x, 2)[1], np.vsplit(A, 2)[1]),
    "column_stack": (lambda x: sl.column_stack([x, x[:, 0]]),
                     np.column_stack([A, A[:, 0]])),
    "dstack": (lambda x: sl.dstack([x, x]), np.dstack([A, A])),
    "diag_embed": (lambda x: sl.diag_embed(x, 1)[2], np.diag(A[2], 1)),
    "diag_embed below": (lambda x: sl.diag_embed(x, -2)[0], np.diag(A[0], -2)),
    "diagflat": (lambda x: sl.diagflat(x[:2]), np.diagflat(A[:2])),
    "diff": (lambda x: sl.diff(x, 2, 1), np.diff(A, 2, 1)),
    "diff of order 0": (lambda x: sl.diff(x, 0, 0, x, x), A),
    "trapezoid": (lambda x: sl.trapezoid(x, T(W)), np.trapezoid(A, W)),
    "cumulative_trapezoid": (
        lambda x: sl.cumulative_trapezoid(x, dx=0.5),
        np.cumsum((A[:, 1:] + A[:, :-1]) / 4, 1)),
    "clamp_min": (lambda x: sl.clamp_min(x, 0.2), np.maximum(A, 0.2)),
    "clamp_max": (lambda x: x.clamp_max(0.2), np.minimum(A, 0.2)),
    "fmax": (lambda x: sl.fmax(x, T(V)), np.fmax(A, V)),
    "logit": (lambda x: sl.logit(sl.sigmoid(x)), A),
    "sinc": (sl.sinc, np.sinc(A)),
    "float_power": (lambda x: sl.float_power(sl.abs(x), 1.5), np.abs(A) ** 1.5),
    "frac": (sl.frac, A - np.trunc(A)),
    "deg2rad": (sl.deg2rad, np.deg2rad(A)),
    "rad2deg": (lambda x: x.rad2deg(), np.rad2deg(A)),
    "rsub": (lambda x: sl.rsub(x, 1.0, alpha=2), 1 - 2 * A),
    "select_scatter": (lambda x: sl.select_scatter(x, T(V), 0, 2),
                       np.vstack([A[:2], V, A[3:]])),
    "slice_scatter": (lambda x: sl.slice_scatter(x, x[:, :2] * 2, 1, 1, 5, 2),
                      np.stack([A[:, 0], 2 * A[:, 0], A[:, 2], 2 * A[:, 1],
                                A[:, 4]], 1)),
    "diagonal_scatter": (lambda x: sl.diagonal_scatter(x, x[0, :4] * 3, 1),
                         A + np.diag(3 * A[0, :4] - np.diagonal(A, 1), 1)[:4]),
    "index_fill": (lambda x: sl.index_fill(x, 1, T([0, 4]), 7.0),
                   np.concatenate([A[:, :0], np.full((4, 1), 7), A[:, 1:4],
                                   np.full((4, 1), 7)], 1)),
    "index_put": (lambda x: sl.index_put(x, (T([0, 1]), T([2, 2])),
                                         T(np.array([1.0, 2.0]))),
                  np.where(np.arange(20).reshape(4, 5) == 2, 1.0,
                           np.where(np.arange(20).reshape(4, 5) == 7, 2.0, A))),
    "index_put added": (
        lambda x: x.index_put((T([0, 0, -1]),), T(np.ones((3, 5))), accumulate=True),
        A + np.array([2, 0, 0, 1])[:, None]),
    "scatter_reduce mean": (
        lambda x: sl.scatter_reduce(x, 0, T(np.zeros((4, 5), int)), x, "mean",
                                    include_self=False),
        np.vstack([A.mean(0), A[1:]])),
    "scatter_reduce amax": (
        lambda x: sl.scatter_reduce(x, 1, T(np.zeros((4, 5), int)), x, "amax"),
        np.hstack([A.max(1, keepdims=True), A[:, 1:]])),
    "mode": (lambda x: sl.mode(sl.concat([x, x[:, 2:3]], 1), 1).values, A[:, 2]),
    "cov": (lambda x: sl.cov(x, fweights=T([1, 2, 1, 3, 1])),
            np.cov(A, fweights=[1, 2, 1, 3, 1])),
    "corrcoef": (sl.corrcoef, np.corrcoef(A)),
    "vander": (lambda x: sl.vander(x[0], 3), np.vander(A[0], 3)),
    "t": (lambda x: x.t(), A.T),
    "adjoint": (lambda x: x.adjoint(), A.T),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_captured_batched_and_gradients(name):
    check(*VALUES[name], A)


def test_the_most_frequent_of_several_is_the_smallest():
    made = sl.mode(T([[3, 1, 3, 1, 2], [5, 5, 4, 6, 7]]), 1)
    assert made.values.tolist() == [1, 5] and made.indices.tolist() == [3, 1]
    made = sl.logspace(0, 3, 4)
    assert np.allclose(made.numpy(), [1, 10, 100, 1000])
    assert sl.logspace(0, 3, 4, base=2.0, dtype=sl.int64).tolist() == [1, 2, 4, 8]


def test_indices_of_running_extremes():
    nan = float("nan")
    x = T([2.0, 5.0, 5.0, 1.0, nan, 7.0])
    made = sl.cummax(x, 0)
    assert made.indices.tolist() == [0, 1, 2, 2, 4, 4]
    assert made.values.tolist()[:4] == [2, 5, 5, 5] and np.isnan(made.values.numpy()[5])
    assert sl.cummin(T([3, 1, 1, 2]), 0).indices.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("how", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_between_elements_and_nan(how):
    x = A.copy()
    x[1, 2] = np.nan
    for q in (0.0, 0.37, 1.0):
        made = sl.quantile(T(x), q, 1, interpolation=how).numpy()
        assert np.allclose(made, np.quantile(x, q, 1, method=how), equal_nan=True)
        made = sl.nanquantile(T(x), q, 1, interpolation=how).numpy()
        assert np.allclose(made, np.nanquantile(x, q, 1, method=how))


def test_counts_and_places():
    x = RNG.normal(size=50).astype("float32")
    made = sl.histc(T(x), 8, -1, 1).numpy()
    assert made.tolist() == np.histogram(x, 8, (-1, 1))[0].tolist()
    made = sl.histc(T(x), 8).numpy()
    assert made.tolist() == np.histogram(x, 8)[0].tolist()
    edges = np.sort(x[:6])
    assert sl.bucketize(T(x), T(edges)).tolist() == np.searchsorted(edges, x).tolist()
    whole = RNG.integers(0, 9, (3, 4))
    for invert in (False, True):
        made = sl.isin(T(whole), T([1, 5, 7]), invert=invert)
        assert np.array_equal(made.numpy(), np.isin(whole, [1, 5, 7], invert=invert))
    nan = float("nan")
    assert sl.isin(T([nan, 1.0, 2.5]), T([nan, 1.0])).tolist() == [False, True, False]
    assert sl.isin(T([1.0, 2.0]), T([2])).tolist() == [False, True]
    assert sl.isin(T([True, False]), T([True])).tolist() == [True, False]
    assert sl.isin(T(3), T([])).item() is False
    for offset in (-1, 0, 2):
        assert np.array_equal(sl.tril_indices(3, 4, offset).numpy(),
                              np.array(np.tril_indices(3, offset, 4)))  # fmt: skip
        assert np.array_equal(sl.triu_indices(3, 4, offset).numpy(),
                              np.array(np.triu_indices(3, offset, 4)))  # fmt: skip
    low, high = sl.aminmax(T(whole), dim=0)
    assert low.tolist() == whole.min(0).tolist()
    assert high.tolist() == whole.max(0).tolist()


def test_written_in_place():
    x = sl.zeros(3, 3)
    assert x.fill_diagonal_(2.0) is x and x.tolist() == (2 * np.eye(3)).tolist()
    tall = np.zeros((7, 3))
    np.fill_diagonal(tall, 5, wrap=True)
    assert sl.zeros(7, 3).fill_diagonal_(5, wrap=True).tolist() == tall.tolist()
    x = sl.zeros(4)
    x.index_put_((T([1, 1]),), T([1.0, 2.0]), accumulate=True)
    x.index_fill_(0, T([3]), 9.0)
    assert x.tolist() == [0, 3, 0, 9]


def test_nan_loses_against_numbers():
    nan = float("nan")
    a, b = T([1.0, nan, nan]), T([nan, 2.0, nan])
    assert sl.fmax(a, b).tolist()[:2] == [1, 2] == sl.fmin(a, b).tolist()[:2]
    assert np.isnan(sl.fmin(a, b).numpy()[2])


def test_the_gradient_of_sinc_at_zero():
    slope = sl.grad(lambda x: sl.sum(sl.sinc(x)))
    assert slope(T([0.0])).tolist() == [0]
    bend = sl.grad(lambda x: sl.sum(slope(x)))(T([0.0], dtype=sl.float64))
    assert float(bend[0]) == pytest.approx(-np.pi**2 / 3)


def test_what_one_asks_of_a_tensor():
    x = sl.ones(2, 3)
    assert sl.is_tensor(x) and not sl.is_tensor(1.0) and sl.numel(x) == 6
    assert sl.is_floating_point(x) and not sl.is_complex(x)
    assert x.clone().clamp_min_(3.0).tolist() == [[3.0] * 3] * 2
    assert sl.vdot(T([1 + 2j]), T([3 - 1j])).tolist() == (1 - 2j) * (3 - 1j)
    assert sl.sgn(T([3 + 4j, 0j])).numpy() == pytest.approx(np.array([0.6 + 0.8j, 0]))


def test_pytorchs_names_of_types_and_shapes():
    names = {"float": "float32", "double": "float64", "half": "float16",
             "long": "int64", "int": "int32", "short": "int16", "cfloat": "complex64"}
    for name, full in names.items():
        assert getattr(sl, name) == getattr(sl, full)
    assert isinstance(sl.ones(2, 3).shape, sl.Size) and sl.Size([2, 3]) == (2, 3)
    assert sl.zeros(2, dtype=sl.long).dtype == sl.int64


def test_arguments_that_mean_nothing_are_refused():
    x = sl.ones(4, 5)
    for call, error, match in (
        (lambda: sl.quantile(x, 1.5), ValueError, "1.5"),
        (lambda: sl.quantile(x, 0.5, interpolation="cubic"), ValueError, "cubic"),
        (lambda: sl.quantile(x.long(), 0.5), TypeError, "int64"),
        (lambda: sl.kthvalue(x, 6), ValueError, "1 to 5"),
        (lambda: sl.hsplit(x, 2), ValueError, "one size"),
        (lambda: sl.dsplit(x, 2), ValueError, "axes"),
        (lambda: sl.tensor_split(x, 0), ValueError, "0 parts"),
        (lambda: sl.diff(x, -1), ValueError, "-1"),
        (lambda: sl.t(sl.ones(1, 1, 1)), ValueError, "axes"),
        (lambda: sl.addr(x, x, x), ValueError, "vector"),
        (lambda: sl.vdot(x, x), ValueError, "vectors"),
        (lambda: sl.cdist(x, x, compute_mode="fast"), ValueError, "fast"),
        (lambda: sl.scatter_reduce(x, 0, x.long(), x, "max"), ValueError, "max"),
        (lambda: sl.select_scatter(x, x, 0, 1), ValueError, "wanted"),
        (lambda: sl.ones(3).fill_diagonal_(1), ValueError, "axes"),
        (lambda: sl.block_diag(sl.ones(1, 1, 1)), ValueError, "axes"),
    ):
        with pytest.raises(error, match=match):
            call()
