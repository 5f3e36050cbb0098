"""What a way through a branch or loop of a tensor does to the function's own state, by
means that only Python sees: it is done on the way taken, and as often as that is."""

import array
import collections
import contextlib
import io
import queue
import sys

import numpy as np
import pytest

import sluice as sl

PROGRAMS = []


def case(make):
    PROGRAMS.append(make)
    return make


class Stop(BaseException):
    pass


@case
def the_program_ends():

    def step(x):
        if x.isnan().any():
            sys.exit("nan")
        return x * 2
    return step


@case
def an_error_of_its_own_kind():

    def step(x):
        try:
            if x.sum() > 2:
                raise Stop("s")
        except Stop as e:
            return str(e)
        return x
    return step


@case
def counted_in_a_branch():

    def step(x):
        n = 0

        def inc():
            nonlocal n
            n += 1
        if x.sum() > 2:
            inc()
        return n
    return step


@case
def counted_in_a_loop():

    def step(x):
        n = 0

        def inc():
            nonlocal n
            n += 1
        while x.sum() < 10:
            x = x * 2
            inc()
        return n
    return step


@case
def a_loop_that_a_function_ends():

    def step(x):
        done = False

        def stop():
            nonlocal done
            done = True
        while not done:
            x = x * 2
            if x.sum() > 8:
                stop()
        return x
    return step


@case
def counted_by_a_made_function():

    def make():
        n = [0]
        k = 0

        def inc():
            nonlocal k
            k += 1
            return k
        return inc

    def step(x):
        inc = make()
        if x.sum() > 2:
            inc()
        return inc()
    return step


@case
def an_iterator_that_a_loop_leaves():

    def step(x):
        it = iter([1.0, 2.0, 3.0, 4.0])
        for v in it:
            x = x + v
            if x.sum() > 3:
                break
        return (x, list(it))
    return step


@case
def an_iterator_in_a_branch():

    def step(x):
        it = iter([1, 2, 3])
        if x.sum() > 0:
            next(it)
        return x * next(it)
    return step


@case
def an_iterator_in_a_loop():

    def step(x):
        it = iter([1, 2, 3, 4])
        tot = 0
        while x.sum() < 8:
            x = x * 2
            tot = tot + next(it)
        return tot
    return step


@case
def a_generator_that_notes():
    seen = []

    def batches():
        for i in range(3):
            seen.append(i)
            yield i

    def step(x):
        for b in batches():
            x = x + b
            if x.sum() > 3:
                break
        return (x, list(seen))
    return step


@case
def enumerated():

    def step(x):
        for i, v in enumerate([1.0, 2.0, 3.0]):
            x = x + v * i
            if x.sum() > 3:
                break
        return x
    return step


@case
def zipped():

    def step(x):
        for i, v in zip([1.0, 2.0, 3.0], (3.0, 4.0, 5.0)):
            x = x + v * i
            if x.sum() > 30:
                break
        return x
    return step


class O:

    def __init__(self):
        self.rows = [[], []]
        self.d = {"a": {"b": 0}}
        self.n = 0


@case
def a_list_in_a_list_of_an_object():

    def step(x):
        o = O()
        if x.sum() > 2:
            o.rows[0].append(1)
        return o.rows
    return step


@case
def a_dict_in_a_dict_of_an_object():

    def step(x):
        o = O()
        if x.sum() > 2:
            o.d["a"]["b"] += 1
        return o.d
    return step


class Acc:

    def __init__(self):
        self.n = 0

    def __iadd__(self, k):
        self.n += k
        return self

    def __abs__(self):
        self.n += 1
        return self.n

    def __iter__(self):
        self.n += 1
        return iter([1])


@case
def added_in_place():

    def step(x):
        a = Acc()
        if x.sum() > 2:
            a += 1
        return a.n
    return step


@case
def asked_for_its_size():

    def step(x):
        a = Acc()
        if x.sum() > 2:
            abs(a)
        return a.n
    return step


@case
def gone_through():

    def step(x):
        a = Acc()
        if x.sum() > 2:
            list(a)
        return a.n
    return step


@case
def a_method_of_a_list_outside():
    l = []

    def step(x):
        add = l.append
        if x.sum() > 2:
            add(1)
        return list(l)
    return step


@case
def a_method_of_a_list():

    def step(x):
        l = []
        add = l.append
        if x.sum() > 2:
            add(1)
        return l
    return step


@case
def a_key_that_comes_with_reading():
    d = collections.defaultdict(list)

    def step(x):
        if x.sum() > 2:
            d["big"].append(1)
        return dict(d)
    return step


@case
def a_text_stream():

    def step(x):
        b = io.StringIO()
        b.write("a")
        if x.sum() > 2:
            b.write("b")
        return b.getvalue()
    return step


@case
def an_array():

    def step(x):
        b = np.zeros(2)
        if x.sum() > 2:
            b[1] += 1
        return b.tolist()
    return step


@case
def an_array_outside():
    b = np.zeros(2)

    def step(x):
        if x.sum() > 2:
            b[1] += 1
        return b.tolist()
    return step


@case
def an_array_of_the_module():

    def step(x):
        b = array.array("i", [1])
        if x.sum() > 2:
            b.append(2)
        return list(b)
    return step


@case
def a_dict_of_the_library():

    def step(x):
        b = collections.UserDict()
        if x.sum() > 2:
            b["a"] = 2
        return len(b)
    return step


@case
def a_queue():

    def step(x):
        b = queue.Queue()
        if x.sum() > 2:
            b.put(2)
        return b.qsize()
    return step


@case
def a_stack_of_contexts():

    def step(x):
        with contextlib.ExitStack() as s:
            if x.sum() > 0:
                s.enter_context(sl.no_grad())
            y = x * 2
        return y
    return step


@case
def a_class_inside():

    def step(x):

        class Box:

            def __init__(self):
                self.n = 0

            def bump(self):
                self.n += 1
        b = Box()
        if x.sum() > 2:
            b.bump()
        return b.n
    return step


def outcomes(step):
    found = []
    for value in (1.0, 3.0, 1.0, 5.0):
        try:
            found.append(repr(step(sl.tensor([value]))))
        except BaseException as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
def test_state_of_the_functions_own(make):
    assert outcomes(sl.function(make())) == outcomes(make())
