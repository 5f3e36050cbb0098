"""Attributes of threading.local objects are those of the thread that calls."""

import threading

import sluice as sl


def in_thread(f):
    made = []
    thread = threading.Thread(target=lambda: made.append(f()))
    thread.start()
    thread.join()
    return made[0]


def test_an_attribute_that_a_thread_does_not_have_yet_is_a_guard():
    for capture in (lambda f: f, sl.function):
        own = threading.local()

        @capture
        def f(x):
            return x * getattr(own, "scale", 2.0)

        assert f(sl.ones(1)).item() == 2
        own.scale = 5.0
        assert f(sl.ones(1)).item() == 5
        assert in_thread(lambda: f(sl.ones(1)).item()) == 2
        del own.scale
        assert f(sl.ones(1)).item() == 2


def test_what_is_assigned_is_of_the_thread_that_calls():
    found = []
    for capture in (lambda f: f, sl.function):
        own = threading.local()
        own.n, own.kept = 0, []

        @capture
        def f(x):
            own.n += 1
            own.kept.append(x.sum())
            own.h = x * own.n
            return own.h

        def other():
            own.n, own.kept = 100, []
            f(sl.ones(1))
            return repr((f(sl.ones(1)), own.n, own.kept, own.h))

        made = []
        for _ in range(3):
            made.append(repr((f(sl.ones(1)), own.n, own.kept, own.h)))
        found.append([*made, in_thread(other), repr((own.n, own.kept, own.h))])
    assert found[0] == found[1]


def test_an_attribute_that_stays_is_recorded_once():
    own = threading.local()
    own.scale = 3.0
    f = sl.function(lambda x: x * own.scale)
    for _ in range(3):
        assert f(sl.ones(1)).item() == 3
    assert len(f.traces()) == 1
