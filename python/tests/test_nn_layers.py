"""Layers without PyTorch: how they begin, what they refuse, modes, dropout."""

import inspect

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

RNG = np.random.default_rng(0)


def randn(*shape):
    return sl.tensor(RNG.standard_normal(shape).astype(np.float32))


class TestBeginnings:
    """The ranges PyTorch's layers begin in."""

    @pytest.mark.parametrize(
        "layer, bound",
        [
            (lambda: nn.Linear(100, 50), 0.1),
            (lambda: nn.Bilinear(100, 3, 5), 0.1),
            (lambda: nn.Conv2d(4, 8, 5), 0.1),
            (lambda: nn.ConvTranspose2d(8, 4, 5), 0.1),
            (lambda: nn.LSTM(7, 100), 0.1),
            (lambda: nn.GRUCell(7, 100), 0.1),
        ],
    )
    def test_uniform(self, layer, bound):
        sl.manual_seed(0)
        for parameter in layer().parameters():
            values = np.abs(parameter.detach().numpy())
            assert values.max() <= bound
            if values.size > 30:
                assert values.max() > 0.8 * bound

    def test_embedding_is_normal(self):
        sl.manual_seed(0)
        layer = nn.Embedding(200, 50, padding_idx=-1)
        table = layer.weight.detach().numpy()
        assert layer.padding_idx == 199 and not table[199].any()
        assert abs(table[:199].std() - 1) < 0.05

    def test_attention(self):
        layer = nn.MultiheadAttention(64, 4)
        bound = (6 / (3 * 64 + 64)) ** 0.5
        assert np.abs(layer.in_proj_weight.detach().numpy()).max() <= bound
        assert not layer.in_proj_bias.detach().numpy().any()
        assert not layer.out_proj.bias.detach().numpy().any()

    def test_norms(self):
        for layer in (nn.BatchNorm1d(3), nn.LayerNorm(3), nn.GroupNorm(1, 3)):
            assert (layer.weight.detach().numpy() == 1).all()
            assert not layer.bias.detach().numpy().any()

    def test_seeds_repeat(self):
        sl.manual_seed(3)
        a = nn.Linear(4, 3).weight.detach().numpy().copy()
        sl.manual_seed(3)
        assert (nn.Linear(4, 3).weight.detach().numpy() == a).all()

    def test_types(self):
        layer = nn.Linear(4, 3, dtype=sl.float64)
        assert layer.weight.dtype == sl.float64
        assert layer(np.ones((2, 4))).dtype == sl.float64
        with pytest.raises(ValueError, match="there is no device"):
            nn.Linear(1, 1, device="cuda:0")


class TestDropout:
    def test_modes(self):
        sl.manual_seed(0)
        layer = nn.Dropout(0.25)
        x = sl.ones((100, 100))
        y = layer(x).numpy()
        assert set(np.unique(y)) == {0.0, np.float32(1 / 0.75)}
        assert abs((y == 0).mean() - 0.25) < 0.02
        assert (layer(x).numpy() != y).any()
        assert (layer.eval()(x).numpy() == 1).all()

    def test_whole_channels(self):
        sl.manual_seed(0)
        y = nn.Dropout2d(0.5)(sl.ones((8, 16, 3, 3))).numpy()
        per_channel = y.reshape(128, 9)
        assert (per_channel == per_channel[:, :1]).all()
        assert 30 < (per_channel[:, 0] == 0).sum() < 98

    def test_gradient(self):
        sl.manual_seed(0)
        x = sl.tensor(np.ones((50,), np.float32), requires_grad=True)
        y = nn.Dropout(0.5)(x)
        y.sum().backward()
        assert (x.grad.numpy() == y.detach().numpy()).all()

    def test_bad_share(self):
        with pytest.raises(ValueError, match="0 <= p <= 1"):
            nn.Dropout(1.5)


class TestBatchNorm:
    def test_running_statistics(self):
        layer = nn.BatchNorm1d(2, momentum=0.5)
        x = np.array([[1, 2], [3, 6]], np.float32)
        layer(x)
        assert np.allclose(layer.running_mean.numpy(), [1, 2])
        assert np.allclose(layer.running_var.numpy(), [1.5, 4.5])
        assert layer.num_batches_tracked.numpy() == 1
        before = layer.running_mean.numpy().copy()
        layer.eval()(x)
        assert (layer.running_mean.numpy() == before).all()

    def test_averages_of_all_batches(self):
        layer = nn.BatchNorm1d(1, momentum=None)
        for value in (0.0, 3.0, 6.0):
            layer(np.array([[value], [value + 1]], np.float32))
        assert np.allclose(layer.running_mean.numpy(), 3.5)

    def test_axes(self):
        with pytest.raises(ValueError, match="4 axes; wanted 2 or 3"):
            nn.BatchNorm1d(2)(sl.ones((1, 2, 3, 3)))
        with pytest.raises(ValueError, match="more than one number per channel"):
            nn.BatchNorm1d(2)(sl.ones((1, 2)))


class TestRecurrent:
    def test_state_is_carried(self):
        layer = nn.LSTM(3, 4, batch_first=True)
        x = randn(2, 6, 3)
        whole, (h, c) = layer(x)
        first, state = layer(x[:, :4])
        second, (h2, c2) = layer(x[:, 4:], state)
        rest = whole.detach()[:, 4:].numpy()
        assert np.allclose(rest, second.detach().numpy(), atol=1e-6)
        assert np.allclose(c.detach().numpy(), c2.detach().numpy(), atol=1e-6)
        assert h.shape == (1, 2, 4)

    def test_lengths(self):
        layer = nn.GRU(3, 4)
        x = randn(5, 2, 3)
        y, h = layer(x, lengths=[5, 2])
        y = y.detach().numpy()
        assert not y[2:, 1].any() and y[4, 0].any()
        assert np.allclose(h.detach().numpy()[0, 1], y[1, 1])

    def test_dropout_between_layers(self):
        layer = nn.LSTM(3, 4, num_layers=2, dropout=0.9)
        x = randn(5, 2, 3)
        a, b = (layer(x)[0].detach().numpy() for _ in range(2))
        assert (a != b).any()
        layer.eval()
        a, b = (layer(x)[0].detach().numpy() for _ in range(2))
        assert (a == b).all()

    def test_peepholes(self):
        layer = nn.LSTM(3, 4, peepholes=True)
        assert layer.weight_ci_l0.shape == (4,)
        layer(randn(5, 2, 3))[0].sum().backward()
        assert layer.weight_co_l0.grad.numpy().any()

    def test_names(self):
        names = [n for n, _ in nn.LSTM(2, 3, 2, bidirectional=True).named_parameters()]
        assert names[4:8] == [
            "weight_ih_l0_reverse", "weight_hh_l0_reverse",
            "bias_ih_l0_reverse", "bias_hh_l0_reverse",
        ]  # fmt: skip

    def test_a_weight_is_replaced(self):
        layer = nn.RNN(2, 3)
        layer.weight_ih_l0 = nn.Parameter(sl.zeros((3, 2)))
        layer.weight_hh_l0 = nn.Parameter(sl.zeros((3, 3)))
        y, _ = layer(randn(4, 1, 2))
        wanted = np.tanh((layer.bias_ih_l0 + layer.bias_hh_l0).detach().numpy())
        assert np.allclose(y.detach().numpy(), wanted, atol=1e-6)

    def test_cells_step_as_layers_do(self):
        layer, cell = nn.LSTM(3, 4), nn.LSTMCell(3, 4)
        cell.load_state_dict(
            {k.removesuffix("_l0"): v for k, v in layer.state_dict().items()}
        )
        x, state = randn(5, 2, 3), None
        for i in range(5):
            state = cell(x[i], state)
        h, c = layer(x)[1]
        assert np.allclose(h.detach().numpy()[0], state[0].detach().numpy(), atol=1e-6)
        assert np.allclose(c.detach().numpy()[0], state[1].detach().numpy(), atol=1e-6)

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: nn.LSTM(0, 3), "both positive"),
            (lambda: nn.LSTM(2, 3, num_layers=0), "at least 1"),
            (lambda: nn.LSTM(2, 3, proj_size=3), "less than hidden_size"),
            (lambda: nn.RNN(2, 3, nonlinearity="sin"), "tanh or relu"),
            (lambda: nn.LSTM(2, 3)(sl.ones((1, 1, 5))), "wanted .steps, batch, 2"),
            (lambda: nn.GRU(2, 3)(sl.ones((1, 1, 2)), sl.ones((2, 1, 3))), "state is"),
        ],
    )
    def test_bad_arguments(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_a_state_must_be_a_pair(self):
        with pytest.raises(TypeError, match="pair of tensors"):
            nn.LSTM(2, 3)(sl.ones((1, 1, 2)), sl.ones((1, 1, 3)))
        with pytest.raises(TypeError, match="pair of tensors"):
            nn.LSTMCell(2, 3)(sl.ones((1, 2)), sl.ones((1, 3)))


class TestAttention:
    def test_causal(self):
        layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
        x = randn(1, 5, 8)
        y, weights = layer(x, x, x, is_causal=True)
        w = weights.detach().numpy()[0]
        assert np.allclose(w, np.tril(w)) and np.allclose(w.sum(1), 1, atol=1e-6)
        short, _ = layer(x[:, :3], x[:, :3], x[:, :3], is_causal=True)
        assert np.allclose(y.detach().numpy()[:, :3], short.detach().numpy(), atol=1e-6)

    def test_need_weights_changes_nothing_else(self):
        layer = nn.MultiheadAttention(8, 2)
        x = randn(5, 2, 8)
        a, seen = layer(x, x, x)
        b, nothing = layer(x, x, x, need_weights=False)
        assert nothing is None and seen.shape == (2, 5, 5)
        assert np.allclose(a.detach().numpy(), b.detach().numpy(), atol=1e-6)

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="divide embed_dim"):
            nn.MultiheadAttention(10, 3)
        with pytest.raises(ValueError, match="query is"):
            layer = nn.MultiheadAttention(8, 2)
            layer(sl.ones((2, 8)), sl.ones((2, 2, 8)), sl.ones((2, 8)))


class TestSmall:
    def test_conv_transpose_output_size(self):
        layer = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
        x = sl.ones((1, 1, 4, 4))
        assert layer(x, output_size=(8, 7)).shape == (1, 1, 8, 7)
        with pytest.raises(ValueError, match="output_size"):
            layer(x, output_size=(20, 20))

    def test_from_pretrained(self):
        table = sl.tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
        layer = nn.Embedding.from_pretrained(table)
        assert not layer.weight.requires_grad
        assert layer(sl.tensor([2])).numpy().tolist() == [[4, 5]]

    def test_sparse_gradients(self):
        layer = nn.Embedding(10, 2, sparse=True)
        layer(sl.tensor([1, 1, 3])).sum().backward()
        assert layer.weight.grad.is_sparse

    def test_embedding_bag_offsets(self):
        layer = nn.EmbeddingBag(5, 2, mode="sum")
        y = layer(sl.tensor([0, 1, 2]), sl.tensor([0, 2])).detach().numpy()
        table = layer.weight.detach().numpy()
        assert np.allclose(y, [table[0] + table[1], table[2]])

    def test_gumbel_softmax(self):
        sl.manual_seed(0)
        logits = sl.tensor(np.zeros((200, 4), np.float32), requires_grad=True)
        soft = F.gumbel_softmax(logits, tau=0.5)
        assert np.allclose(soft.detach().numpy().sum(1), 1, atol=1e-5)
        hard = F.gumbel_softmax(logits, hard=True)
        counts = hard.detach().numpy().round(5).sum(0)
        assert counts.sum() == 200 and counts.min() > 20
        hard[:, 0].sum().backward()
        assert logits.grad.numpy().any()

    def test_every_public_name_is_described_and_typed(self):
        modules = [nn, F, nn.init, nn.utils]
        for module in modules:
            for name, value in vars(module).items():
                if not getattr(value, "__module__", "").startswith("sluice.nn"):
                    continue
                if name.startswith("_"):
                    continue
                assert value.__doc__, f"{module.__name__}.{name} has no docstring"
                functions = [value] if inspect.isfunction(value) else []
                if inspect.isclass(value):
                    functions = [
                        f for n, f in vars(value).items()
                        if inspect.isfunction(f) and (n == "__init__" or n[0] != "_")
                    ]  # fmt: skip
                for function in functions:
                    signature = inspect.signature(function)
                    for parameter in signature.parameters.values():
                        if parameter.name not in ("self", "cls"):
                            assert parameter.annotation is not parameter.empty, function
                    assert signature.return_annotation is not signature.empty, function
