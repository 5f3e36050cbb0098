"""Tensors in files, and checkpoints."""

import itertools
import json
import os
import struct
import warnings

import numpy as np
import pytest

import sluice as sl
from sluice import data, io, optim


def array(tensor):
    return np.asarray(tensor.detach())


def leaf(values):
    return sl.tensor(np.array(values, dtype=np.float32), requires_grad=True)


# ---- save and load ----


@pytest.mark.parametrize("name", ["a.safetensors", "a.npz"])
def test_round_trip(tmp_path, name):
    values = {
        "w": sl.tensor([[1.5, 2.0], [3.0, 4.0]]),
        "n": sl.tensor([1, 2, 3]),
        "scalar": sl.tensor(2.5),
        "none": sl.zeros((0, 3)),
        "flags": sl.tensor([True, False]),
        "half": sl.tensor([1.0, 2.0], dtype=sl.float16),
    }
    path = tmp_path / name
    sl.save(values, path)
    read = sl.load(path)
    assert list(read) == list(values)
    for key, tensor in values.items():
        assert read[key].dtype == tensor.dtype and read[key].shape == tensor.shape
        np.testing.assert_array_equal(array(read[key]), array(tensor))


def test_bfloat16(tmp_path):
    path = str(tmp_path / "a.safetensors")
    sl.save({"x": sl.tensor([1.0, -2.5], dtype=sl.bfloat16)}, path)
    read = sl.load(path)["x"]
    assert read.dtype == sl.bfloat16
    assert sl.cast(read, sl.float32).tolist() == [1.0, -2.5]


def test_nested_names(tmp_path):
    path = tmp_path / "a.safetensors"
    tree = {"net": {"fc": [sl.ones((2,)), sl.zeros((2,))], "unused": None}, "n": 3}
    sl.save(tree, path)
    assert set(sl.load(path)) == {"net.fc.0", "net.fc.1", "n"}
    with pytest.raises(ValueError, match="two tensors"):
        sl.save({"a.b": sl.ones((1,)), "a": {"b": sl.ones((1,))}}, path)
    assert set(sl.load(path)) == {"net.fc.0", "net.fc.1", "n"}


def test_what_has_a_state_dict(tmp_path):
    p = leaf([1.0, 2.0])
    optimizer = optim.Adam([("p", p)])
    p.grad = sl.tensor([1.0, 1.0])
    optimizer.step()
    path = tmp_path / "adam.safetensors"
    sl.save(optimizer, path)
    other = optim.Adam([("p", leaf([1.0, 2.0]))])
    other.load_state_dict(sl.load(path))
    np.testing.assert_array_equal(
        array(other.state_dict()["p.exp_avg"]),
        array(optimizer.state_dict()["p.exp_avg"]),
    )


@pytest.mark.parametrize("form", [".safetensors", ".npz"])
def test_numbers_of_python_are_the_same_when_read(tmp_path, form):
    numbers = {"lr": 0.1, "best": -1e300, "step": 2**53 + 1, "done": True}
    path = tmp_path / ("a" + form)
    sl.save({**numbers, "betas": [0.9, 0.999]}, path)
    read = {name: t.item() for name, t in sl.load(path).items()}
    assert read == {**numbers, "betas.0": 0.9, "betas.1": 0.999}
    assert [type(v) for v in read.values()] == [float, float, int, bool, float, float]


def test_numbers_of_python_in_one_tensor(tmp_path):
    for numbers in (0.1, [0.1, 2.5], [[1, 0.3], [2, 3]], [1, 2], [True]):
        sl.save(numbers, tmp_path / "x.npy")
        assert sl.load(tmp_path / "x.npy").tolist() == numbers
    sl.save([sl.ones(2), sl.zeros(2)], tmp_path / "x.npy")
    assert sl.load(tmp_path / "x.npy").dtype == sl.float32


def test_npy(tmp_path):
    path = tmp_path / "x.npy"
    sl.save(sl.tensor([[1, 2]]), path)
    assert array(sl.load(path)).tolist() == [[1, 2]]
    sl.save([1.0, 2.0], path)
    assert array(sl.load(path)).tolist() == [1.0, 2.0]


def test_several_files(tmp_path):
    index = tmp_path / "model.safetensors.index.json"
    values = {f"w{i}": sl.ones((10,)) * i for i in range(4)}
    sl.save(values, index, max_shard_bytes=100)
    assert len(list(tmp_path.glob("model-*.safetensors"))) == 2
    assert json.loads(index.read_text())["weight_map"].keys() == values.keys()
    read = sl.load(index)
    assert float(read["w3"].sum()) == 30


def test_parts_of_a_file(tmp_path):
    path = tmp_path / "a.safetensors"
    sl.save({"a": sl.ones((2, 3)), "b": sl.zeros((1,))}, path, metadata={"k": "v"})
    with io.SafetensorsFile(path) as file:
        assert list(file) == ["a", "b"] and len(file) == 2 and "a" in file
        assert file.infos()[0] == ("a", "F32", (2, 3), 24)
        assert file.metadata() == {"k": "v"}
        assert file["a"].shape == (2, 3)
        with pytest.raises(KeyError):
            file["c"]
    with pytest.raises(ValueError, match="closed"):
        file["a"]
    assert io.safe_open(path).get_tensor("b").shape == (1,)


def test_files_that_are_not_there(tmp_path):
    for name in ("a.safetensors", "a.npz", "a.npy", "a.safetensors.index.json"):
        with pytest.raises(FileNotFoundError, match="a."):
            sl.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        sl.save({"a": sl.ones((1,))}, tmp_path / "none" / "a.safetensors")
    with pytest.raises(OSError):
        sl.load(tmp_path.parent.joinpath(tmp_path.name, "..", ".npy"))
    os.mkdir(tmp_path / "folder.npy")
    with pytest.raises(OSError):
        sl.load(tmp_path / "folder.npy")


def header(text, rest=b""):
    return struct.pack("<Q", len(text)) + text + rest


def entry(**changes):
    good = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    return json.dumps({"a": {**good, **changes}}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04\x95",  # the beginning of a pickle
        b"PK\x03\x04" + b"\0" * 40,
        header(b"{"),
        header(b"[]"),
        header(b"\xff\xfe{}"),
        struct.pack("<Q", 2**60) + b"{}",
        header(entry()),
        header(entry(), b"\0" * 7),
        header(entry(shape=[3]), b"\0" * 8),
        header(entry(shape=[-2]), b"\0" * 8),
        header(entry(shape=[2**62, 4]), b"\0" * 8),
        header(entry(data_offsets=[8, 0]), b"\0" * 8),
        header(entry(data_offsets=[0, 2**63]), b"\0" * 8),
        header(entry(dtype=3), b"\0" * 8),
        header(b'{"a": 3}'),
    ],
)
def test_files_that_are_not_safetensors(tmp_path, content):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="bad.safetensors"):
        sl.load(path)


def test_files_that_are_not_numpys(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(100))
    whole = (tmp_path / "a.npy").read_bytes()
    for content in (b"", b"nonsense", whole[:40], whole[:-3]):
        (tmp_path / "bad.npy").write_bytes(content)
        with pytest.raises(ValueError, match="bad.npy"):
            sl.load(tmp_path / "bad.npy")
    np.save(tmp_path / "o.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(ValueError, match="o.npy"):
        sl.load(tmp_path / "o.npy")
    np.savez(tmp_path / "a.npz", x=np.arange(9))
    whole = (tmp_path / "a.npz").read_bytes()
    for content in (b"", whole[:50], whole[:-30]):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(ValueError, match="bad.npz"):
            sl.load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sl.save({}, "a.xyz"), ValueError, "format"),
        (lambda: sl.load("a.pkl"), ValueError, "format"),
        (lambda: sl.load(3), TypeError, "PathLike"),
        (lambda: sl.save(3, "a.safetensors"), TypeError, "state_dict"),
        (lambda: sl.save({"a": object()}, "a.npz"), TypeError, "a"),
        (lambda: sl.save({}, "a.npz", metadata={}), ValueError, "metadata"),
        (lambda: sl.save({}, "a.safetensors", max_shard_bytes=3), ValueError, "json"),
        (lambda: sl.load("a\0b.npy"), ValueError, "zero byte|null"),
    ],
)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_load_into():
    w, b = leaf([1.0, 2.0]), leaf([3.0])
    file = {"module.w": sl.tensor([5.0, 6.0]), "module.bias": sl.tensor([7.0])}
    report = io.load_into(
        {"w": w, "b": b},
        file,
        rename={"module.bias": "b"},
        prefixes={"module.": ""},
    )
    assert report.clean and array(w).tolist() == [5, 6] and array(b).tolist() == [7]
    with pytest.raises(ValueError, match="extra"):
        io.load_into({"w": w}, {"w": sl.tensor([1.0]), "extra": sl.tensor([1.0])})
    report = io.load_into(
        {"w": w, "b": b}, {"w": sl.tensor([1.0, 1.0]), "x": b}, strict=False
    )
    assert [row[0] for row in report.missing] == ["b"]
    assert [row[0] for row in report.extra] == ["x"] and report.fitting == 1
    assert array(w).tolist() == [1, 1] and "b" in report.table()


# ---- Checkpoints ----


class Run:
    """A small training run with random numbers and shuffled data."""

    def __init__(self):
        sl.manual_seed(3)
        self.w = leaf([[0.5], [-0.25]])
        self.optimizer = optim.Adam([("w", self.w)], lr=0.1)
        self.schedule = optim.lr_scheduler.StepLR(self.optimizer, 3, 0.5)
        rng = np.random.default_rng(0)
        x = rng.normal(size=(20, 2)).astype(np.float32)
        self.loader = data.DataLoader(
            data.TensorDataset(x), batch_size=3, shuffle=True, num_workers=1, seed=1
        )

    def parts(self):
        return {
            "optimizer": self.optimizer,
            "schedule": self.schedule,
            "loader": self.loader,
        }

    def model(self):
        return {"w": self.w.detach()}

    def losses(self):
        """One loss after another, without an end."""
        while True:
            for (x,) in self.loader:
                loss = (((x + sl.randn(*x.shape)) @ self.w) ** 2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.schedule.step()
                yield float(loss)


@pytest.mark.parametrize("background", [False, True])
def test_a_run_goes_on_bit_for_bit(tmp_path, background):
    first = Run()
    losses = first.losses()
    list(itertools.islice(losses, 10))
    manager = io.CheckpointManager(tmp_path, background=background)
    manager.save(10, model=first.model(), metrics={"loss": 0.5}, **first.parts())
    wanted = list(itertools.islice(losses, 12))
    manager.wait()

    second = Run()
    found = io.CheckpointManager(tmp_path).restore(**second.parts())
    assert found.step == 10 and found.metrics == {"loss": 0.5}
    io.load_into({"w": second.w}, found["model"])
    assert list(itertools.islice(second.losses(), 12)) == wanted
    np.testing.assert_array_equal(array(first.w), array(second.w))


def test_old_checkpoints_go_and_the_best_stays(tmp_path):
    manager = io.CheckpointManager(tmp_path, 2, "accuracy", "max", background=False)
    for step, accuracy in enumerate([0.1, 0.9, 0.2, 0.3, 0.4]):
        manager.save(step, metrics={"accuracy": accuracy}, w={"x": sl.ones((1,))})
    assert manager.steps() == [1, 3, 4] and manager.best_step() == 1
    assert manager.load().step == 4 and manager.load(3).step == 3
    assert str(tmp_path) == manager.folder
    assert io.CheckpointManager(tmp_path / "empty").load() is None


def test_one_call(tmp_path):
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=0.25, momentum=0.9)
    p.grad = sl.tensor([1.0])
    optimizer.step()
    extra = {"note": "x", "list": [1, 2.5, None]}
    io.save_checkpoint(tmp_path, step=7, optimizer=optimizer, extra=extra, skip=None)
    other = optim.SGD([leaf([1.0])], momentum=0.9)
    found = io.load_checkpoint(tmp_path, optimizer=other)
    assert found.step == 7 and found.extra == extra and found.parts() == ["optimizer"]
    assert other.param_groups[0]["lr"] == 0.25
    with pytest.raises(KeyError, match="model"):
        found["model"]
    with pytest.raises(KeyError, match="model"):
        io.load_checkpoint(tmp_path, model=other)


def test_damaged_checkpoints_are_passed_over(tmp_path):
    manager = io.CheckpointManager(tmp_path, background=False)
    for step in (1, 2):
        manager.save(step, w={"x": sl.ones((4,))})
    damaged = next(tmp_path.glob("step_*2/w.safetensors"))
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + b"\x7f")
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert manager.load().step == 1
    next(tmp_path.glob("step_*1/manifest.json")).write_text("{}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError):
            manager.load()


def test_bad_checkpoints(tmp_path):
    with pytest.raises(FileNotFoundError):
        io.load_checkpoint(tmp_path / "none")
    manager = io.CheckpointManager(tmp_path)
    with pytest.raises(TypeError, match="model"):
        manager.save(1, model=3)
    with pytest.raises(TypeError, match="JSON"):
        manager.save(1, model={"x": object()})
    with pytest.raises(ValueError, match="step"):
        manager.save(-1)
    with pytest.raises(ValueError):
        manager.save(1, **{"../up": {"x": sl.ones((1,))}})
    with pytest.raises(ValueError, match="min"):
        io.CheckpointManager(tmp_path, best="most")
    (tmp_path / "file").write_text("")
    broken = io.CheckpointManager(tmp_path / "file" / "below")
    broken.save(1, w={"x": sl.ones((1,))})
    with pytest.raises(OSError):
        broken.wait()
