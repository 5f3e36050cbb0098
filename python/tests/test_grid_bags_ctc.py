"""grid_sample, embedding_bag and ctc_loss beside loops."""

import itertools
import math

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
RNG = np.random.default_rng(9)


def _mirrored(at, low, high):
    while not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at


def _place(g, size, padding, align):
    at = (g + 1) / 2 * (size - 1) if align else ((g + 1) * size - 1) / 2
    if padding == "reflection":
        at = _mirrored(at, *((0, size - 1) if align else (-0.5, size - 0.5)))
    return at if padding == "zeros" else min(max(at, 0), size - 1)


def _looked(image, places, mode):
    if mode == "nearest":
        corners = [([round(p) for p in places], 1.0)]
    else:
        corners = []
        for up in itertools.product((0, 1), repeat=len(places)):
            at = [math.floor(p) + u for p, u in zip(places, up)]
            corners.append((at, math.prod(1 - abs(p - a) for p, a in zip(places, at))))
    total = np.zeros(image.shape[0])
    for at, weight in corners:
        if all(0 <= a < n for a, n in zip(at, image.shape[1:])):
            total += weight * image[(slice(None), *at)]
    return total


@WAYS
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("sizes", [(4, 5), (3, 2, 4)])
def test_grid_sample(way, align, padding, mode, sizes):
    x = RNG.standard_normal((2, 3, *sizes)).astype("float32")
    grid = RNG.uniform(-2, 2, (2, *[3] * len(sizes), len(sizes))).astype("float32")
    wanted = np.zeros((2, 3, *[3] * len(sizes)))
    for n, *at in itertools.product(range(2), *[range(3)] * len(sizes)):
        g = grid[(n, *at)][::-1]
        places = [_place(v, size, padding, align) for v, size in zip(g, sizes)]
        wanted[(n, slice(None), *at)] = _looked(x[n], places, mode)
    f = way(lambda x, g: F.grid_sample(x, g, mode, padding, align))
    made = f(sl.tensor(x), sl.tensor(grid))
    assert np.allclose(made.numpy(), wanted, atol=1e-4)


@WAYS
def test_identity_grid(way):
    x = RNG.standard_normal((1, 2, 4, 5)).astype("float32")
    theta = sl.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    for align in (False, True):
        f = way(
            lambda x, t, a=align: F.grid_sample(
                x, F.affine_grid(t, x.shape, a), "bicubic", "border", a
            )
        )
        assert np.allclose(f(sl.tensor(x), theta).numpy(), x, atol=1e-5)


def test_grid_refuses():
    with pytest.raises(ValueError, match="padding_mode"):
        F.grid_sample(sl.ones(1, 1, 2, 2), sl.ones(1, 1, 1, 2), padding_mode="no")
    with pytest.raises(ValueError, match="wanted \\[N, 2, 3\\]"):
        F.affine_grid(sl.ones(1, 2, 2), (1, 1, 2, 2))


TABLE = RNG.standard_normal((6, 3)).astype("float32")


def _bag(rows, mode):
    if not len(rows):
        return np.zeros(3)
    return {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](rows, 0)


@WAYS
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 2])
def test_bags(way, mode, padding):
    x, ends = np.array([0, 2, 2, 5, 1, 2, 4]), [0, 1, 3, 3, 7]
    wanted = [
        _bag(TABLE[[i for i in x[a:b] if i != padding]], mode)
        for a, b in zip(ends[:-1], ends[1:])
    ]
    options = {"mode": mode, "padding_idx": padding}
    last = way(
        lambda x, w, o: F.embedding_bag(x, w, o, include_last_offset=True, **options)
    )
    made = last(sl.tensor(x), sl.tensor(TABLE), sl.tensor(ends))
    assert np.allclose(made.numpy(), wanted, atol=1e-6)
    plain = way(lambda x, w, o: F.embedding_bag(x, w, o, **options))
    made = plain(sl.tensor(x), sl.tensor(TABLE), sl.tensor(ends[:-1]))
    assert np.allclose(made.numpy(), wanted, atol=1e-6)
    square = np.array([[0, 2, 1], [2, 2, 2]])
    wanted = [_bag(TABLE[[i for i in row if i != padding]], mode) for row in square]
    rows = way(lambda x, w: F.embedding_bag(x, w, **options))
    made = rows(sl.tensor(square), sl.tensor(TABLE))
    assert np.allclose(made.numpy(), wanted, atol=1e-6)


@WAYS
def test_bags_with_weights(way):
    x, w = np.array([[0, 1], [3, 3]]), np.array([[0.5, 2.0], [1.0, -3.0]], "float32")
    layer = nn.EmbeddingBag.from_pretrained(sl.tensor(TABLE), mode="sum")
    made = way(lambda x, w: layer(x, per_sample_weights=w))(sl.tensor(x), sl.tensor(w))
    assert np.allclose(made.numpy(), (TABLE[x] * w[..., None]).sum(1), atol=1e-6)
    with pytest.raises(NotImplementedError, match="wanted sum"):
        F.embedding_bag(
            sl.tensor(x), sl.tensor(TABLE), per_sample_weights=sl.tensor(w)
        )


@WAYS
def test_bags_want_offsets_in_order(way):
    f = way(lambda x, w, o: F.embedding_bag(x, w, o, mode="max"))
    for bad, word in (([1, 2], "begin"), ([0, 2, 1], "fall"), ([0, 9], "beyond")):
        with pytest.raises(ValueError, match=word):
            f(sl.tensor([0, 1, 2]), sl.tensor(TABLE), sl.tensor(bad))


def test_a_row_twice_in_a_bag_has_one_gradient():
    w = sl.tensor(TABLE, requires_grad=True)
    F.embedding_bag(sl.tensor([1, 1]), w, sl.tensor([0]), mode="max").sum().backward()
    assert np.allclose(w.grad.numpy()[1], 1.0)


def _read(path, blank):
    return [k for k, _ in itertools.groupby(path) if k != blank]


@WAYS
@pytest.mark.parametrize("blank", [0, 2])
def test_ctc(way, blank):
    x = RNG.standard_normal((4, 3, 3))
    logs = (x - np.log(np.exp(x).sum(2, keepdims=True))).astype("float32")
    symbols = [c for c in range(3) if c != blank]
    labels = [[symbols[0], symbols[0]], [symbols[1]], [symbols[0], symbols[1]]]
    steps = [4, 3, 1]
    wanted = []
    for n in range(3):
        total = sum(
            math.exp(sum(logs[t, n, c] for t, c in enumerate(path)))
            for path in itertools.product(range(3), repeat=steps[n])
            if _read(path, blank) == labels[n]
        )
        wanted.append(-math.log(total) if total else math.inf)
    flat = [label for row in labels for label in row]
    args = [sl.tensor(v) for v in (logs, np.array(flat), steps, [2, 1, 2])]
    each = way(nn.CTCLoss(blank, "none"))
    assert np.allclose(each(*args).numpy(), wanted, rtol=1e-4)
    finite = np.array(wanted[:2] + [0.0]) / [2, 1, 2]
    mean = way(nn.CTCLoss(blank, zero_infinity=True))
    assert np.allclose(mean(*args).numpy(), finite.mean(), rtol=1e-4)
    rows = sl.tensor([(row + [9])[:2] for row in labels])
    assert np.allclose(each(args[0], rows, *args[2:]).numpy(), wanted, rtol=1e-4)
    with pytest.raises(ValueError, match="input length"):
        each(*args[:2], sl.tensor([5, 3, 1]), args[3])


def test_ctc_gradient_by_differences():
    x = RNG.standard_normal((4, 1, 3))
    at = [sl.tensor([[1, 2]]), sl.tensor([4]), sl.tensor([2])]

    def loss(x):
        return F.ctc_loss(sl.log_softmax(x, 2), *at)

    t = sl.tensor(x, requires_grad=True)
    loss(t).backward()
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-5
        up, down = loss(sl.tensor(x + step)), loss(sl.tensor(x - step))
        slope = (up - down).item() / 2e-5
        assert abs(t.grad.numpy()[i] - slope) < 1e-6
