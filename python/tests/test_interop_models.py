"""Whole models beside PyTorch's: its weights loaded, results and gradients equal."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import nn_against_torch as pair  # noqa: E402
import sluice as sl  # noqa: E402
from sluice import nn  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "python"))


def grads_equal(ours, theirs):
    """Gradients of all parameters, by name."""
    mine = dict(ours.named_parameters())
    for name, parameter in theirs.named_parameters():
        pair.close(mine[name].grad.numpy(), parameter.grad.numpy(), name)


class TestMlp:
    @staticmethod
    def make(library):
        return library.Sequential(
            library.Linear(20, 32),
            library.ReLU(),
            library.Linear(32, 32),
            library.Tanh(),
            library.Linear(32, 10),
        )

    def test_results_and_gradients(self):
        torch.manual_seed(0)
        theirs, ours = self.make(torch.nn), self.make(nn)
        keys = ours.load_state_dict(theirs.state_dict())
        assert keys == ([], [])
        rng = np.random.default_rng(0)
        x = rng.standard_normal((16, 20)).astype(np.float32)
        labels = rng.integers(0, 10, 16)
        his = torch.nn.functional.cross_entropy(
            theirs(torch.tensor(x)), torch.tensor(labels)
        )
        mine = nn.functional.cross_entropy(ours(sl.tensor(x)), sl.tensor(labels))
        pair.close(float(mine.detach()), float(his.detach()), "loss")
        his.backward()
        mine.backward()
        grads_equal(ours, theirs)

    @pytest.mark.skipif(not hasattr(sl.Tensor, "__dlpack__"), reason="no DLPack")
    def test_weights_go_the_other_way(self):
        theirs, ours = self.make(torch.nn), self.make(nn)
        state = {k: torch.from_dlpack(v) for k, v in ours.state_dict().items()}
        theirs.load_state_dict(state)
        x = np.ones((2, 20), np.float32)
        pair.close(
            ours(x).detach().numpy(), theirs(torch.tensor(x)).detach().numpy(), "y"
        )

    def test_arrays_of_numpy_load(self):
        theirs, ours = self.make(torch.nn), self.make(nn)
        ours.load_state_dict({k: v.numpy() for k, v in theirs.state_dict().items()})
        for name, parameter in theirs.named_parameters():
            mine = ours.get_parameter(name).detach().numpy()
            assert (mine == parameter.detach().numpy()).all()


@pytest.fixture(scope="module")
def pair_of_nets():
    models = pytest.importorskip("torchvision.models")
    from resnet import resnet18

    torch.manual_seed(0)
    theirs = models.resnet18(weights=None, num_classes=10)
    ours = resnet18(num_classes=10)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    return ours, theirs


class TestResNet:
    @pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
    def test_results_and_gradients(self, pair_of_nets, training):
        ours, theirs = pair_of_nets
        ours.load_state_dict(theirs.state_dict())
        ours.train(training)
        theirs.train(training)
        ours.zero_grad()
        theirs.zero_grad()
        rng = np.random.default_rng(1)
        x = rng.standard_normal((4, 3, 64, 64)).astype(np.float32)
        labels = rng.integers(0, 10, 4)
        a, b = ours(sl.tensor(x)), theirs(torch.tensor(x))
        pair.close(a.detach().numpy(), b.detach().numpy(), "logits")
        nn.functional.cross_entropy(a, sl.tensor(labels)).backward()
        torch.nn.functional.cross_entropy(b, torch.tensor(labels)).backward()
        grads_equal(ours, theirs)
        for name, buffer in theirs.named_buffers():
            pair.close(ours.get_buffer(name).numpy(), buffer.numpy(), name)

    def test_resnet50_has_the_same_keys(self):
        models = pytest.importorskip("torchvision.models")
        from resnet import resnet50

        theirs, ours = models.resnet50(weights=None), resnet50()
        wanted = {k: tuple(v.shape) for k, v in theirs.state_dict().items()}
        assert {k: tuple(v.shape) for k, v in ours.state_dict().items()} == wanted


class TestLstm:
    @staticmethod
    def make(library):
        return library.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)

    def test_results_and_gradients(self):
        torch.manual_seed(0)
        pair.compare_modules(torch, self.make(nn), self.make(torch.nn), [(3, 7, 6)])

    def test_with_a_first_state(self):
        torch.manual_seed(0)
        theirs, ours = self.make(torch.nn), self.make(nn)
        pair.load_from(theirs, ours)
        rng = np.random.default_rng(0)
        x, h, c = (
            rng.standard_normal(s).astype(np.float32)
            for s in ((3, 7, 6), (4, 3, 8), (4, 3, 8))
        )
        a, b = pair.both(torch, [x, h, c])
        mine, his = ours(a[0], (a[1], a[2])), theirs(b[0], (b[1], b[2]))
        pair.compare_results(torch, rng, mine, his)
        pair.compare_grads(a, b, "input")
        grads_equal(ours, theirs)

    def test_lengths_are_packed_sequences(self):
        torch.manual_seed(0)
        theirs, ours = self.make(torch.nn), self.make(nn)
        pair.load_from(theirs, ours)
        rng = np.random.default_rng(0)
        lengths = np.array([7, 2, 4])
        a, b = pair.both(torch, [rng.standard_normal((3, 7, 6)).astype(np.float32)])
        rnn = torch.nn.utils.rnn
        packed = rnn.pack_padded_sequence(
            b[0], torch.tensor(lengths), batch_first=True, enforce_sorted=False
        )
        y, state = theirs(packed)
        his = (rnn.pad_packed_sequence(y, batch_first=True)[0], state)
        mine = ours(a[0], lengths=lengths)
        pair.compare_results(torch, rng, mine, his)
        pair.compare_grads(a, b, "input")
        grads_equal(ours, theirs)


class TestGpt2:
    """The PyTorch side is written out here, with Hugging Face's key names."""

    SIZES = dict(vocab_size=40, n_positions=12, n_embd=24, n_layer=2, n_head=3)

    @staticmethod
    def theirs(vocab_size, n_positions, n_embd, n_layer, n_head):
        tnn = torch.nn

        class Conv1D(tnn.Module):
            def __init__(self, out, size):
                super().__init__()
                self.weight = tnn.Parameter(torch.randn(size, out) * 0.2)
                self.bias = tnn.Parameter(torch.randn(out) * 0.2)

            def forward(self, x):
                return x @ self.weight + self.bias

        class Attention(tnn.Module):
            def __init__(self):
                super().__init__()
                self.c_attn = Conv1D(3 * n_embd, n_embd)
                self.c_proj = Conv1D(n_embd, n_embd)

            def forward(self, x):
                n, length, size = x.shape
                heads = [
                    t.view(n, length, n_head, size // n_head).transpose(1, 2)
                    for t in self.c_attn(x).split(size, dim=2)
                ]
                q, k, v = heads
                scores = q @ k.transpose(2, 3) / (size // n_head) ** 0.5
                hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
                weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
                y = (weights @ v).transpose(1, 2).reshape(n, length, size)
                return self.c_proj(y)

        class Mlp(tnn.Module):
            def __init__(self):
                super().__init__()
                self.c_fc = Conv1D(4 * n_embd, n_embd)
                self.c_proj = Conv1D(n_embd, 4 * n_embd)

            def forward(self, x):
                gelu = tnn.functional.gelu(self.c_fc(x), approximate="tanh")
                return self.c_proj(gelu)

        class Block(tnn.Module):
            def __init__(self):
                super().__init__()
                self.ln_1, self.attn = tnn.LayerNorm(n_embd), Attention()
                self.ln_2, self.mlp = tnn.LayerNorm(n_embd), Mlp()

            def forward(self, x):
                x = x + self.attn(self.ln_1(x))
                return x + self.mlp(self.ln_2(x))

        class Gpt2(tnn.Module):
            def __init__(self):
                super().__init__()
                self.wte = tnn.Embedding(vocab_size, n_embd)
                self.wpe = tnn.Embedding(n_positions, n_embd)
                self.h = tnn.ModuleList(Block() for _ in range(n_layer))
                self.ln_f = tnn.LayerNorm(n_embd)

            def forward(self, tokens):
                x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
                for block in self.h:
                    x = block(x)
                return self.ln_f(x) @ self.wte.weight.T

        return Gpt2()

    def test_results_and_gradients(self):
        from gpt2 import GPT2, Config

        torch.manual_seed(0)
        theirs, ours = self.theirs(**self.SIZES), GPT2(Config(**self.SIZES))
        assert list(ours.state_dict()) == list(theirs.state_dict())
        assert "h.1.attn.c_attn.weight" in ours.state_dict()
        ours.load_state_dict(theirs.state_dict())
        tokens = np.random.default_rng(0).integers(0, 40, (2, 9))
        a, b = ours(sl.tensor(tokens)), theirs(torch.tensor(tokens))
        pair.close(a.detach().numpy(), b.detach().numpy(), "logits")
        labels = np.roll(tokens, -1, 1).reshape(-1)
        mine = nn.functional.cross_entropy(a.reshape((18, 40)), sl.tensor(labels))
        his = torch.nn.functional.cross_entropy(b.reshape(18, 40), torch.tensor(labels))
        pair.close(float(mine.detach()), float(his.detach()), "loss")
        mine.backward()
        his.backward()
        grads_equal(ours, theirs)

    def test_it_writes_what_pytorch_would(self):
        from gpt2 import GPT2, Config

        torch.manual_seed(0)
        theirs, ours = self.theirs(**self.SIZES), GPT2(Config(**self.SIZES))
        ours.load_state_dict(theirs.state_dict())
        tokens = np.array([[3, 1, 4]])
        wanted = torch.tensor(tokens)
        for _ in range(5):
            best = theirs(wanted)[:, -1].argmax(-1, keepdim=True)
            wanted = torch.cat([wanted, best], 1)
        assert ours.generate(sl.tensor(tokens), 5).numpy().tolist() == wanted.tolist()
