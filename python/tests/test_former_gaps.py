"""Calls that failed and should not: one test for each, named for it."""

import copy
import io
import pathlib

import numpy as np
import pytest

import sluice as sl
import sluice.nn as nn
from sluice import optim

MODES = [pytest.param(False, id="imperative"), pytest.param(True, id="captured")]


def both(f, captured):
    return sl.function(f) if captured else f


# ---- Writes to parts under gradients ----


@pytest.mark.parametrize("captured", MODES)
def test_augmented_assignment_of_a_slice_under_gradients(captured):
    w = sl.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def f(k):
        y = w * 1
        y[1:] *= k
        return (y * y).sum()

    both(f, captured)(sl.tensor(2.0)).backward()
    assert w.grad.tolist() == [2.0, 16.0, 24.0]


@pytest.mark.parametrize("captured", MODES)
def test_write_to_an_element_that_was_taken_out_under_gradients(captured):
    w = sl.tensor([1.0, 2.0], requires_grad=True)

    def f(x):
        y = w * x
        z = y[0]
        z.mul_(3)
        return y.sum()

    both(f, captured)(sl.tensor(1.0)).backward()
    assert w.grad.tolist() == [3.0, 1.0]


PARTS = {
    "split": lambda y: y.split(2),
    "split of sizes": lambda y: y.split([1, 3]),
    "chunk": lambda y: y.chunk(2),
    "unbind": lambda y: y.unbind(),
    "tensor_split": lambda y: y.tensor_split(2),
    "rows": lambda y: tuple(y[i] for i in range(4)),
}


# They were copies while calls were recorded: what was written to them was lost.
@pytest.mark.parametrize("captured", MODES)
@pytest.mark.parametrize("cut", PARTS.values(), ids=PARTS.keys())
def test_parts_are_written_under_gradients(cut, captured):
    w = sl.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)

    def f(k):
        y = w * 1
        cut(y)[-1].mul_(k)
        return y

    y = both(f, captured)(sl.tensor(3.0))
    factors = [1.0] * 4
    last = cut(sl.arange(4))[-1].reshape(-1).tolist()
    for i in last:
        factors[i] = 3.0
    assert y.tolist() == [v * f for v, f in zip([1, 2, 3, 4], factors, strict=True)]
    y.sum().backward()
    assert w.grad.tolist() == factors


@pytest.mark.parametrize("captured", MODES)
@pytest.mark.parametrize("cut", PARTS.values(), ids=PARTS.keys())
def test_parts_follow_writes_to_the_whole_under_gradients(cut, captured):
    w = sl.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)

    def f(k):
        y = w * 1
        parts = cut(y)
        y.mul_(k)
        return sl.cat([p.reshape(-1) for p in parts])

    made = both(f, captured)(sl.tensor(3.0))
    assert made.tolist() == [3, 6, 9, 12]
    (made * made).sum().backward()
    assert w.grad.tolist() == [18, 36, 54, 72]


@pytest.mark.parametrize("captured", MODES)
@pytest.mark.parametrize("cut", PARTS.values(), ids=PARTS.keys())
def test_parts_that_nobody_writes_have_their_gradients(cut, captured):
    w = sl.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)

    def f(k):
        total = 0.0
        for i, part in enumerate(cut(w * k)):
            total = total + (part * part).sum() * (i + 1)
        return total

    both(f, captured)(sl.tensor(1.0)).backward()
    which = [i for i, p in enumerate(cut(sl.arange(4))) for _ in p.reshape(-1).tolist()]
    assert w.grad.tolist() == [2 * v * (i + 1) for v, i in zip([1, 2, 3, 4], which)]


# ---- Functions ----


def test_tensordot_of_unknown_sizes():
    with sl.Graph() as graph:
        a = sl.placeholder(sl.float32, [None, None])
        b = sl.placeholder(sl.float32, [None, None])
        products = [sl.tensordot(a, b, dims) for dims in (0, 1, 2, ([0], [1]))]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with sl.Session(graph) as session:
        for made, dims, y in zip(products, (0, 1, 2, ([0], [1])),
                                 (x, x.T, x, x.T), strict=True):
            got = session.run(made, {a: x, b: y})
            np.testing.assert_allclose(np.asarray(got), np.tensordot(x, y, dims))


def test_flip_takes_axes_by_place():
    x = sl.arange(6).reshape(2, 3)
    assert x.flip(0, 1).tolist() == [[5, 4, 3], [2, 1, 0]]
    assert x.flip((0, 1)).tolist() == x.flip(dims=[0, 1]).tolist()


ALONG = ["sum", "mean", "prod", "amax", "amin", "any", "all", "logsumexp", "norm",
         "cumsum", "cumprod", "softmax", "nansum", "nanmean", "argmax", "argmin",
         "count_nonzero", "argsort", "flip", "squeeze"]
PAIRS = ["max", "min", "median", "nanmedian", "sort"]


@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("name", ALONG)
def test_no_axes_have_a_first_and_a_last_one(name, dim):
    made = getattr(sl, name)(sl.tensor(2.0), dim=dim)
    assert made.shape == ()
    wanted = {"softmax": 1.0, "any": 1.0, "all": 1.0, "argmax": 0.0, "argmin": 0.0,
              "count_nonzero": 1.0, "argsort": 0.0}
    assert float(made) == wanted.get(name, 2.0)


@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("name", PAIRS)
def test_no_axes_have_a_first_and_a_last_one_for_pairs(name, dim):
    values, places = getattr(sl, name)(sl.tensor(2.0), dim=dim)
    assert (values.shape, values.item(), places.item()) == ((), 2.0, 0)


def test_no_axes_may_be_rolled_and_ordered():
    assert sl.roll(sl.tensor(2.0), 1, 0).item() == 2.0
    assert [t.shape for t in sl.topk(sl.tensor(2.0), 1)] == [(), ()]
    for f in (lambda x: sl.flip(x, (1,)), lambda x: sl.squeeze(x, 1),
              lambda x: sl.sum(x, dim=1)):
        with pytest.raises((IndexError, ValueError)):
            f(sl.tensor(2.0))


def test_nansum_along_an_axis():
    x = sl.tensor([[1.0, float("nan")], [2.0, 3.0]])
    assert sl.nansum(x, dim=1).tolist() == [1.0, 5.0]
    assert sl.nansum(x, dim=0, keepdim=True).tolist() == [[3.0, 3.0]]
    assert x.nansum(1).tolist() == [1.0, 5.0]


def test_unique_slices_along_an_axis():
    x = sl.tensor([[1, 2], [1, 2], [0, 1]])
    values, inverse, counts = sl.unique(
        x, dim=0, return_inverse=True, return_counts=True)
    assert values.tolist() == [[0, 1], [1, 2]]
    assert (inverse.tolist(), counts.tolist()) == ([1, 1, 0], [1, 2])
    assert sl.unique(x, dim=1).tolist() == [[1, 2], [1, 2], [0, 1]]


@pytest.mark.parametrize("captured", MODES)
def test_gather_and_scatter_with_a_smaller_index(captured):
    x = sl.arange(12.0).reshape(3, 4)
    index = sl.tensor([[0, 1], [2, 3]])
    gathered = both(lambda x, i: sl.gather(x, 1, i), captured)(x, index)
    assert gathered.tolist() == [[0, 1], [6, 7]]
    gathered = both(lambda x, i: sl.gather(x, 0, i), captured)(x, index[:, :1])
    assert gathered.tolist() == [[0], [8]]
    put = both(lambda i, v: sl.zeros((3, 4)).scatter(1, i, v), captured)
    assert put(index, sl.ones((3, 4))).tolist() == [
        [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]]
    added = both(lambda i, v: sl.ones((3, 4)).scatter_add(1, i, v), captured)
    assert added(index, sl.ones((3, 4)) * 2).tolist() == [
        [3, 3, 1, 1], [1, 1, 3, 3], [1, 1, 1, 1]]


def test_gradients_of_a_gather_with_a_smaller_index():
    x = sl.zeros((3, 4), requires_grad=True)
    sl.gather(x, 1, sl.tensor([[0, 0]])).sum().backward()
    assert x.grad.tolist() == [[2, 0, 0, 0], [0] * 4, [0] * 4]


# ---- Files that a program has opened ----


def test_saving_to_file_objects(tmp_path):
    model = nn.Linear(2, 3)
    memory = io.BytesIO()
    sl.save(model, memory, metadata={"a": "b"})
    memory.seek(0)
    assert sl.load(memory)["weight"].tolist() == model.weight.tolist()
    with pytest.raises(ValueError, match=r"as after seek\(0\)"):
        sl.load(memory)
    path = tmp_path / "model.bin"
    with path.open("wb") as file:
        sl.save(model, file)
    with path.open("rb") as file:
        assert list(sl.load(file)) == ["weight", "bias"]
    # The bytes are those of a file.
    sl.save(model, tmp_path / "model.safetensors")
    assert path.read_bytes() == (tmp_path / "model.safetensors").read_bytes()


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "a.safetensors"])
def test_loading_every_format_from_file_objects(tmp_path, name):
    path = pathlib.Path(tmp_path, name)
    x = sl.arange(5.0)
    sl.save(x if name.endswith(".npy") else {"x": x}, path)
    read = sl.load(io.BytesIO(path.read_bytes()))
    assert (read if name.endswith(".npy") else read["x"]).tolist() == x.tolist()


def test_file_objects_of_text_are_refused(tmp_path):
    with pytest.raises(TypeError, match="wb"):
        sl.save({"x": sl.ones(1)}, io.StringIO())
    with pytest.raises(TypeError, match="rb"):
        sl.load(io.StringIO("text"))
    with pytest.raises(ValueError, match="safetensors"):
        sl.load(io.BytesIO(b"no such file at all"))


class ByPieces(io.RawIOBase):
    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, part):
        self.data += bytes(part[:7])
        return min(7, len(part))


def test_raw_files_may_take_a_part():
    raw = ByPieces()
    sl.save({"x": sl.arange(3.0)}, raw)
    assert sl.load(io.BytesIO(raw.data))["x"].tolist() == [0, 1, 2]


# ---- Optimizers ----


class Momentum(optim.Optimizer):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.5)):
        super().__init__(params, {"lr": lr, "betas": betas})

    @sl.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["n"] = 0
                    state["sum"] = sl.zeros_like(p)
                state["n"] += 1
                state["sum"].mul_(group["betas"][0]).add_(p.grad)
                p.add_(state["sum"], alpha=-group["lr"])


def trained(model, optimizer, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        (model(sl.ones((1, 2))) ** 2).sum().backward()
        optimizer.step()
    return [p.tolist() for p in model.parameters()]


def test_own_optimizer_has_state_of_each_parameter():
    sl.manual_seed(0)
    model = nn.Linear(2, 2)
    own = Momentum(model.parameters())
    trained(model, own)
    state = own.state_dict()
    assert set(state) == {"state", "param_groups"} and set(state["state"]) == {0, 1}
    assert state["state"][0]["n"] == 3
    assert state["param_groups"] == [
        {"lr": 0.1, "betas": (0.9, 0.5), "params": [0, 1]}]


@pytest.mark.parametrize("by_file", [False, True], ids=["dict", "file"])
def test_own_optimizer_goes_on_from_its_state(tmp_path, by_file):
    sl.manual_seed(0)
    first = nn.Linear(2, 2)
    own = Momentum(first.parameters(), lr=0.05)
    trained(first, own)
    state = own.state_dict()
    if by_file:
        sl.save(state, tmp_path / "own.safetensors")
        state = sl.load(tmp_path / "own.safetensors")
    second = nn.Linear(2, 2)
    second.load_state_dict(first.state_dict())
    again = Momentum(second.parameters(), lr=0.7, betas=(0.1, 0.1))
    again.load_state_dict(state)
    assert again.param_groups[0]["lr"] == pytest.approx(0.05)
    assert isinstance(again.param_groups[0]["betas"], tuple)
    assert trained(second, again) == trained(first, own)
    # A copy: the first one's state is its own.
    assert again.state[second.weight]["sum"] is not own.state[first.weight]["sum"]


def test_own_optimizer_refuses_the_state_of_another():
    own = Momentum([sl.ones(2, requires_grad=True)])
    with pytest.raises(ValueError, match=r"\[2\] parameters; wanted \[1\]"):
        own.load_state_dict(Momentum(nn.Linear(1, 1).parameters()).state_dict())
    with pytest.raises(ValueError, match="param_groups"):
        own.load_state_dict({"lr": 3})


def test_own_optimizer_in_a_captured_step():
    models = [nn.Linear(2, 2) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    made = [Momentum(m.parameters()) for m in models]
    for model, own in zip(models, made, strict=True):  # slots are there from now on
        trained(model, own, 1)

    def step():
        made[1].zero_grad()
        (models[1](sl.ones((1, 2))) ** 2).sum().backward()
        made[1].step()

    captured = sl.function(step)
    for _ in range(3):
        captured()
    for a, b in zip(trained(models[0], made[0], 3),
                    [p.tolist() for p in models[1].parameters()], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert made[1].state[models[1].weight]["n"] == 4


OPTIMIZERS = [
    lambda p: optim.SGD(p, lr=0.1, momentum=0.9), lambda p: optim.Adam(p, lr=0.1),
    lambda p: optim.AdamW(p, lr=0.1), lambda p: optim.RMSprop(p, lr=0.1),
    lambda p: optim.Adagrad(p, lr=0.1), lambda p: optim.Adadelta(p),
    lambda p: optim.Lion(p, lr=0.1), lambda p: optim.Adafactor(p), Momentum,
]


@pytest.mark.parametrize("make", OPTIMIZERS)
@pytest.mark.parametrize("steps", [0, 2])
def test_deep_copies_of_optimizers(make, steps):
    model = nn.Linear(2, 2)
    made = make(model.parameters())
    trained(model, made, steps)
    made.param_groups[0]["lr"] = 0.03
    other, again = copy.deepcopy((model, made))
    assert again.param_groups[0]["params"][0] is other.weight
    assert again.param_groups[0]["lr"] == pytest.approx(0.03)
    before = [p.tolist() for p in model.parameters()]
    after = trained(other, again, 2)
    assert [p.tolist() for p in model.parameters()] == before
    assert trained(model, made, 2) == after


def test_deep_copy_keeps_groups_and_names():
    model = nn.Linear(2, 2)
    made = optim.SGD([{"params": [model.weight], "lr": 0.5},
                      {"params": [("b", model.bias)]}], lr=0.1, momentum=0.9)
    made.param_groups[1]["note"] = "kept"
    again = copy.deepcopy(made)
    assert [g["lr"] for g in again.param_groups] == [0.5, 0.1]
    assert again.param_groups[1]["note"] == "kept"
    assert again.param_groups[0]["params"][0] is not model.weight


def test_deep_copy_of_a_graphs_optimizer_is_refused():
    with pytest.raises(TypeError, match="part of a graph"):
        copy.deepcopy(optim.SGD(None, lr=0.1))
