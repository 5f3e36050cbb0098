"""Numbers that a loop or branch makes something else, and tensors moved nowhere."""

import pytest

import sluice as sl


def same(f, *args):
    want, made = f(*args), sl.function(f)
    for _ in range(2):
        got = made(*args)
        assert type(got) is type(want)
        assert sl.equal(got, want) if isinstance(want, sl.Tensor) else got == want
    return made


def summed(x):
    t = 0
    for v in x:
        t = t + v
    return t


def summed_floats(x):
    t = 0
    for v in x:
        t = t + float(v)
    return t


def doubled(x):
    t = 0
    for v in x:
        t = t + v
    return t * 2


def halved(x):
    t, left = 1, x.sum()
    while left > 1:
        t = t * left
        left = left / 2
    return t


@pytest.mark.parametrize("f", [summed, summed_floats, doubled, halved])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_number_stays_one_where_no_iteration_runs(f, rows):
    same(f, sl.ones(rows))


def test_one_trace_serves_no_rows_and_some():
    f = sl.function(summed)
    assert f(sl.ones(3)) == 3
    assert type(f(sl.ones(0))) is int
    assert f(sl.ones(2)) == 2
    assert len(f.traces()) == 1


def test_a_counter_of_a_loop_needs_no_iteration():
    @sl.function
    def count(x):
        n = 0
        for v in x:
            if v > 0:
                n += 1
        return n

    assert [count(sl.ones(rows)) for rows in (0, 2)] == [0, 2]
    assert len(count.traces()) == 1


def of_two_classes(x):
    return (1 if x.sum() > 1 else 0.5) * 2


def of_one_way(x):
    t = 0
    if x.sum() > 1:
        t = x.sum()
    return t + 1


@pytest.mark.parametrize("f", [of_two_classes, of_one_way])
@pytest.mark.parametrize("rows", [1, 3])
def test_arithmetic_keeps_the_class_of_the_way_taken(f, rows):
    same(f, sl.ones(rows))


def test_beside_a_tensor_of_floats_either_class_is_one_graph():
    @sl.function
    def scaled(x):
        return x * (1 if x.sum() > 1 else 0.5)

    assert [scaled(sl.ones(n)).sum().item() for n in (1, 3)] == [0.5, 3.0]
    assert len(scaled.traces()) == 1


def test_a_tensor_that_is_there_is_moved_nowhere():
    def there(x):
        y = x * 2
        return x.to("cpu") is x, x.cpu() is x, x.to(x) is x, y.to("cpu") is y

    x = sl.ones(2)
    assert sl.function(there)(x) == there(x) == (True, True, True, True)


def test_a_tensor_that_is_elsewhere_is_moved():
    sl.devices.add_cpus(2)

    def moved(x):
        with sl.device("cpu:1"):
            y = sl.ones(2)
        z = y.to("cpu")
        return z is y, x.to("cpu:1") is x, y.to("cpu:1") is y, z + x

    x = sl.ones(2)
    want, got = moved(x), sl.function(moved)(x)
    assert got[:3] == want[:3]
    assert got[3].device == want[3].device
