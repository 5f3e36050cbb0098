"""The models of examples/python, imperatively and recorded."""

import sys
from pathlib import Path

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "python"))


def gradients(net, loss):
    net.zero_grad()
    loss.backward()
    return [p.grad.numpy().copy() for p in net.parameters()]


def test_gpt2():
    from gpt2 import GPT2, Config

    sl.manual_seed(0)
    net = GPT2(Config(vocab_size=20, n_positions=16, n_embd=16, n_layer=2, n_head=4))
    tokens = sl.tensor(np.arange(10).reshape(2, 5))
    assert net(tokens).shape == (2, 5, 20)
    f = sl.function(lambda t: net(t))
    for length in (5, 3, 1):
        part = tokens[:, :length]
        wanted = net(part).detach().numpy()
        assert np.allclose(f(part).detach().numpy(), wanted, atol=1e-5)
    assert len(f.traces()) == 1  # for all lengths
    assert net.generate(tokens, 4).shape == (2, 9)
    grads = gradients(net, net(tokens).sum())
    assert all(np.isfinite(g).all() for g in grads)


def test_resnet():
    from resnet import resnet18

    sl.manual_seed(0)
    net = resnet18(num_classes=5)
    images = sl.tensor(
        np.random.default_rng(0).standard_normal((2, 3, 64, 64)).astype(np.float32)
    )
    labels = sl.tensor([1, 3])
    state = {k: v.numpy().copy() for k, v in net.state_dict().items()}
    grads = gradients(net, F.cross_entropy(net(images), labels))
    moved = net.bn1.running_mean.numpy().copy()
    net.load_state_dict(state)
    net.zero_grad()

    @sl.function
    def step(images, labels):
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        return loss

    step(images, labels)
    assert np.allclose(net.bn1.running_mean.numpy(), moved, atol=1e-6)
    for p, wanted in zip(net.parameters(), grads):
        scale = max(1.0, np.abs(wanted).max())
        assert np.abs(p.grad.numpy() - wanted).max() <= 1e-4 * scale


@pytest.mark.parametrize("name", ["gpt2", "resnet"])
def test_they_say_what_they_are(name):
    module = pytest.importorskip(name)
    assert module.__doc__
