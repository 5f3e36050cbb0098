"""MultiheadAttention with one more key and value, learnt or zeros."""

import numpy as np
import pytest
import sluice as sl
from sluice import nn


@pytest.mark.parametrize("way", [lambda f: f, sl.function], ids=["now", "captured"])
@pytest.mark.parametrize("bias, zero", [(True, False), (False, True), (True, True)])
def test_one_more_key(way, bias, zero):
    x = np.random.default_rng(1).standard_normal((5, 4)).astype("float32")
    layer = nn.MultiheadAttention(4, 1, add_bias_kv=bias, add_zero_attn=zero)
    hidden = np.triu(np.ones((5, 5), bool), 1)
    f = way(lambda x, m: layer(x, x, x, attn_mask=m))
    y, weights = f(sl.tensor(x), sl.tensor(hidden))
    state = {name: t.numpy() for name, t in layer.state_dict().items()}
    parts = np.split(state["in_proj_weight"], 3)
    q, k, v = (
        x @ w.T + b for w, b in zip(parts, np.split(state["in_proj_bias"], 3))
    )
    scores = np.where(hidden, -np.inf, q @ k.T / 2)
    if bias:
        own = q @ state["bias_k"].reshape(4) / 2
        scores = np.column_stack([scores, own])
        v = np.vstack([v, state["bias_v"].reshape(1, 4)])
    if zero:
        scores = np.column_stack([scores, np.zeros(5)])
        v = np.vstack([v, np.zeros((1, 4))])
    shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    wanted = shares @ v @ state["out_proj.weight"].T + state["out_proj.bias"]
    assert np.allclose(weights.detach().numpy(), shares, atol=1e-5)
    assert np.allclose(y.detach().numpy(), wanted, atol=1e-5)
