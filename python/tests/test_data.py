"""Datasets, samplers, loaders and the C++ pipeline."""

import collections
import gc
import gzip
import json
import struct
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest

import sluice as sl
from sluice import data


class Squares(data.Dataset):
    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        if not 0 <= index < self.size:
            raise IndexError(index)
        return {"x": np.full(2, index, np.float32), "y": index * index}

    def __len__(self):
        return self.size


class Counter(data.IterableDataset):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        return iter(range(self.size))


def numbers(batch):
    return np.asarray(batch).tolist()


def rows(loader):
    return [numbers(batch["y"]) for batch in loader]


def data_threads():
    return [t for t in threading.enumerate() if t.name.startswith("sluice-data")]


# ---- Datasets and samplers ----


def test_datasets():
    tensors = data.TensorDataset(sl.tensor([[1, 2], [3, 4]]), np.array([5, 6]))
    assert len(tensors) == 2
    x, y = tensors[1]
    assert numbers(x) == [3, 4] and int(y) == 6
    part = data.Subset(Squares(10), [7, 1])
    assert len(part) == 2 and part[1]["y"] == 1
    both = Squares(3) + Squares(2)
    assert len(both) == 5 and both[3]["y"] == 0 and both[-1]["y"] == 1
    with pytest.raises(IndexError):
        both[5]
    with pytest.raises(ValueError, match="axis 0"):
        data.TensorDataset(sl.zeros((2,)), sl.zeros((3,)))
    with pytest.raises(TypeError, match="no numbers"):
        data.ConcatDataset([Counter(3)])


@pytest.mark.parametrize("lengths", [[6, 4], [0.6, 0.4], [0.65, 0.35]])
def test_random_split(lengths):
    a, b = data.random_split(Squares(10), lengths, seed=3)
    assert len(a) + len(b) == 10 and abs(len(a) - 6) <= 1
    assert sorted([*a.indices, *b.indices]) == list(range(10))
    again, _ = data.random_split(Squares(10), lengths, seed=3)
    assert again.indices == a.indices
    other, _ = data.random_split(Squares(10), lengths, seed=4)
    assert other.indices != a.indices
    with pytest.raises(ValueError, match="add up to 10"):
        data.random_split(Squares(10), [5, 4])


def test_samplers():
    sampler = data.RandomSampler(Squares(20), seed=1)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == list(range(20)) and first != second
    sampler.set_epoch(0)
    assert list(sampler) == first and len(sampler) == 20
    many = list(data.RandomSampler(Squares(3), num_samples=7))
    assert len(many) == 7 and sorted(many[:3]) == [0, 1, 2]
    drawn = list(data.RandomSampler(Squares(3), replacement=True, num_samples=50))
    assert set(drawn) == {0, 1, 2}
    assert list(data.SequentialSampler(Squares(3))) == [0, 1, 2]
    assert sorted(data.SubsetRandomSampler([4, 7, 9])) == [4, 7, 9]
    batches = data.BatchSampler(range(5), 2)
    assert list(batches) == [[0, 1], [2, 3], [4]] and len(batches) == 3
    assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="batch_size"):
        data.BatchSampler(range(5), 0)


def test_weighted_samplers():
    drawn = list(data.WeightedRandomSampler([0, 1, 3], 4000, seed=5))
    counts = collections.Counter(drawn)
    assert counts[0] == 0 and 2800 < counts[2] < 3200
    once = list(data.WeightedRandomSampler([1, 0, 5, 2], 3, replacement=False))
    assert sorted(once) == [0, 2, 3]
    with pytest.raises(ValueError, match="above 0"):
        data.WeightedRandomSampler([1, 0], 2, replacement=False)
    with pytest.raises(ValueError, match="weight"):
        list(data.WeightedRandomSampler([1, -1], 2))


def test_collate():
    Point = collections.namedtuple("Point", "x y")
    batch = data.default_collate(
        [
            (1, 2.5, np.ones(2, np.float32), "a", Point(1, [True]), sl.ones((3,))),
            (2, 3.5, np.zeros(2, np.float32), "b", Point(2, [False]), sl.zeros((3,))),
        ]
    )
    ints, floats, arrays, texts, point, tensors = batch
    assert ints.dtype == sl.int64 and numbers(ints) == [1, 2]
    assert floats.dtype == sl.float32 and numbers(floats) == [2.5, 3.5]
    assert arrays.shape == (2, 2) and tensors.shape == (2, 3)
    assert texts == ["a", "b"] and isinstance(point, Point)
    assert numbers(point.y[0]) == [True, False]
    weights = sl.ones((2,), requires_grad=True)
    data.default_collate([weights, weights * 2]).sum().backward()
    assert numbers(weights.grad) == [3, 3]
    with pytest.raises(ValueError, match="f32"):
        data.default_collate([np.ones(2, np.float32), np.ones(3, np.float32)])
    with pytest.raises(TypeError, match="object"):
        data.default_collate([object()])
    with pytest.raises(ValueError, match="parts"):
        data.default_collate([(1, 2), (1,)])


# ---- Loaders ----


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_order_does_not_depend_on_workers(workers):
    loader = data.DataLoader(
        Squares(23), batch_size=4, shuffle=True, num_workers=workers, seed=9
    )
    plain = data.DataLoader(Squares(23), batch_size=4, shuffle=True, seed=9)
    assert len(loader) == 6
    first = rows(loader)
    assert first == rows(plain) and len(first) == 6
    assert rows(loader) == rows(plain) != first
    assert sorted(sum(first, [])) == [i * i for i in range(23)]


def test_kinds_of_batches():
    assert rows(data.DataLoader(Squares(5), 2, drop_last=True)) == [[0, 1], [4, 9]]
    assert len(data.DataLoader(Squares(5), 2, drop_last=True)) == 2
    single = list(data.DataLoader(Squares(3), batch_size=None))
    assert [e["y"] for e in single] == [0, 1, 4]
    by_sampler = data.DataLoader(Squares(9), 2, sampler=[5, 3, 1])
    assert rows(by_sampler) == [[25, 9], [1]]
    by_batches = data.DataLoader(Squares(9), batch_sampler=[[5], [1, 2]])
    assert rows(by_batches) == [[25], [1, 4]] and len(by_batches) == 2
    own = data.DataLoader(Squares(4), 2, collate_fn=lambda es: [e["y"] for e in es])
    assert list(own) == [[0, 1], [4, 9]]
    tensors = data.TensorDataset(sl.tensor([[1.0], [2.0], [3.0]]), sl.tensor([7, 8, 9]))
    x, y = next(iter(data.DataLoader(data.Subset(tensors, [2, 0]), 2)))
    assert numbers(x) == [[3.0], [1.0]] and numbers(y) == [9, 7]

    class Many(Squares):
        def __getitems__(self, indices):
            return [-i for i in indices]

    assert numbers(next(iter(data.DataLoader(Many(4), 3)))) == [0, -1, -2]


@pytest.mark.parametrize("workers", [0, 2])
def test_iterable_datasets(workers):
    loader = data.DataLoader(Counter(7), batch_size=3, num_workers=workers)
    assert [numbers(b) for b in loader] == [[0, 1, 2], [3, 4, 5], [6]]
    with pytest.raises(TypeError):
        len(loader)
    assert data.get_worker_info() is None


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", ["map", "iterable", "tensors", "pipeline"])
def test_resumes_in_the_middle_of_a_pass(workers, kind):
    def make(n):
        values = np.arange(20, dtype=np.int64)
        dataset = {
            "map": list(range(20)),
            "iterable": Counter(20),
            "tensors": data.TensorDataset(values),
            "pipeline": data.from_tensors(values),
        }[kind]
        shuffle = kind != "iterable"
        return data.DataLoader(dataset, 3, shuffle=shuffle, num_workers=n, seed=4)

    def seen(batches):
        return [numbers(b[0] if isinstance(b, tuple) else b) for b in batches]

    whole = make(workers)
    passes = [seen(whole) for _ in range(3)]
    loader = make(workers)
    seen(loader)
    batches = iter(loader)
    assert seen([next(batches), next(batches)]) == passes[1][:2]
    state = json.loads(json.dumps(loader.state_dict()))
    del batches
    other = make(2 - workers)
    other.load_state_dict(state)
    assert other.epoch == 1
    assert seen(other) == passes[1][2:]
    assert other.state_dict()["epoch"] == 2
    assert seen(other) == passes[2]


def test_a_loop_left_early_is_not_gone_on_with():
    loader = data.DataLoader(Squares(12), 3, shuffle=True, seed=1)
    passes = [rows(loader), rows(loader)]
    loader.set_epoch(0)
    for _ in loader:
        break
    assert rows(loader) == passes[1]


def test_states_of_other_loaders_are_refused():
    loader = data.DataLoader(Squares(12), 3)
    with pytest.raises(ValueError, match="another loader"):
        loader.load_state_dict(data.DataLoader(Squares(12), 4).state_dict())
    for bad in ({}, {"epoch": "x", "taken": 0, "settings": {}}, {"epoch": -1}):
        with pytest.raises(ValueError, match="no state"):
            loader.load_state_dict(bad)


class Broken(Squares):
    def __getitem__(self, index):
        if index == 5:
            raise KeyError("the fifth")
        return super().__getitem__(index)


@pytest.mark.parametrize("workers", [0, 2])
def test_exceptions_come_out_as_they_were_raised(workers):
    loader = data.DataLoader(Broken(20), 2, num_workers=workers)
    seen = []
    with pytest.raises(KeyError, match="the fifth") as caught:
        for batch in loader:
            seen.append(numbers(batch["y"]))
    assert seen == [[0, 1], [4, 9]]
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError("the fifth")' in text
    assert not data_threads()
    assert loader.state_dict()["taken"] == 2


def test_no_threads_are_left_behind():
    loader = data.DataLoader(Squares(1000), 2, num_workers=3)
    for _ in loader:
        assert len(data_threads()) == 3
        break
    gc.collect()
    assert not data_threads()
    for _ in loader:
        pass
    assert not data_threads()


def test_a_dataset_that_never_answers_does_not_hold_the_loop(monkeypatch):
    monkeypatch.setattr("sluice.data._workers._PATIENCE", 0.01)
    answer = threading.Event()

    class Stuck(data.IterableDataset):
        def __iter__(self):
            yield 1
            answer.wait()

    for batch in data.DataLoader(Stuck(), num_workers=1):
        assert numbers(batch) == [1]
        break
    gc.collect()
    left = data_threads()
    answer.set()
    for thread in left:
        thread.join()


def test_workers_that_cannot_begin():
    def init(worker):
        raise RuntimeError(f"worker {worker}")

    loader = data.DataLoader(Squares(9), num_workers=1, worker_init_fn=init)
    with pytest.raises(RuntimeError, match="worker 0"):
        list(loader)
    never = threading.Event()

    class Slow(Squares):
        def __getitem__(self, index):
            never.wait(5)
            return index

    slow = data.DataLoader(Slow(9), num_workers=1, timeout=0.01)
    threading.Timer(0.1, never.set).start()
    with pytest.raises(TimeoutError):
        next(iter(slow))


def test_a_program_that_ends_in_the_middle_of_a_pass_ends():
    code = """
import sluice as sl
from sluice import data
loader = iter(data.DataLoader(list(range(100)), 2, num_workers=2))
lines = data.range(1000).map(lambda x: x + 1, threads=2).prefetch(4)
mapped = iter(lines.filter(lambda x: True).prefetch(3))
print(next(loader).shape, int(next(mapped)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(2,) 1\n"
    assert "Error" not in done.stderr and "erminate" not in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"num_workers": -1},
        {"shuffle": True, "sampler": [1]},
        {"batch_sampler": [[1]], "batch_size": 2},
        {"batch_size": None, "drop_last": True},
        {"prefetch_factor": 0},
        {"timeout": -1},
        {"multiprocessing_context": "spawn"},
    ],
)
def test_bad_loaders(options):
    with pytest.raises(ValueError):
        data.DataLoader(Squares(4), **options)


def test_what_is_no_dataset():
    with pytest.raises(TypeError, match="int"):
        data.DataLoader(3)
    with pytest.raises(TypeError, match="seed"):
        data.DataLoader(Squares(3), generator="x")
    with pytest.raises(ValueError, match="without numbers"):
        data.DataLoader(Counter(3), shuffle=True)


# ---- The C++ pipeline ----


def test_stages():
    x = np.arange(10, dtype=np.float32)
    line = data.from_tensors(x, x * 2).map(lambda a, b: (a + b, b)).batch(4)
    batches = list(line)
    assert len(line) == 3 and len(batches) == 3
    assert numbers(batches[0][0]) == [0, 3, 6, 9] and batches[2][1].shape == (2,)
    assert [int(t) for t in data.range(2, 9, 3)] == [2, 5, 8]
    even = data.range(6).filter(lambda t: int(t) % 2 == 0)
    assert [int(t) for t in even] == [0, 2, 4]
    with pytest.raises(TypeError, match="not known"):
        len(even)
    assert [int(t) for t in data.range(6).skip(1).take(2)] == [1, 2]
    assert [int(t) for t in data.range(6).shard(1, 3)] == [1, 4]
    assert [int(t) for t in data.range(2).repeat(2).concat(data.range(1))] == [
        0,
        1,
        0,
        1,
        0,
    ]
    pairs = data.range(3).zip(data.range(5, 9))
    assert [(int(a), int(b)) for a, b in pairs] == [(0, 5), (1, 6), (2, 7)]
    uneven = data.from_generator(lambda: ([1] * n for n in (1, 3)))
    assert numbers(next(iter(uneven.padded_batch(2, [-1])))) == [[1, -1, -1], [1, 1, 1]]
    assert "shuffle(5, seed 7)" in repr(data.range(5).shuffle(5, 7))


def test_passes_are_shuffled_in_their_own_way():
    line = data.range(20).shuffle(20, seed=3).batch(5).prefetch(2)
    first, second = ([numbers(b) for b in line] for _ in range(2))
    assert first != second
    assert [numbers(b) for b in line.iterator(0)] == first


def test_threads_and_captured_functions_change_nothing():
    def noisy(random, t):
        return t * 10 + random.below(10)

    lines = [
        data.range(50).map(noisy, threads=n, random=True, seed=1) for n in (0, 3)
    ]
    assert [int(t) for t in lines[0]] == [int(t) for t in lines[1]]
    if hasattr(sl, "function"):
        double = sl.function(lambda t: t * 2)
        assert [int(t) for t in data.range(3).map(double)] == [0, 2, 4]


def test_positions():
    line = data.range(30).shuffle(30, seed=3).map(lambda t: t + 1, threads=2).batch(4)
    whole = [numbers(b) for b in line.iterator(2)]
    it = line.iterator(2)
    next(it)
    next(it)
    state = it.state()
    assert json.loads(state)["taken"] == 2 and it.epoch == 2 and it.taken == 2
    other = line.iterator()
    other.restore(state)
    assert [numbers(b) for b in other] == whole[2:]
    with pytest.raises(ValueError, match="another pipeline"):
        data.range(3).iterator().restore(state)
    with pytest.raises(ValueError):
        other.restore("nonsense")


@pytest.mark.parametrize("threads", [0, 2])
def test_exceptions_of_functions_come_out(threads):
    class Mine(Exception):
        pass

    def third(t):
        if int(t) == 2:
            raise Mine("the third")
        return t

    line = data.range(9).map(third, threads=threads).batch(1).prefetch(1)
    it = iter(line)
    assert numbers(next(it)) == [0]
    next(it)
    for _ in range(2):
        with pytest.raises(Mine, match="the third") as caught:
            next(it)
    assert "in third" in "".join(traceback.format_exception(caught.value))
    with pytest.raises(Mine):
        list(data.range(3).zip(data.range(9).map(third)))
    with pytest.raises(TypeError, match="returned"):
        list(data.range(3).map(lambda t: object()))

    def early(t):
        raise StopIteration

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(data.range(3).map(early))

    def broken():
        yield sl.tensor(1)
        raise Mine("in the generator")

    with pytest.raises(Mine, match="in the generator"):
        list(data.from_generator(broken))


def test_readers(tmp_path):
    text = tmp_path / "a.csv"
    text.write_text("x,y,kind\n1,2,cat\n3,,dog\n")
    line = data.csv(text, ["x", "y"], ("kind", sl.string), header=True, missing=-1)
    values, kinds = zip(*line)
    assert [numbers(v) for v in values] == [[1, 2], [3, -1]]
    with pytest.raises(ValueError, match="line 3"):
        data.csv(text, "y", header=True)
    with pytest.raises(FileNotFoundError):
        data.csv(tmp_path / "none.csv", 0)
    assert len(list(data.text_lines(text, skip=1))) == 2
    with gzip.open(tmp_path / "b.txt.gz", "wt") as file:
        file.write("one\ntwo\n")
    assert len(list(data.text_lines([str(tmp_path / "b.txt.gz")]))) == 2
    np.save(tmp_path / "x.npy", np.arange(3))
    np.savez(tmp_path / "x.npz", a=np.arange(3), b=np.arange(3) * 2)
    assert [int(t) for t in data.npy(tmp_path / "x.npy")] == [0, 1, 2]
    assert [int(b) for a, b in data.npz(tmp_path / "x.npz", "a", "b")] == [0, 2, 4]
    (tmp_path / "x.idx").write_bytes(struct.pack(">HBBI2B", 0, 8, 1, 2, 7, 9))
    assert [int(t) for t in data.idx(tmp_path / "x.idx")] == [7, 9]


def test_records(tmp_path):
    path = tmp_path / "a.tfrecord"
    with data.TFRecordWriter(path) as out:
        for i in range(3):
            x = np.array([i, i + 0.5], np.float32)
            out.write(data.make_example({"x": x, "n": sl.tensor([i])}))
    assert len(list(data.tfrecord(path))) == 3
    features = [data.Feature("x", shape=[2]), data.Feature("n", sl.int64)]
    read = [(numbers(x), int(n)) for x, n in data.examples(path, features)]
    assert read == [([0, 0.5], 0), ([1, 1.5], 1), ([2, 2.5], 2)]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError):
        list(data.tfrecord(path))


def test_mnist():
    images, labels = next(iter(data.mnist("test").batch(8)))
    assert images.shape == (8, 784) and labels.shape == (8,)
    assert float(sl.max(images)) <= 1
    loader = data.DataLoader(data.mnist("test", flat=False), 4, num_workers=2)
    images, labels = next(iter(loader))
    assert images.shape == (4, 1, 28, 28)
    with pytest.raises(FileNotFoundError):
        data.mnist("test", dir="/nowhere")
    with pytest.raises(ValueError, match="split"):
        data.mnist("middle")


def test_bad_stages():
    line = data.range(4)
    for bad in (
        lambda: line.batch(0),
        lambda: line.shuffle(0),
        lambda: line.shard(3, 2),
        lambda: line.prefetch(0),
        lambda: line.map(lambda t: t, threads=-1),
        lambda: data.range(0, 3, 0),
        lambda: data.from_tensors(sl.zeros((2,)), sl.zeros((3,))),
    ):
        with pytest.raises((ValueError, IndexError)):
            bad()
    with pytest.raises(TypeError):
        line.map(3)
