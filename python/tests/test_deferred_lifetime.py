"""No order of `del` leaves anything dangling, and nothing is kept for ever."""

import gc
import itertools
import threading
import weakref

import numpy as np
import pytest

import sluice as sl
from sluice import _ops


def build():
    with sl.Graph("short") as g:
        x = sl.placeholder(sl.float32, [], name="x")
        v = sl.Variable(2.0, name="v")
        y = _ops.mul(x, v, name="y")
        q = sl.FIFOQueue(2, sl.float32, [[]])
        put, get = q.enqueue(x), q.dequeue()
        parts = _ops.split(sl.stack([x, x]), num=2)
    return g, x, v, y, q, put, get, parts


@pytest.mark.parametrize("survivor", range(8))
def test_whatever_is_left_keeps_the_graph(survivor):
    things = list(build())
    kept = things[survivor]
    del things
    gc.collect()
    if isinstance(kept, sl.Graph):
        g = kept
    elif isinstance(kept, (list, tuple)):
        g = kept[0].graph
    else:
        g = kept.graph
    assert g.name == "short" and "x" in str(g)
    assert g.operations()[0].outputs[0].name == "x"


def test_the_graph_goes_with_the_last_of_them():
    g, *rest = build()
    gone = weakref.ref(g)
    del g
    gc.collect()
    assert gone() is not None
    del rest
    gc.collect()
    assert gone() is None


def test_sessions_and_steps_in_any_order():
    names = ["graph", "session", "step", "part", "y"]
    for order in itertools.permutations(names):
        g, x, v, y, *_ = build()
        s = sl.Session(g)
        s.run(v.initializer)
        kept = {
            "graph": g,
            "session": s,
            "step": s.prepare(y, [x]),
            "part": s.partial_run_setup(y, [x]),
            "y": y,
        }
        del g, s, x, v, y, _
        for name in order:
            if "step" in kept:
                assert kept["step"](3.0).item() == 6
            if "part" in kept and name == "part":
                assert kept["part"].run("y", {"x": 1.0}).item() == 2
            del kept[name]
    gc.collect()


def test_results_outlive_everything():
    g, x, v, y, *_ = build()
    s = sl.Session(g)
    s.run(v.initializer)
    result = s.run(y, {x: 4})
    shared = result.numpy()
    del g, s, x, v, y, _
    gc.collect()
    assert result.item() == 8 and shared == 8
    del result
    gc.collect()
    assert shared == 8


def test_sessions_that_share_state():
    g, x, v, y, *_ = build()
    a = sl.Session(g)
    a.run(v.initializer)
    b = sl.Session(g, shared=a)
    del a, g
    gc.collect()
    assert b.run(y, {x: 1}).item() == 2


def test_scopes_keep_what_they_point_into():
    scope = sl.Graph("only here").as_default()
    scope.__enter__()
    gc.collect()
    y = sl.constant(1.0) + 1
    scope.__exit__(None, None, None)
    del scope
    gc.collect()
    assert y.graph.name == "only here"


def test_a_thread_that_ends_inside_a_scope():
    def work():
        sl.Graph("lost").__enter__()
        sl.constant(1.0)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert sl.current_graph() is None


def test_a_session_dropped_while_a_partial_step_waits():
    g, x, v, y, *_ = build()
    s = sl.Session(g)
    s.run(v.initializer)
    step = s.partial_run_setup(y, [x])
    del s
    gc.collect()
    assert step.run("y", {"x": 2.0}).item() == 4


def test_feeds_are_let_go():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [None])
        y = x + 1
    with sl.Session(g) as s:
        data = np.ones(1000, np.float32)
        gone = weakref.ref(data)
        result = s.run(y, {x: data})
        del data
        gc.collect()
        assert gone() is None
        assert result.shape == (1000,)


def test_lists_keep_their_graph():
    def make():
        with sl.Graph("of lists"):
            x = sl.placeholder(sl.float32, [], name="x")
            return sl.List(sl.float32), sl.List(sl.float32).append(x)

    empty, one = make()
    gc.collect()
    for made in [empty, one]:
        assert made.tensor.graph.name == "of lists"
        assert made.append(1.0).size().graph is made.tensor.graph


def test_numpy_arrays_may_be_resized_after_a_run():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [None])
        y = x * 2
    with sl.Session(g) as s:
        data = np.ones(4, np.float32)
        assert s.run(y, {x: data}).tolist() == [2, 2, 2, 2]
        data.resize(6, refcheck=False)
        assert s.run(y, {x: data}).shape == (6,)
