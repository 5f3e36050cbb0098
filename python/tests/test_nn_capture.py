"""Modules inside sl.function: the same results, gradients, modes and training."""

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

X = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


def small_net():
    sl.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))


def values(state):
    return {k: v.detach().numpy().copy() for k, v in state.items()}


class TestCaptured:
    @pytest.mark.parametrize(
        "layer, shape",
        [
            (lambda: nn.Linear(4, 3), (2, 4)),
            (lambda: nn.Conv2d(3, 4, 3, padding=1), (2, 3, 6, 6)),
            (lambda: nn.BatchNorm2d(3), (2, 3, 4, 4)),
            (lambda: nn.LayerNorm(4), (2, 4)),
            (lambda: nn.LSTM(3, 4, batch_first=True, bidirectional=True), (2, 5, 3)),
            (lambda: nn.GRU(3, 4), (5, 2, 3)),
            (lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0), (5, 2, 8)),
            (lambda: nn.Embedding(5, 3), None),
            (lambda: nn.Softmax(-1), (3, 4)),
        ],
    )
    def test_results(self, layer, shape):
        sl.manual_seed(0)
        module = layer()
        rng = np.random.default_rng(0)
        if shape is None:
            x = sl.tensor([[1, 2], [3, 4]])
        else:
            x = sl.tensor(rng.standard_normal(shape).astype(np.float32))

        def first(result):
            return first(result[0]) if isinstance(result, (tuple, list)) else result

        f = sl.function(lambda x: first(module(x)))
        wanted = first(module(x)).detach().numpy()
        for _ in range(2):
            assert np.allclose(f(x).detach().numpy(), wanted, atol=1e-5)

    def test_gradients(self):
        net = small_net()
        labels = sl.tensor([0, 1, 2, 0, 1, 2])

        @sl.function
        def step(x):
            loss = F.cross_entropy(net(x), labels)
            loss.backward()
            return loss

        x = sl.tensor(X)
        loss = step(x)
        grads = [p.grad.numpy().copy() for p in net.parameters()]
        stats = values(dict(net.named_buffers()))
        net = small_net()
        again = F.cross_entropy(net(x), labels)
        again.backward()
        assert np.allclose(float(loss), float(again.detach()), atol=1e-6)
        for a, p in zip(grads, net.parameters()):
            assert np.allclose(a, p.grad.numpy(), atol=1e-6)
        for name, buffer in net.named_buffers():
            assert np.allclose(stats[name], buffer.numpy(), atol=1e-6)

    def test_modes_are_recorded_again(self):
        net = nn.Sequential(nn.Dropout(0.5))
        f = sl.function(lambda x: net(x))
        ones = sl.ones((1000,))
        assert (f(ones).numpy() == 0).any()
        net.eval()
        assert (f(ones).numpy() == 1).all()
        net.train()
        assert (f(ones).numpy() == 0).any()
        assert len(f.traces()) == 2
        assert "the mode of 0 (Dropout(p=0.5, inplace=False))" in str(f.traces())

    def test_errors_name_the_path(self):
        net = small_net()
        f = sl.function(lambda x: net(x))
        with pytest.raises(ValueError, match=r"in 0 \(Linear\("):
            f(sl.tensor(1.0))  # when it is recorded
        with pytest.raises(ValueError, match="wanted a last axis of 4") as at_once:
            net(sl.ones((2, 7)))
        # When it runs: sizes are not part of a recording.
        with pytest.raises(ValueError, match=r"in 0 \(Linear\(") as captured:
            f(sl.ones((2, 7)))
        first = str(at_once.value).splitlines()[0]
        assert str(captured.value).splitlines()[0] == first

    def test_training_goes_on_as_without(self):
        optim = pytest.importorskip("sluice.optim")
        labels = sl.tensor([0, 1, 2, 0, 1, 2])
        x = sl.tensor(X)

        def train(captured):
            net = small_net()
            optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

            def step(x, labels):
                loss = F.cross_entropy(net(x), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                return loss

            step = sl.function(step) if captured else step
            losses = [float(step(x, labels).detach()) for _ in range(5)]
            return losses, values(net.state_dict())

        losses, state = train(captured=False)
        again, other = train(captured=True)
        assert losses[-1] < losses[0]
        assert np.allclose(losses, again, atol=1e-5)
        for name in state:
            assert np.allclose(state[name], other[name], atol=1e-5), name


class TestGraphs:
    def test_nodes_have_the_names_of_modules(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

            def forward(self, x):
                return self.encoder(x)

        net = Net()
        f = sl.function(lambda x: net(x))
        assert "encoder/0/MatMul" in str(f.graph(sl.ones((2, 4))))
