"""Arguments that were taken and changed nothing, or meant something else.

The list is a part of what python/fuzz/values/keywords.py finds; that compares with
PyTorch, this says what is wanted.
"""

import math

import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import linalg, nn

X = sl.tensor([[4.0, 1.0], [1.0, 3.0]])
V = sl.tensor([3.0, 1.0, 2.0])
IMAGE = sl.arange(16.0).reshape(1, 1, 4, 4)
LOGITS, LABELS = sl.tensor([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]]), sl.tensor([1, 0])
STEPS = sl.zeros(4, 2, 3) - math.log(3.0)
TARGETS = sl.tensor([[1, 2], [2, 1]])

FLAGS = {
    "cholesky": lambda b: sl.cholesky(X, b),
    "linalg.cholesky": lambda b: linalg.cholesky(X, upper=b),
    "cholesky_solve": lambda b: sl.cholesky_solve(X, X, b),
    "cholesky_inverse": lambda b: sl.cholesky_inverse(X, b),
    "cholesky_ex": lambda b: linalg.cholesky_ex(X, check_errors=b),
    "qr": lambda b: sl.qr(X, b),
    "svd, some": lambda b: sl.svd(X, b),
    "linalg.svd": lambda b: linalg.svd(X, b),
    "solve": lambda b: linalg.solve(X, X, left=b),
    "solve_triangular": lambda b: linalg.solve_triangular(X, X, upper=b),
    "triangular_solve": lambda b: sl.triangular_solve(X, X, b),
    "lu": lambda b: linalg.lu(X, pivot=b),
    "lu_factor": lambda b: linalg.lu_factor(X, pivot=b),
    "matrix_rank": lambda b: linalg.matrix_rank(X, hermitian=b),
    "matrix_norm": lambda b: linalg.matrix_norm(X, keepdim=b),
    "isclose": lambda b: sl.isclose(X, X, equal_nan=b),
    "allclose": lambda b: sl.allclose(X, X, equal_nan=b),
    "nonzero": lambda b: sl.nonzero(X, as_tuple=b),
    "sort": lambda b: sl.sort(V, 0, b),
    "sort, stable": lambda b: sl.sort(V, stable=b),
    "argsort": lambda b: sl.argsort(V, 0, b),
    "topk, largest": lambda b: sl.topk(V, 1, 0, b),
    "topk, sorted": lambda b: sl.topk(V, 1, 0, True, b),
    "searchsorted": lambda b: sl.searchsorted(V, V, right=b),
    "bucketize": lambda b: sl.bucketize(V, V, out_int32=b),
    "unique": lambda b: sl.unique(V, return_inverse=b),
    "unique_consecutive": lambda b: sl.unique_consecutive(V, return_counts=b),
    "isin": lambda b: sl.isin(V, V, invert=b),
    "combinations": lambda b: sl.combinations(V, 2, b),
    "scatter_reduce": lambda b: sl.scatter_reduce(
        V, 0, sl.tensor([0]), V, "sum", include_self=b),
    "index_reduce": lambda b: sl.index_reduce(
        V, 0, sl.tensor([0]), V[:1], "prod", include_self=b),
    "index_put": lambda b: sl.index_put(V, (sl.tensor([0]),), V[:1], b),
    "put": lambda b: sl.put(V, sl.tensor([0]), V[:1], b),
    "quantile": lambda b: sl.quantile(X, 0.5, 0, b),
    "kthvalue": lambda b: sl.kthvalue(X, 1, 0, b),
    "mode": lambda b: sl.mode(X, 0, b),
    "std, unbiased": lambda b: sl.std(X, 0, b),
    "sum, keepdim": lambda b: sl.sum(X, 0, b),
    "zeros": lambda b: sl.zeros(2, requires_grad=b),
    "arange": lambda b: sl.arange(2.0, requires_grad=b),
    "rand": lambda b: sl.rand(2, requires_grad=b),
    "vander": lambda b: sl.vander(V, None, b),
    "hann_window": lambda b: sl.hann_window(4, b),
    "multinomial": lambda b: sl.multinomial(V, 1, b),
    "stft": lambda b: sl.stft(sl.ones(16), 4, normalized=b, return_complex=True),
    "masked.var": lambda b: sl.masked.var(X, 0, b),
    "rrelu": lambda b: F.rrelu(X, training=b),
    "alpha_dropout": lambda b: F.alpha_dropout(X, 0.5, b),
    "grid_sample": lambda b: F.grid_sample(
        IMAGE, sl.zeros(1, 1, 1, 2), align_corners=b),
    "interpolate": lambda b: F.interpolate(
        IMAGE, 2, mode="bilinear", align_corners=b),
    "mse_loss, a word for a flag": lambda b: F.mse_loss(X, X, b),
    "l1_loss, reduce": lambda b: F.l1_loss(X, X, reduce=b),
    "triplet_margin_loss": lambda b: F.triplet_margin_loss(X, X, X, swap=b),
    "poisson_nll_loss": lambda b: F.poisson_nll_loss(X, X, full=b),
    "gaussian_nll_loss": lambda b: F.gaussian_nll_loss(X, X, X, full=b),
    "ctc_loss": lambda b: F.ctc_loss(
        STEPS, TARGETS, (4, 4), (2, 2), zero_infinity=b),
    "avg_pool2d, ceil_mode": lambda b: F.avg_pool2d(IMAGE, 2, ceil_mode=b),
    "avg_pool2d, count_include_pad": lambda b: F.avg_pool2d(
        IMAGE, 2, count_include_pad=b),
    "windows": lambda b: sl.signal.windows.hann(4, requires_grad=b),
    "expand_copy": lambda b: sl.expand_copy(V, (2, 3), implicit=b),
    "PoissonNLLLoss": lambda b: nn.PoissonNLLLoss(full=b)(X, X),
}  # fmt: skip


@pytest.mark.parametrize("value", ["no", 2.5, [1]])
@pytest.mark.parametrize("name", FLAGS)
def test_only_bools_are_flags(name, value):
    with pytest.raises(TypeError, match="bool"):
        FLAGS[name](value)


def test_numbers_other_than_0_and_1_are_no_flags():
    with pytest.raises(TypeError, match="upper is 2; wanted a bool"):
        sl.cholesky(X, 2)
    assert sl.sort(V, 0, 1).values.tolist() == [3, 2, 1]


REFUSED = {
    "one_hot": lambda: F.one_hot(LABELS, -100),
    "cov, correction": lambda: sl.cov(X, correction=1.5),
    "cov, fractions of observations": lambda: sl.cov(X, fweights=V[:2]),
    "cov, too many weights": lambda: sl.cov(X, aweights=V),
    "avg_pool2d": lambda: F.avg_pool2d(IMAGE, 2, divisor_override=1.5),
    "AvgPool2d": lambda: nn.AvgPool2d(2, divisor_override=True)(IMAGE),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(IMAGE, [1]),
    "unfold": lambda: F.unfold(IMAGE, 2, padding=(1,)),
    "nll_loss": lambda: F.nll_loss(LOGITS, LABELS, sl.ones(2)),
    "cross_entropy": lambda: F.cross_entropy(LOGITS, LABELS, sl.ones(2)),
    "cross_entropy, too many": lambda: F.cross_entropy(LOGITS, LABELS, sl.ones(4)),
    "cross_entropy, probabilities": lambda: F.cross_entropy(
        LOGITS, LOGITS, ignore_index=0),
    "binary_cross_entropy": lambda: F.binary_cross_entropy(
        V[:1] * 0, V[:1] * 0, sl.ones(2)),
    "binary_cross_entropy_with_logits": lambda: F.binary_cross_entropy_with_logits(
        V[:1], V[:1], pos_weight=sl.ones(2)),
    "multi_margin_loss": lambda: F.multi_margin_loss(
        LOGITS, LABELS, weight=sl.ones(2)),
    "pad": lambda: F.pad(IMAGE, (1, 1), "reflect", 7.0),
    "hardtanh": lambda: F.hardtanh(X, math.nan, 1.0),
    "celu": lambda: F.celu(X, 0.0),
    "batch_norm": lambda: F.batch_norm(X, None, None, training=True, eps=0.0),
    "logit": lambda: sl.logit(X, 0.7),
    "isclose": lambda: sl.isclose(X, X, rtol=math.nan),
    "multi_margin_loss, margin": lambda: F.multi_margin_loss(
        LOGITS, LABELS, margin=math.nan),
    "hardshrink": lambda: F.hardshrink(X, math.nan),
    "softshrink": lambda: F.softshrink(X, math.nan),
    "pinv": lambda: linalg.pinv(X, rtol=math.nan),
    "pinv, below 0": lambda: linalg.pinv(X, rtol=-0.5),
    "pinverse": lambda: sl.pinverse(X, math.nan),
    "gaussian": lambda: sl.signal.windows.gaussian(1, std=math.nan),
    "exponential": lambda: sl.signal.windows.exponential(1, tau=math.nan),
    "gradient": lambda: sl.gradient(V, spacing=0),
    "cosine_similarity": lambda: F.cosine_similarity(X, X, eps=-0.5),
    "poisson_nll_loss": lambda: F.poisson_nll_loss(X, X, eps="x"),
    "renorm": lambda: sl.renorm(X, 2, 0, math.nan),
    "cdist": lambda: sl.cdist(X, X, -1.0),
    "histc": lambda: sl.histc(V, 0),
    "randint_like": lambda: sl.randint_like(X, 1.5, 3),
    "triu_indices": lambda: sl.triu_indices(2, 2, 0.5),
    "norm, a nuclear one along one axis": lambda: sl.norm(X, "nuc", 0),
    "norm of a type of integers": lambda: linalg.norm(X, dtype=sl.int32),
    "softmax of a type of integers": lambda: F.softmax(X, 0, dtype=sl.int32),
    "masked.mean of a type of integers": lambda: sl.masked.mean(X, dtype=sl.int32),
    "ctc_loss, fractions of steps": lambda: F.ctc_loss(
        STEPS, TARGETS, sl.tensor([4.5, 4.0]), (2, 2)),
    "ctc_loss, fractions of labels": lambda: F.ctc_loss(
        STEPS, TARGETS, (4, 4), (2.5, 2)),
    "Adafactor": lambda: sl.optim.Adafactor([V.clone().requires_grad_()], d=0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises((ValueError, TypeError), match="wanted|has none"):
        REFUSED[name]()


@pytest.mark.parametrize("size", [(2,), (2, 2, 2), (), [2.0, 2.0]])
@pytest.mark.parametrize("name", ["kernel_size", "stride", "padding"])
def test_max_unpool_wants_a_size_for_each_axis(name, size):
    values, at = F.max_pool2d(IMAGE, 2, return_indices=True)
    options = {"kernel_size": 2, "stride": 2, "padding": 0} | {name: size}
    with pytest.raises((ValueError, TypeError), match=f"{name} is .*; wanted"):
        F.max_unpool2d(values, at, **options)
    with pytest.raises((ValueError, TypeError), match=f"{name} is .*; wanted"):
        nn.MaxUnpool2d(**options)(values, at)


def test_masked_sums_are_of_the_type_asked_for():
    mask = sl.tensor([[True, False], [True, True]])
    for name in ("sum", "cumsum", "cumprod"):
        made = getattr(sl.masked, name)(X, 0, dtype=sl.int32, mask=mask)
        assert made.dtype == sl.int32, name
    assert sl.masked.sum(X, 0, dtype=sl.int32, mask=mask).tolist() == [5, 3]


def test_multi_margin_loss_of_one_sample_has_the_shape_of_its_target():
    row = LOGITS[0]
    assert F.multi_margin_loss(row, LABELS[:1], reduction="none").shape == (1,)
    assert F.multi_margin_loss(row, LABELS[0], reduction="none").shape == ()


def test_ctc_loss_takes_a_blank_among_labels_for_a_label():
    # PyTorch's number.
    labels = sl.tensor([[1, 0], [2, 1]])
    made = F.ctc_loss(STEPS, labels, (4, 4), (2, 2), reduction="none").tolist()
    assert made == pytest.approx([1.6864, 1.6864], abs=1e-4)


@pytest.mark.parametrize("options", [{"max_iter": 1}, {"max_eval": 0}, {"max_eval": 1}])
def test_lbfgs_makes_one_step_at_least(options):
    p = sl.tensor([2.0], requires_grad=True)
    optimizer = sl.optim.LBFGS([p], lr=0.5, **options)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert p.tolist() == pytest.approx([1.5])  # min(1, 1 / 4) lr times minus 4


def test_attention_of_scale_0_is_the_mean_of_the_values():
    q = sl.tensor([[[1.0, 2.0], [3.0, -1.0]]])
    v = sl.tensor([[[1.0, 5.0], [3.0, 7.0]]])
    made = F.scaled_dot_product_attention(q, q, v, scale=0)
    sl.testing.assert_close(made, sl.tensor([[[2.0, 6.0], [2.0, 6.0]]]))
    assert not sl.allclose(made, F.scaled_dot_product_attention(q, q, v))


def test_avg_pool_without_strides_goes_by_its_windows():
    x = sl.arange(81.0).reshape(1, 1, 9, 9)
    for stride in ((), None):
        made = F.avg_pool2d(x, (4, 4), stride, 1, True, False, 2)
        sl.testing.assert_close(made, F.avg_pool2d(x, 4, 4, 1, True, False, 2))
