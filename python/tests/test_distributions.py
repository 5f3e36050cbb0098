"""Distributions against what they say of themselves: densities that integrate to the
chance, draws of the mean and variance, gradients of draws, divergences as means."""

import math

import numpy as np
import pytest
import sluice as sl

D = sl.distributions

REALS = {
    "Normal": (D.Normal, (0.5, 1.5)),
    "LogNormal": (D.LogNormal, (0.1, 0.4)),
    "Laplace": (D.Laplace, (0.5, 0.7)),
    "Cauchy": (D.Cauchy, (0.5, 0.7)),
    "Gumbel": (D.Gumbel, (0.5, 0.7)),
    "HalfNormal": (D.HalfNormal, (1.5,)),
    "HalfCauchy": (D.HalfCauchy, (1.5,)),
    "Uniform": (D.Uniform, (-1.0, 3.0)),
    "Exponential": (D.Exponential, (1.5,)),
    "Gamma": (D.Gamma, (2.5, 1.5)),
    "Chi2": (D.Chi2, (4.0,)),
    "InverseGamma": (D.InverseGamma, (5.0, 2.0)),
    "Beta": (D.Beta, (2.0, 3.0)),
    "StudentT": (D.StudentT, (8.0, 0.5, 1.5)),
    "FisherSnedecor": (D.FisherSnedecor, (5.0, 12.0)),
    "Pareto": (D.Pareto, (1.0, 5.0)),
    "Weibull": (D.Weibull, (1.0, 1.5)),
}
COUNTS = {
    "Bernoulli": (D.Bernoulli, (0.3,), 2),
    "Geometric": (D.Geometric, (0.4,), 60),
    "Poisson": (D.Poisson, (2.5,), 40),
    "Binomial": (D.Binomial, (6, 0.3), 7),
    "NegativeBinomial": (D.NegativeBinomial, (3.0, 0.4), 80),
}
HEAVY = ("Cauchy", "HalfCauchy")


def _of(cls, parameters):
    return cls(*(sl.tensor(p, dtype=sl.float64) for p in parameters))


def _grid(name, made):
    low, high = {"Uniform": (-1, 3), "Beta": (0, 1), "Pareto": (1, 60)}.get(
        name, (-60, 60))  # fmt: skip
    if isinstance(made.support, D.constraints.Constraint) and name not in (
            "Uniform", "Beta", "Pareto"
    ) and "greater" in str(made.support):  # fmt: skip
        low = 0
    edges = np.linspace(low, high, 400001)
    return (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]


@pytest.mark.parametrize("name", REALS)
def test_densities_are_those_of_the_moments(name):
    made = _of(*REALS[name])
    at, step = _grid(name, made)
    p = np.exp(made.log_prob(sl.tensor(at)).numpy())
    if name not in HEAVY:
        assert p.sum() * step == pytest.approx(1, abs=2e-3)
        mean = (p * at).sum() * step
        assert made.mean.item() == pytest.approx(mean, abs=5e-3)
        assert made.variance.item() == pytest.approx(
            (p * (at - mean) ** 2).sum() * step, rel=0.03
        )
        assert made.stddev.item() == pytest.approx(made.variance.item() ** 0.5)
        mode = made.mode.item()
        if not math.isnan(mode):
            assert p.max() <= math.exp(made.log_prob(mode).item()) + 1e-6
    try:
        entropy = made.entropy().item()
    except NotImplementedError:
        return
    if name not in HEAVY:
        logs = np.where(p > 0, np.log(np.maximum(p, 1e-300)), 0)
        assert entropy == pytest.approx(-(p * logs).sum() * step, abs=1e-2)


@pytest.mark.parametrize("name", REALS)
def test_cdf_is_the_integral_and_icdf_its_inverse(name):
    made = _of(*REALS[name])
    points = sl.tensor([1.1, 1.7], dtype=sl.float64)
    if name == "Beta":
        points = points / 2
    try:
        share = made.cdf(points)
    except NotImplementedError:
        return
    between = np.linspace(*points.tolist(), 20001)
    p = np.exp(made.log_prob(sl.tensor(between)).numpy())
    area = ((p[1:] + p[:-1]) / 2).sum() * (between[1] - between[0])
    assert (share[1] - share[0]).item() == pytest.approx(area, rel=1e-6)
    try:
        back = made.icdf(share)
    except NotImplementedError:
        return
    np.testing.assert_allclose(back.numpy(), points.numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", COUNTS)
def test_chances_of_counts(name):
    cls, parameters, most = COUNTS[name]
    made = cls(*parameters)
    at = sl.arange(float(most))
    p = np.exp(made.log_prob(at).numpy().astype(np.float64))
    at = at.numpy()
    assert p.sum() == pytest.approx(1, abs=1e-4)
    mean = (p * at).sum()
    assert made.mean.item() == pytest.approx(mean, rel=1e-3)
    assert made.variance.item() == pytest.approx((p * (at - mean) ** 2).sum(), rel=1e-3)
    assert p[int(made.mode.item())] == pytest.approx(p.max())
    try:
        entropy = made.entropy().item()
    except NotImplementedError:
        return
    kept = p[p > 0]
    assert entropy == pytest.approx(-(kept * np.log(kept)).sum(), rel=1e-3)


@pytest.mark.parametrize("name", [*REALS, *COUNTS])
def test_draws_have_mean_and_variance(name):
    cls, parameters = (REALS.get(name) or COUNTS[name])[:2]
    made = cls(*parameters)
    sl.manual_seed(0)
    x = made.sample((20000, 2))
    assert x.shape == (20000, 2) and not x.requires_grad
    if name not in (*HEAVY, "FisherSnedecor", "Pareto"):
        spread = made.stddev.item()
        assert x.mean().item() == pytest.approx(made.mean.item(), abs=spread / 20)
        assert x.std().item() == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("name", REALS)
def test_gradients_of_draws(name):
    cls, parameters = REALS[name]
    leaves = [sl.tensor(p, requires_grad=True) for p in parameters]
    if name in HEAVY:
        cls(*leaves).rsample((4,)).sum().backward()
        assert all(t.grad is not None for t in leaves)
        return
    # The slope of the mean of draws is that of the mean.
    sl.manual_seed(1)
    made = cls(*leaves)
    drawn = sl.autograd.grad(made.rsample((60000,)).mean(), leaves, allow_unused=True)
    wanted = sl.autograd.grad(cls(*leaves).mean, leaves, allow_unused=True)
    scale = made.stddev.item()
    for got, want in zip(drawn, wanted):
        got = 0.0 if got is None else got.item()
        want = 0.0 if want is None else want.item()
        assert got == pytest.approx(want, abs=0.08 * max(1.0, scale))


PAIRS = [
    (D.Normal, (0.0, 1.0), (0.5, 2.0)), (D.Laplace, (0.0, 1.0), (0.5, 2.0)),
    (D.Gumbel, (0.0, 1.0), (0.5, 2.0)), (D.HalfNormal, (1.0,), (2.0,)),
    (D.Uniform, (0.0, 1.0), (-1.0, 2.0)), (D.Exponential, (1.0,), (2.0,)),
    (D.Gamma, (2.0, 1.0), (3.0, 2.0)), (D.Beta, (2.0, 3.0), (3.0, 2.0)),
    (D.Bernoulli, (0.3,), (0.6,)), (D.Geometric, (0.3,), (0.6,)),
    (D.Poisson, (2.0,), (3.0,)), (D.Binomial, (5, 0.3), (5, 0.6)),
]  # fmt: skip


@pytest.mark.parametrize("cls, first, second", PAIRS, ids=lambda x: getattr(
    x, "__name__", ""))  # fmt: skip
def test_divergence_is_the_mean_of_the_difference(cls, first, second):
    p, q = cls(*first), cls(*second)
    sl.manual_seed(2)
    x = p.sample((40000,))
    mean = (p.log_prob(x) - q.log_prob(x)).mean().item()
    assert D.kl_divergence(p, q).item() == pytest.approx(mean, rel=0.06, abs=0.01)
    assert D.kl_divergence(p, p).item() == pytest.approx(0, abs=1e-5)


def test_classes():
    p = D.Categorical(probs=sl.tensor([[1.0, 1.0, 2.0], [0.0, 0.5, 0.5]]))
    assert p.batch_shape == (2,) and p.event_shape == ()
    np.testing.assert_allclose(
        p.log_prob(sl.tensor([2, 1])).numpy(), np.log([0.5, 0.5]), rtol=1e-5
    )
    sl.manual_seed(0)
    x = p.sample((20000,))
    assert x.dtype == sl.int64 and (x[:, 0] == 2).to(sl.float32).mean().item() == (
        pytest.approx(0.5, abs=0.02))  # fmt: skip
    assert (x[:, 1] == 0).sum().item() == 0
    assert p.mode.tolist() == [2, 1] and p.enumerate_support().shape == (3, 2)
    hot = D.OneHotCategorical(logits=sl.zeros(4))
    assert hot.sample((5,)).sum(-1).tolist() == [1] * 5
    assert hot.entropy().item() == pytest.approx(math.log(4))
    assert D.kl_divergence(p, D.Categorical(sl.ones(3))).shape == (2,)
    many = D.Multinomial(6, sl.tensor([0.2, 0.3, 0.5]))
    assert many.sample((4,)).sum(-1).tolist() == [6] * 4
    assert many.log_prob(sl.tensor([1.0, 2.0, 3.0])).item() == pytest.approx(
        math.log(60 * 0.2 * 0.3**2 * 0.5**3), rel=1e-5
    )


def test_vectors():
    matrix = sl.tensor([[2.0, 0.5], [0.5, 1.0]])
    p = D.MultivariateNormal(sl.zeros(2), matrix)
    x = sl.tensor([[0.3, -0.4], [1.0, 2.0]])
    inverse = np.linalg.inv(matrix.numpy())
    wanted = [-0.5 * v @ inverse @ v - 0.5 * np.log(np.linalg.det(matrix.numpy()))
              - math.log(2 * math.pi) for v in x.numpy()]  # fmt: skip
    np.testing.assert_allclose(p.log_prob(x).numpy(), wanted, rtol=1e-5)
    sl.manual_seed(0)
    drawn = p.sample((40000,)).numpy()
    np.testing.assert_allclose(np.cov(drawn.T), matrix.numpy(), atol=0.06)
    q = D.MultivariateNormal(sl.ones(2), precision_matrix=sl.inverse(matrix))
    np.testing.assert_allclose(q.covariance_matrix.numpy(), matrix.numpy(), rtol=1e-5)
    assert D.kl_divergence(p, q).item() == pytest.approx(
        0.5 * np.ones(2) @ inverse @ np.ones(2), rel=1e-5
    )
    shares = D.Dirichlet(sl.tensor([2.0, 3.0, 5.0]))
    drawn = shares.sample((20000,))
    np.testing.assert_allclose(drawn.sum(-1).numpy(), 1, rtol=1e-5)
    np.testing.assert_allclose(drawn.numpy().mean(0), [0.2, 0.3, 0.5], atol=0.01)


def test_events_of_several_and_transforms():
    base = D.Normal(sl.zeros(3, 2), sl.ones(3, 2))
    p = D.Independent(base, 1)
    assert (p.batch_shape, p.event_shape) == ((3,), (2,))
    x = sl.ones(3, 2)
    np.testing.assert_allclose(p.log_prob(x).numpy(), base.log_prob(x).sum(-1).numpy())
    q = D.TransformedDistribution(
        D.Normal(sl.tensor(0.1), sl.tensor(0.4)), [D.ExpTransform()]
    )
    y = sl.tensor([0.5, 2.0])
    np.testing.assert_allclose(
        q.log_prob(y).numpy(), D.LogNormal(0.1, 0.4).log_prob(y).numpy(), rtol=1e-5
    )
    np.testing.assert_allclose(q.icdf(q.cdf(y)).numpy(), y.numpy(), rtol=1e-4)
    wide = D.Normal(0.0, 1.0).expand((4, 3))
    assert wide.batch_shape == (4, 3) and wide.sample((2,)).shape == (2, 4, 3)


@pytest.mark.parametrize("name", ["ExpTransform", "SigmoidTransform", "TanhTransform",
                                  "SoftplusTransform"])  # fmt: skip
def test_transforms_know_their_slope(name):
    t = getattr(D, name)()
    x = sl.tensor([0.3, -0.7], dtype=sl.float64, requires_grad=True)
    y = t(x)
    (slope,) = sl.autograd.grad(y.sum(), [x])
    np.testing.assert_allclose(
        t.log_abs_det_jacobian(x, y).detach().numpy(), np.log(np.abs(slope.numpy()))
    )
    np.testing.assert_allclose(t.inv(y).detach().numpy(), x.detach().numpy())


def test_in_captured_functions():
    def f(mean, scale, y):
        return D.Normal(mean, scale).log_prob(y).sum()

    args = sl.tensor(0.3), sl.tensor(1.2), sl.tensor([0.1, 2.0])
    assert sl.function(f)(*args).item() == pytest.approx(f(*args).item())
    made = sl.function(lambda m: D.Normal(m, 1.0).rsample((3,)))(sl.tensor(100.0))
    assert made.shape == (3,) and made.min() > 50


def test_what_is_refused_says_why():
    with pytest.raises(ValueError, match="parameter scale is"):
        D.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="the value is"):
        D.Uniform(0.0, 1.0).log_prob(sl.tensor(3.0))
    with pytest.raises(ValueError, match="either probs or logits"):
        D.Bernoulli()
    with pytest.raises(NotImplementedError, match="draws have no gradients"):
        D.Poisson(1.0).rsample()
    with pytest.raises(NotImplementedError, match="wanted register_kl"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Poisson(1.0))
    assert D.Normal(0.0, -1.0, False).scale.item() == -1
