"""Fractional pooling, pools that give indices, losses with the last layer inside,
attention as a function of its weights."""

import math

import numpy as np
import pytest
import sluice as sl

nn, F = sl.nn, sl.nn.functional
_rng = np.random.default_rng(5)


def _tensor(*shape):
    return sl.tensor(_rng.normal(size=shape).astype(np.float32))


def test_fractional_pools_take_the_greatest_of_their_windows():
    x, drawn = _tensor(2, 3, 9, 8), sl.tensor(_rng.random((2, 3, 2)).astype(np.float32))
    made, places = F.fractional_max_pool2d(
        x, (2, 3), output_size=(4, 3), return_indices=True, _random_samples=drawn
    )
    assert made.shape == places.shape == (2, 3, 4, 3)
    flat = x.reshape(2, 3, -1).numpy()
    for n in range(2):
        for c in range(3):
            u_x, u_y = drawn[n, c].tolist()
            rows, columns = ((9 - 2) / 3, u_y), ((8 - 3) / 2, u_x)
            for i in range(4):
                for j in range(3):
                    at = [
                        last if k == count - 1 else int((k + u) * step) - int(u * step)
                        for k, count, (step, u), last in (
                            (i, 4, rows, 7), (j, 3, columns, 5))
                    ]  # fmt: skip
                    window = x[n, c, at[0] : at[0] + 2, at[1] : at[1] + 3].numpy()
                    assert made[n, c, i, j].item() == window.max()
                    assert flat[n, c, places[n, c, i, j].item()] == window.max()


def test_fractional_pools_as_layers():
    sl.manual_seed(0)
    x = _tensor(1, 2, 8, 8).requires_grad_()
    made = nn.FractionalMaxPool2d(2, output_ratio=0.5)(x)
    assert made.shape == (1, 2, 4, 4)
    made.sum().backward()
    assert x.grad.sum().item() == 32
    made, places = nn.FractionalMaxPool3d(2, output_size=3, return_indices=True)(
        _tensor(2, 7, 8, 9)
    )
    assert made.shape == places.shape == (2, 3, 3, 3)
    with pytest.raises(ValueError, match="either output_size or output_ratio"):
        nn.FractionalMaxPool2d(2)
    with pytest.raises(ValueError, match="places for all"):
        F.fractional_max_pool2d(_tensor(1, 2, 4, 4), 3, output_size=3)


def test_pools_with_indices():
    x = _tensor(2, 3, 8)
    made = F.max_pool1d_with_indices(x, 2)
    wanted = F.max_pool1d(x, 2, return_indices=True)
    assert [t.tolist() for t in made] == [t.tolist() for t in wanted]
    made = F.adaptive_max_pool1d_with_indices(x, 3)
    wanted = F.adaptive_max_pool1d(x, 3, return_indices=True)
    assert [t.tolist() for t in made] == [t.tolist() for t in wanted]


def test_conv_of_sequences_with_time_in_front():
    x, w, b = _tensor(6, 2, 3), _tensor(3, 3, 4), _tensor(4)
    made = F.conv_tbc(x, w, b, 1)
    wanted = F.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1)
    np.testing.assert_allclose(made.numpy(), wanted.permute(2, 0, 1).numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{}, {"reduction": "sum"}, {"label_smoothing": 0.1}, {"ignore_index": 2}]
)
def test_cross_entropy_with_the_last_layer(options):
    x, w, b = _tensor(5, 4), _tensor(7, 4), _tensor(7)
    target = sl.tensor([0, 6, 2, 2, 5])
    made = F.linear_cross_entropy(x, w, target, linear_bias=b, **options)
    wanted = F.cross_entropy(F.linear(x, w, b), target, **options)
    assert made.item() == wanted.item()
    with pytest.raises(NotImplementedError, match="a loop over chunks"):
        F.linear_cross_entropy(x, w, target, options=object())


def test_cross_entropy_with_the_last_layer_as_a_layer():
    loss = nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), bias=True)
    assert loss.linear.weight.shape == (6, 4)
    x, target = _tensor(5, 4), sl.tensor(_rng.integers(0, 3, (5, 2)))
    made = loss(x, target)
    wanted = F.cross_entropy(loss.linear(x).reshape(5, 3, 2), target)
    assert made.item() == pytest.approx(wanted.item())
    made.backward()
    assert loss.linear.weight.grad is not None


def test_softmax_by_clusters():
    sl.manual_seed(0)
    loss = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 12], div_value=2.0)
    shapes = {k: tuple(v.shape) for k, v in loss.state_dict().items()}
    assert shapes == {
        "head.weight": (7, 8),
        "tail.0.0.weight": (4, 8), "tail.0.1.weight": (7, 4),
        "tail.1.0.weight": (2, 8), "tail.1.1.weight": (8, 2),
    }  # fmt: skip
    x, target = _tensor(6, 8), sl.tensor([0, 4, 5, 11, 12, 19])
    chances = sl.exp(loss.log_prob(x))
    np.testing.assert_allclose(chances.sum(1).detach().numpy(), 1, rtol=1e-5)
    made = loss(x, target)
    picked = [math.log(chances[i, t].item()) for i, t in enumerate(target.tolist())]
    np.testing.assert_allclose(made.output.detach().numpy(), picked, rtol=1e-4)
    assert made.loss.item() == pytest.approx(-np.mean(picked), rel=1e-4)
    assert loss.predict(x).tolist() == chances.argmax(1).tolist()
    assert loss(x[0], target[0]).output.shape == ()
    with pytest.raises(IndexError, match="wanted 0 to 19"):
        loss(x, target + 5)
    with pytest.raises(ValueError, match="wanted numbers that grow"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, [12, 5])


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"add_zero_attn": True},
                                     {"kdim": 5, "vdim": 6}])  # fmt: skip
def test_attention_as_a_function_of_its_weights(options):
    sl.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, **options)
    q = _tensor(3, 2, 8)
    k, v = _tensor(4, 2, options.get("kdim", 8)), _tensor(4, 2, options.get("vdim", 8))
    wanted = layer(q, k, v)
    made = F.multi_head_attention_forward(
        q, k, v, 8, 2, layer.in_proj_weight, layer.in_proj_bias, layer.bias_k,
        layer.bias_v, layer.add_zero_attn, 0.0, layer.out_proj.weight,
        layer.out_proj.bias, use_separate_proj_weight="kdim" in options,
        q_proj_weight=layer.q_proj_weight, k_proj_weight=layer.k_proj_weight,
        v_proj_weight=layer.v_proj_weight,
    )  # fmt: skip
    for got, want in zip(made, wanted):
        np.testing.assert_allclose(
            got.detach().numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6
        )
    with pytest.raises(ValueError, match="embed_dim_to_check is 6"):
        F.multi_head_attention_forward(
            q, k, v, 6, 2, layer.in_proj_weight, None, None, None, False, 0.0,
            layer.out_proj.weight, None,
        )  # fmt: skip
