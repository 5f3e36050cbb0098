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


def test_a_cache_that_is_given_a_tensor_of_the_graph_is_refused():
    @functools.cache
    def twice(x):
        return x * 2

    @sl.function
    def f(x):
        return twice(x)

    with pytest.raises(TypeError, match=r"caches.py:\d+: .*keeps what it gives"):
        f(sl.ones(2))
