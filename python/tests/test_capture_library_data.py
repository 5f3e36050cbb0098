"""Datasets, samplers and loaders in captured functions: elements are read as they are
in each call, and passes are made outside."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl
from sluice import data


class Squares(data.Dataset):
    def __init__(self):
        self.factor = 1.0

    def __getitem__(self, i):
        return sl.tensor(float(i * i)) * self.factor

    def __len__(self):
        return 4


def rows():
    return data.TensorDataset(sl.arange(8.0))


SOURCES = {
    "loader": lambda: data.DataLoader(rows(), 2, shuffle=True, seed=3),
    "loader of functions": lambda: data.DataLoader(
        Squares(), 2, collate_fn=lambda e: sl.stack(e)
    ),
    "loader with threads": lambda: data.DataLoader(rows(), 2, num_workers=1),
    "random": lambda: data.RandomSampler(rows(), seed=3),
    "weighted": lambda: data.WeightedRandomSampler([1.0, 2.0, 3.0], 3, seed=3),
    "subset": lambda: data.SubsetRandomSampler([1, 2, 3], seed=3),
    "in order": lambda: data.SequentialSampler(rows()),
    "batches": lambda: data.BatchSampler(data.RandomSampler(rows(), seed=3), 2),
    "distributed": lambda: data.DistributedSampler(rows(), 2, 0),
    "pipeline": lambda: data.from_tensors(sl.arange(8.0)).shuffle(8, 3),
    "loader of a pipeline": lambda: data.DataLoader(
        data.from_tensors(sl.arange(8.0)), 2, shuffle=True
    ),
}


def passed(source):
    def plain(value):
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        return value.tolist() if isinstance(value, sl.Tensor) else value

    return [plain(value) for value in source]


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_passes_are_refused_and_not_begun(make):
    source, other = make(), make()

    def loop(x):
        for value in source:
            x = x + 1
        return x

    def one(x):
        next(iter(source))
        return x

    def listed(x):
        return x * len(list(source))

    for code in (loop, one, listed):
        with pytest.raises(TypeError, match=r"library_data.py:\d+.*outside, and give"):
            sl.function(code)(sl.tensor(1.0))
    for _ in range(3):
        assert passed(source) == passed(other)


def test_a_pass_that_was_begun_outside_is_refused():
    batches = iter(data.DataLoader(rows(), 2))

    @sl.function
    def step(x):
        return x + next(batches)[0].sum()

    with pytest.raises(TypeError, match=r"library_data.py:\d+"):
        step(sl.tensor(1.0))
    assert next(batches)[0].tolist() == [0.0, 1.0]


def test_where_a_loader_stands():
    def program(wrap):
        loader = data.DataLoader(rows(), 2)

        @wrap
        def step(x):
            return x * loader.epoch, str(loader.state_dict()), len(loader)

        found = []
        for _ in range(5):
            y, *rest = step(sl.tensor(1.0))
            found.append((y.item(), rest, len(passed(loader))))
        return found

    both(program)


def test_a_place_in_the_data_is_set_outside():
    loader = data.DataLoader(rows(), 2)
    sampler = data.RandomSampler(rows())
    for code in (lambda x: loader.set_epoch(3), lambda x: sampler.set_epoch(3)):
        with pytest.raises(TypeError, match=r"library_data.py:\d+.*next pass begins"):
            sl.function(code)(sl.tensor(1.0))
    assert loader.epoch == 0 and sampler.epoch == 0


def test_elements_of_datasets():
    def program(wrap):
        first, squares = rows(), Squares()
        part = data.Subset(squares, [3, 1])
        both_ = data.ConcatDataset([first, part])

        @wrap
        def step(x):
            y = first[2][0] + first.batch([1, 3])[0].sum()
            z = part[0] + both_[8] + both_[9] + both_[0][0]
            return x * y, x * z, len(first), len(part)

        found = []
        for k in range(5):
            found.append([v if isinstance(v, int) else v.item()
                          for v in step(sl.tensor(1.0))])  # fmt: skip
            if k == 0:
                first.tensors = (sl.arange(8.0) * 2,)
            elif k == 1:
                squares.factor = 3.0
            elif k == 2:
                part.indices = [1, 2, 3]
            else:
                part.indices[0] = 2
        return found

    both(program)
