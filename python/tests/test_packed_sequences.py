"""nn.utils.rnn: sequences of different lengths, padded and packed."""

import numpy as np
import pytest
import sluice as sl
from sluice import nn
from sluice.nn.utils import rnn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
RNG = np.random.default_rng(3)
PARTS = [RNG.standard_normal((n, 2)).astype("float32") for n in (3, 5, 1)]
PADDED = np.zeros((5, 3, 2), "float32")
for i, part in enumerate(PARTS):
    PADDED[: len(part), i] = part
LENGTHS = sl.tensor([3, 5, 1])


@WAYS
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_pad_sequence(way, side, batch_first):
    wanted = np.full((3, 5, 2), -1.0, "float32")
    for i, part in enumerate(PARTS):
        at = 5 - len(part) if side == "left" else 0
        wanted[i, at : at + len(part)] = part
    f = way(lambda *xs: rnn.pad_sequence(list(xs), batch_first, -1.0, side))
    made = f(*map(sl.tensor, PARTS))
    wanted = wanted if batch_first else wanted.swapaxes(0, 1)
    assert np.array_equal(made.numpy(), wanted)
    with pytest.raises(ValueError, match="wanted left or right"):
        rnn.pad_sequence([sl.ones(2)], padding_side="top")


@WAYS
def test_unpad_sequence(way):
    parts = way(rnn.unpad_sequence)(sl.tensor(PADDED), LENGTHS)
    assert all(np.array_equal(a.numpy(), b) for a, b in zip(parts, PARTS))
    with pytest.raises(ValueError, match="number of steps"):
        way(rnn.unpad_sequence)(sl.tensor(PADDED), sl.tensor([3, 6, 1]))


@WAYS
def test_pack_and_back(way):
    pack = way(lambda x, n: rnn.pack_padded_sequence(x, n, enforce_sorted=False))
    packed = pack(sl.tensor(PADDED), LENGTHS)
    rows = [PARTS[i][t] for t in range(5) for i in (1, 0, 2) if t < len(PARTS[i])]
    assert np.array_equal(packed.data.numpy(), rows)
    assert packed.batch_sizes.tolist() == [3, 2, 2, 1, 1]
    assert packed.sorted_indices.tolist() == [1, 0, 2]
    assert packed.unsorted_indices.tolist() == [1, 0, 2]
    back, lengths = way(lambda p: rnn.pad_packed_sequence(p, True, -1.0, 7))(packed)
    wanted = np.full((3, 7, 2), -1.0, "float32")
    for i, part in enumerate(PARTS):
        wanted[i, : len(part)] = part
    assert np.array_equal(back.numpy(), wanted)
    assert lengths.tolist() == [3, 5, 1]
    parts = rnn.unpack_sequence(packed)
    assert all(np.array_equal(a.numpy(), b) for a, b in zip(parts, PARTS))
    with pytest.raises(ValueError, match="total_length is 4"):
        way(lambda p: rnn.pad_packed_sequence(p, total_length=4))(packed)


@WAYS
def test_pack_wants_sorted_lengths(way):
    with pytest.raises(ValueError, match="falling order"):
        way(rnn.pack_padded_sequence)(sl.tensor(PADDED), LENGTHS)
    with pytest.raises(ValueError, match="not one of 1"):
        way(rnn.pack_padded_sequence)(sl.tensor(PADDED), sl.tensor([5, 3, 0]))
    with pytest.raises(ValueError, match="2 lengths for 3"):
        way(rnn.pack_padded_sequence)(sl.tensor(PADDED), sl.tensor([5, 3]))


def test_gradient_of_packing():
    x = sl.tensor(PADDED, requires_grad=True)
    data = rnn.pack_padded_sequence(x, LENGTHS, enforce_sorted=False).data
    (data * 3).sum().backward()
    wanted = [[3.0 * (t < len(p)) for p in PARTS] for t in range(5)]
    assert np.array_equal(x.grad.numpy()[:, :, 0], wanted)


@WAYS
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_layers_of_packed(way, kind, batch_first):
    net = getattr(nn, kind)(2, 4, 2, bidirectional=True, batch_first=batch_first)
    h = sl.tensor(RNG.standard_normal((4, 3, 4)).astype("float32"))
    first = (h, h * 2) if kind == "LSTM" else h

    def run(x, lengths, hx):
        packed = rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        y, last = net(packed, hx)
        return rnn.pad_packed_sequence(y)[0], last

    with sl.no_grad():
        y, last = way(run)(sl.tensor(PADDED), LENGTHS, first)
        for i, part in enumerate(PARTS):
            own = [s[:, i] for s in first] if kind == "LSTM" else h[:, i]
            alone, end = net(sl.tensor(part), own)
            assert np.allclose(y[: len(part), i].numpy(), alone.numpy(), atol=1e-5)
            for a, b in zip(last, end) if kind == "LSTM" else [(last, end)]:
                assert np.allclose(a[:, i].numpy(), b.numpy(), atol=1e-5)
