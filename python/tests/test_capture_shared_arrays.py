"""Arrays of numpy's that share memory with a tensor: captured code that writes the
tensor, when its graph runs, cannot read the array, which Python does before."""

import numpy as np
import pytest

import sluice as sl
from sluice._convert import do_not_convert


class Holder:
    array = None


def as_it_is(t, array):
    return lambda x: (t.add_(x), float(array[0]))[1]


def in_a_helper(t, array):
    def look():
        return array.sum()

    def step(x):
        t.add_(x)
        return look()

    return step


def in_an_attribute(t, array):
    holder = Holder()
    holder.array = array

    def step(x):
        t.add_(x)
        return sum(holder.array.tolist())

    return step


def in_a_list(t, array):
    held = [array]

    def step(x):
        t.add_(x)
        return x + held[0]

    return step


def as_a_tensor(t, array):
    def step(x):
        t[1] = 5.0
        return sl.tensor(array) + x

    return step


def the_other_way_round(t, array):
    backwards = array[::-1]

    def step(x):
        t[:1].mul_(3.0)
        return x * backwards[0]

    return step


def read_before(t, array):
    def step(x):
        seen = array.copy()
        t.add_(x)
        return x + seen

    return step


PROGRAMS = [as_it_is, in_a_helper, in_an_attribute, in_a_list, as_a_tensor,
            the_other_way_round, read_before]


@pytest.mark.parametrize("theirs", [False, True], ids=["numpy()", "from_numpy"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_an_array_over_what_is_written_is_refused(program, theirs):
    array = np.ones(3, np.float32)
    t = sl.from_numpy(array) if theirs else sl.ones(3)
    array = array if theirs else t.numpy()
    step = sl.function(program(t, array))
    with pytest.raises(Exception, match="shares memory with f32\\[3\\]"):
        step(sl.ones(3))
    assert array.tolist() == [1.0, 1.0, 1.0]


def test_an_array_beside_what_is_written_is_read():
    memory = np.zeros(6, np.float32)
    t, array = sl.from_numpy(memory[:3]), memory[3:]

    @sl.function
    def step(x):
        t.add_(x)
        return x + array

    for k in range(3):
        array[:] = k
        assert step(sl.ones(3)).tolist() == [k + 1.0] * 3
    assert memory.tolist() == [3.0] * 3 + [2.0] * 3


def test_what_came_from_an_array_is_trained():
    weights = np.ones(3, np.float32)
    w = sl.nn.Parameter(sl.from_numpy(weights))
    opt = sl.optim.SGD([w], lr=0.5)

    @sl.function
    def step(x):
        opt.zero_grad()
        (w * x).sum().backward()
        opt.step()

    step(sl.ones(3))
    step(sl.ones(3))
    assert w.tolist() == [0.0, 0.0, 0.0]


def test_a_write_to_an_array_over_what_is_read_is_refused():
    array = np.ones(2, np.float32)
    w = sl.from_numpy(array)

    @sl.function
    def step(x):
        array[0] = x[0].item()
        return x * w

    with pytest.raises(Exception, match="writes array, which shares memory with"):
        step(sl.tensor([3.0, 1.0]))
    assert array.tolist() == [1.0, 1.0]


@do_not_convert
def first(t):
    return t[0].item()


# Code that is not converted read what was there when it was recorded.
@pytest.mark.parametrize("theirs", [False, True], ids=["numpy()", "from_numpy"])
def test_elements_that_others_write_between_calls(theirs):
    array = np.ones(2, np.float32)
    w = sl.from_numpy(array) if theirs else sl.ones(2)
    step = sl.function(lambda x: x * first(w))
    assert step(sl.ones(1)).item() == 1.0
    array = array if theirs else w.numpy()
    for v in (3.0, 3.0, 5.0):
        array[0] = v
        assert step(sl.ones(1)).item() == v
    assert len(step.traces()) == 3
