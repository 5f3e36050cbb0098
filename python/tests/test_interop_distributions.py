"""Distributions, eigenvalues and files of weights beside PyTorch's."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import sluice as sl  # noqa: E402

CASES = {
    "Normal": ((0.5, -1.0), (1.5, 0.3)), "LogNormal": ((0.5, -1.0), (1.5, 0.3)),
    "Laplace": ((0.5, -1.0), (1.5, 0.3)), "Cauchy": ((0.5, -1.0), (1.5, 0.3)),
    "Gumbel": ((0.5, -1.0), (1.5, 0.3)), "HalfNormal": ((1.5, 0.3),),
    "HalfCauchy": ((1.5, 0.3),), "Uniform": ((0.0, -1.0), (2.0, 3.0)),
    "Exponential": ((0.5, 2.0),), "Gamma": ((0.5, 3.0), (1.0, 2.0)),
    "Chi2": ((3.0, 5.0),), "InverseGamma": ((2.5, 3.0), (1.0, 2.0)),
    "Beta": ((0.5, 3.0), (1.5, 2.0)), "StudentT": ((3.0, 5.0), (0.0, 1.0), (1.0, 2.0)),
    "FisherSnedecor": ((3.0, 5.0), (6.0, 7.0)), "Pareto": ((1.0, 2.0), (3.0, 4.0)),
    "Weibull": ((1.0, 2.0), (1.5, 2.7)), "Bernoulli": ((0.3, 0.8),),
    "Geometric": ((0.3, 0.8),), "Poisson": ((0.5, 3.0),),
    "Categorical": ((0.1, 0.2, 0.7),), "OneHotCategorical": ((0.1, 0.2, 0.7),),
    "Dirichlet": ((1.0, 2.0, 0.5),), "Binomial": ((4.0, 4.0), (0.3, 0.8)),
    "NegativeBinomial": ((4.0, 3.0), (0.3, 0.8)),
}  # fmt: skip
OF_VALUES = ("log_prob", "cdf")
CALLED = ("entropy", "enumerate_support", "perplexity")
READ = ("mean", "variance", "stddev", "mode")


def _made(library, name):
    cls = getattr(library.distributions, name)
    return cls(*(library.tensor(p) for p in CASES[name]))


@pytest.mark.parametrize("name", CASES)
def test_distributions_say_the_same(name):
    theirs, ours = _made(torch, name), _made(sl, name)
    torch.manual_seed(1)
    x = theirs.sample((5,))
    y = sl.tensor(x.numpy())
    share = [[0.1, 0.9]]
    for what in (*OF_VALUES, *CALLED, *READ, "icdf"):
        try:
            if what in OF_VALUES:
                wanted = getattr(theirs, what)(x)
            elif what == "icdf":
                wanted = theirs.icdf(torch.tensor(share))
            else:
                wanted = getattr(theirs, what)
                wanted = wanted() if what in CALLED else wanted
        except (NotImplementedError, AttributeError):
            continue
        found = getattr(ours, what)
        if what in OF_VALUES or what == "icdf":
            found = found(y if what != "icdf" else sl.tensor(share))
        elif what in CALLED:
            found = found()
        np.testing.assert_allclose(
            found.detach().numpy(), wanted.numpy(), rtol=2e-4, atol=2e-4, err_msg=what
        )


def test_gradients_of_gamma_draws():
    alpha = torch.tensor([0.7, 2.5, 30.0], dtype=torch.float64, requires_grad=True)
    drawn = torch._standard_gamma(alpha)
    (wanted,) = torch.autograd.grad(drawn.sum(), alpha)
    from sluice.distributions._draws import _moving

    a = sl.tensor(alpha.detach().numpy(), requires_grad=True)
    made = _moving(a, sl.tensor(drawn.detach().numpy()))
    (got,) = sl.autograd.grad(made.sum(), [a])
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-3)


def test_eigenvalues():
    a = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    ours = sl.linalg.eig(sl.tensor(a))
    theirs = torch.linalg.eig(torch.tensor(a))
    order = np.lexsort((theirs[0].numpy().imag, theirs[0].numpy().real))
    np.testing.assert_allclose(
        ours.eigenvalues.numpy(), theirs[0].numpy()[order], atol=1e-5
    )
    np.testing.assert_allclose(
        np.abs(ours.eigenvectors.numpy()),
        np.abs(theirs[1].numpy()[:, order]),
        atol=1e-5,
    )


def test_files_of_weights_both_ways(tmp_path):
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    kept = {
        "model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3,
        "half": torch.arange(4).bfloat16(), "view": torch.arange(6.0).reshape(2, 3).t(),
        "parameter": net[0].weight, "size": torch.Size([1, 2]),
    }  # fmt: skip
    torch.save(kept, tmp_path / "theirs.pt")
    found = sl.load(tmp_path / "theirs.pt")
    assert found["epoch"] == 3 and tuple(found["size"]) == (1, 2)
    np.testing.assert_array_equal(found["view"].numpy(), kept["view"].numpy())
    assert found["half"].dtype == sl.bfloat16
    ours = sl.nn.Sequential(sl.nn.Linear(3, 4), sl.nn.BatchNorm1d(4))
    ours.load_state_dict(found["model"])
    sl.optim.Adam(ours.parameters()).load_state_dict(found["optimizer"])
    sl.save({"model": ours.state_dict(), "list": [1, 2.5, None]}, tmp_path / "ours.pt")
    back = torch.load(tmp_path / "ours.pt", weights_only=True)
    assert back["list"] == [1, 2.5, None]
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(back["model"][name].numpy(), value.numpy())
    torch.save(net, tmp_path / "whole.pt")
    with pytest.raises(ValueError, match="nothing that a file names is executed"):
        sl.load(tmp_path / "whole.pt")
