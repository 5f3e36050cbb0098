"""Circles through C++ objects are garbage as any other: what belongs to a dataset
or a captured function, and is called by it, goes when nobody else sees it."""

import gc
import threading
import weakref

import pytest

import sluice as sl
from sluice import data, nn


class Owner:
    """An object whose pipeline calls its methods."""

    def twice(self, x):
        return x * 2

    def wanted(self, x):
        return True

    def numbers(self):
        yield from (sl.tensor(float(i)) for i in range(5))


PIPELINES = {
    "map": lambda o: data.range(10).map(o.twice),
    "map on threads": lambda o: data.range(10).map(o.twice, threads=2),
    "filter": lambda o: data.range(10).filter(o.wanted).batch(2),
    "generator": lambda o: data.from_generator(o.numbers),
    "zip": lambda o: data.range(9).map(o.twice).zip(data.range(9).filter(o.wanted)),
    "concat": lambda o: data.range(3).concat(data.range(4).map(o.twice)),
    "long": lambda o: data.range(9).map(o.twice).shuffle(3).batch(2).prefetch(2),
}


def gone(reference):
    gc.collect()
    return reference() is None


@pytest.mark.parametrize("kind", PIPELINES)
def test_a_pipeline_that_calls_its_owner(kind):
    owner = Owner()
    owner.pipeline = PIPELINES[kind](owner)
    assert len(list(owner.pipeline)) > 0
    seen = weakref.ref(owner)
    del owner
    assert gone(seen)


@pytest.mark.parametrize("kind", PIPELINES)
def test_a_pass_in_the_middle_whose_owner_goes(kind):
    threads = threading.active_count()
    owner = Owner()
    owner.pipeline = PIPELINES[kind](owner)
    owner.position = owner.pipeline.iterator()
    next(owner.position)
    seen = weakref.ref(owner)
    del owner
    assert gone(seen)
    assert threading.active_count() == threads


def test_a_generator_half_way_through_goes_on_for_who_reads_it():
    closed = []

    def numbers():
        try:
            yield from (sl.tensor(float(i)) for i in range(5))
        finally:
            closed.append(True)

    pipeline = data.from_generator(numbers)
    first, second = pipeline.iterator(), pipeline.batch(2).iterator()
    assert next(first).item() == 0
    assert next(second).numpy().tolist() == [0, 1]
    del pipeline
    gc.collect()
    assert [x.item() for x in first] == [1, 2, 3, 4]
    assert next(second).numpy().tolist() == [2, 3]
    del first, second
    gc.collect()
    assert closed == [True, True]


def test_who_still_reads_a_pipeline_keeps_what_it_calls():
    owner = Owner()
    owner.pipeline = data.range(10).map(owner.twice)
    batches = owner.pipeline.batch(2)
    position = owner.pipeline.iterator()
    seen = weakref.ref(owner)
    del owner
    gc.collect()
    assert seen() is not None
    assert next(position).item() == 0
    assert [b.numpy().tolist() for b in batches][-1] == [16, 18]
    del position, batches
    assert gone(seen)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.optimizer = sl.optim.SGD(self.layer.parameters(), lr=0.1)
        self.step = sl.function(self.run)

    def run(self, x):
        loss = self.layer(x).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    @sl.function
    def method(self, x):
        return self.layer(x)


def test_a_module_in_its_own_captured_function():
    net = Net()
    for _ in range(3):
        net.step(sl.ones(1, 2))
        net.method(sl.ones(1, 2))
    seen = weakref.ref(net)
    del net
    assert gone(seen)


def test_a_module_in_a_function_it_keeps():
    net = nn.Linear(2, 2)
    step = sl.function(lambda x: net(x).sum())
    step(sl.ones(1, 2))
    net.step = step
    seen = weakref.ref(net)
    del net, step
    assert gone(seen)


class Trains:
    def __init__(self):
        self.weight = sl.ones(2, requires_grad=True)
        self.optimizer = sl.optim.SGD([self.weight], lr=0.1)
        self.schedule = sl.optim.lr_scheduler.LambdaLR(self.optimizer, self.rate)
        self.net = nn.Linear(2, 2)
        self.net.register_forward_hook(self.hook)

    def rate(self, epoch):
        return 1.0

    def hook(self, *_):
        return None


def test_schedules_and_hooks_that_call_their_owner():
    it = Trains()
    it.schedule.step()
    it.net(sl.ones(1, 2))
    seen = weakref.ref(it)
    del it
    assert gone(seen)
