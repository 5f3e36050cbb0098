"""What functools.cache keeps is the same in captured code as around it."""

import functools

import pytest
import sluice as sl


def both(make):
    """What a program does imperatively and captured."""
    return [[repr(r) for r in make(capture)] for capture in (lambda f: f, sl.function)]


def test_a_tensor_that_a_cache_keeps_is_written_in_place():
    def program(capture):
        @functools.cache
        def buffer(n):
            return sl.zeros(n)

        @capture
        def f(x):
            b = buffer(x.shape[0])
            b += x
            return b * 1

        for n in (2, 2, 3, 2):
            yield f(sl.ones(n)), buffer(n)
        buffer.cache_clear()
        for _ in range(2):
            yield f(sl.ones(2)), buffer(2)

    imperative, captured = both(program)
    assert imperative == captured


def test_a_cache_that_forgets_is_asked_in_every_call():
    def program(capture):
        @functools.lru_cache(maxsize=1)
        def buffer(n):
            return [n]

        @capture
        def f(x, n):
            kept = buffer(n)
            kept.append(len(kept))
            return x * len(kept), kept

        for n in (0, 0, 1, 1, 0, 0):
            yield f(sl.ones(1), n)

    imperative, captured = both(program)
    assert imperative == captured


def test_a_cached_method_is_called_once_for_each_size():
    class Masks:
        def __init__(self):
            self.calls = 0

        @functools.lru_cache  # noqa: B019
        def mask(self, n):
            self.calls += 1
            return sl.ones(n).cumsum(0)

    def program(capture):
        masks = Masks()
        f = capture(lambda x: x * masks.mask(x.shape[0]))
        for n in (2, 3, 2, 4, 3):
            yield f(sl.ones(n)), masks.calls

    imperative, captured = both(program)
    assert imperative == captured


@pytest.mark.parametrize("cache", [functools.cache, functools.lru_cache(maxsize=4)])
def test_a_cache_on_a_way_that_is_not_taken_is_not_asked(cache):
    def program(capture):
        asked = []

        @cache
        def table(n):
            asked.append(n)
            return n * 10

        @capture
        def f(x):
            if x > 1:
                return x * table(1)
            return x * table(2)

        for value in (2.0, 2.0, 0.5, 0.5, 2.0):
            yield f(sl.tensor(value)), list(asked), table.cache_info().misses
        table.cache_clear()
        for value in (0.5, 2.0, 0.5):
            yield f(sl.tensor(value)), list(asked)

    imperative, captured = both(program)
    assert imperative == captured


def test_a_cache_that_has_the_answer_is_no_reason_to_ask_values():
    @functools.cache
    def table(n):
        return n * 10

    @sl.function
    def f(x):
        if x > 1:
            return x * table(1)
        return x * table(2)

    table(1), table(2)
    assert [f(sl.tensor(v)).item() for v in (2.0, 0.5, 3.0)] == [20.0, 10.0, 30.0]
    assert len(f.traces()) == 1


def test_a_cache_that_is_given_a_tensor_of_the_graph_is_refused():
    @functools.cache
    def twice(x):
        return x * 2

    @sl.function
    def f(x):
        return twice(x)

    with pytest.raises(TypeError, match=r"caches.py:\d+: .*keeps what it gives"):
        f(sl.ones(2))


# What its function changed beside was changed when the code was recorded.
def test_a_cached_property_on_a_way_that_is_not_taken():
    def program(capture):
        asked = []

        class Masks:
            @functools.cached_property
            def mask(self):
                asked.append(len(asked))
                return 2.0

            def step(self, x):
                if x > 1:
                    return x * self.mask
                return x

        masks = Masks()
        f = capture(masks.step)
        for v in (0.5, 2.0, 0.5, 3.0):
            yield f(sl.tensor(v)), asked[:], "mask" in masks.__dict__

    imperative, captured = both(program)
    assert imperative == captured
