"""Functions of layers in captured code whose sizes change from call to call."""

import pytest

import sluice as sl
import sluice.nn.functional as F

LABELS = sl.tensor([[1, 0, -1, 2, 2, 2]])

FUNCTIONS = {
    "channel_shuffle": lambda x: F.channel_shuffle(x, 3),
    "local_response_norm": lambda x: F.local_response_norm(x, 3),
    "lp_pool1d": lambda x: F.lp_pool1d(x, 2.0, 2),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.25, True),
    "feature_alpha_dropout": lambda x: F.feature_alpha_dropout(x, 0.25, True),
    "rrelu": lambda x: F.rrelu(-x, training=True),
    "multi_margin_loss": lambda x: F.multi_margin_loss(
        x[:, :, 0], sl.argmax(x[:, :, 1], dim=1), reduction="none"
    ),
    "multilabel_margin_loss": lambda x: F.multilabel_margin_loss(
        x[:, :6, 0], LABELS.expand(x.shape[0], 6), reduction="none"
    ),
    "soft_margin_loss": lambda x: F.soft_margin_loss(x, x.sign(), reduction="sum"),
    "gaussian_nll_loss": lambda x: F.gaussian_nll_loss(x, x + 1, x, full=True),
    "poisson_nll_loss": lambda x: F.poisson_nll_loss(x, x * 3, full=True),
    "trunc_normal_": lambda x: sl.nn.init.trunc_normal_(sl.zeros(3)) + x[0, 0, 0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_captured_as_imperative(name):
    function = FUNCTIONS[name]
    captured = sl.function(function)
    sl.manual_seed(4)
    inputs = [sl.rand(n, c, k) for n, c, k in
              ((2, 6, 4), (3, 6, 4), (5, 9, 8), (4, 6, 6), (1, 12, 2))]  # fmt: skip
    for x in inputs:
        sl.manual_seed(7)
        wanted = function(x)
        sl.manual_seed(7)
        made = captured(x)
        assert made.shape == wanted.shape
        assert sl.allclose(made, wanted, rtol=1e-6, atol=1e-6)
