"""Sessions: runs, feeds, fetches, prepared and partial steps, reports."""

import collections
import json

import numpy as np
import pytest

import sluice as sl
from sluice import _ops


@pytest.fixture
def affine():
    """y = 2 x + b, with x fed."""
    with sl.Graph("affine") as g:
        x = sl.placeholder(sl.float32, [None], name="x")
        b = sl.Variable([1.0], name="b")
        y = _ops.add(2 * x, b, name="y")
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        yield s, x, b, y


def test_run_one(affine):
    s, x, _, y = affine
    result = s.run(y, {x: [1.0, 2.0]})
    assert isinstance(result, sl.Tensor) and not result.symbolic
    np.testing.assert_array_equal(result.numpy(), [3, 5])


def test_trees_of_fetches(affine):
    s, x, b, y = affine
    Pair = collections.namedtuple("Pair", "first second")
    fetches = {"a": [y, (b, "x:0")], "b": Pair("y", b.assign(b)), "c": None}
    got = s.run(fetches, {"x": np.float32([4])})
    assert isinstance(got["b"], Pair) and got["b"].second is None
    assert got["c"] is None
    assert isinstance(got["a"], list) and isinstance(got["a"][1], tuple)
    values = [got["a"][0], got["a"][1][0], got["a"][1][1], got["b"].first]
    assert [v.item() for v in values] == [9, 1, 4, 9]
    assert s.run([]) == [] and s.run(()) == ()


def test_changing_the_list_between_runs(affine):
    s, x, b, y = affine
    fetches = [y]
    assert len(s.run(fetches, {x: [0]})) == 1
    fetches.append(b)
    assert [t.item() for t in s.run(fetches, {x: [0]})] == [1, 1]
    fetches.reverse()
    fetches.append("x")
    assert [t.item() for t in s.run(fetches, {x: [3]})] == [1, 7, 3]


def test_intermediate_values_can_be_fed(affine):
    s, x, b, y = affine
    assert s.run(y, {x: [1], b: [10.0]}).item() == 12
    assert s.run(y, feeds={y: [5.0]}).item() == 5


def test_variables_can_be_fed():
    with sl.Graph() as g:
        v = sl.Variable(1.0, name="v")
        looped = sl.while_loop(lambda i: i < 3, lambda i: i + v, sl.constant(0.0))
        add = v.assign_add(5.0)
        after = v + 0
    with sl.Session(g) as s:
        # Also before it has a value of its own; what the step does to it is
        # gone with the step.
        got = s.run([looped, add, after, v], {v: 2})
        assert [t.item() for t in got if t] == [4, 7, 2]
        s.run(v.initializer)
        assert s.run([looped, after])[0].item() == 3
        assert s.run(v).item() == 1
        assert s.prepare(after, [v])(10).item() == 10
        with pytest.raises(ValueError, match=r'the feed of "v" is f32\[2\]'):
            s.run(v, {v: [1, 2]})


@pytest.mark.parametrize(
    "value",
    [
        [1.0, 2.0],
        (1, 2),
        np.array([1, 2]),
        np.array([1.0, 2.0]),
        np.array([1, 9, 2], np.float32)[::2],
        sl.tensor([1.0, 2.0]),
        sl.tensor([1, 2]),
        np.array([1, 2], np.float16),
    ],
)
def test_values_of_many_kinds(affine, value):
    s, x, _, y = affine
    np.testing.assert_array_equal(s.run(y, {x: value}).numpy(), [3, 5])


def test_numbers_of_other_types():
    with sl.Graph() as g:
        i = sl.placeholder(sl.int32, [], name="i")
        f = sl.placeholder(sl.float64, [], name="f")
        t = sl.placeholder(sl.string, [], name="t")
    with sl.Session(g) as s:
        assert s.run(i, {i: np.int64(7)}).dtype == sl.int32
        assert s.run(f, {f: 1}).dtype == sl.float64
        assert s.run(t, {t: "hi"}).dtype == sl.string
        with pytest.raises(ValueError, match=r'the feed of "i" is i64\[\]; wanted i32'):
            s.run(i, {i: 2**40})
        for wrong in [1.5, np.float32(1), True, "x"]:
            with pytest.raises(ValueError, match='the feed of "i" is'):
                s.run(i, {i: wrong})


def test_feeds_are_not_changed_and_results_are_the_callers():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [None], name="x")
        y = sl.exp(x) * 2
        same = sl.reshape(x, [-1])
        kept = sl.Variable(None, dtype=sl.float32, shape=[None], name="kept")
        keep = kept.assign(x)
        c = sl.constant([1.0, 2.0])
    with sl.Session(g) as s:
        data = np.arange(4, dtype=np.float32)
        s.run([y, keep], {x: data})
        np.testing.assert_array_equal(data, [0, 1, 2, 3])
        alias = s.run(same, {x: data})
        fed = s.run(x, {x: data})
        data[:] = 9
        np.testing.assert_array_equal(alias.numpy(), [0, 1, 2, 3])
        np.testing.assert_array_equal(fed.numpy(), [0, 1, 2, 3])
        value = s.run(kept)
        np.testing.assert_array_equal(value.numpy(), [0, 1, 2, 3])
        value.add_(100)
        np.testing.assert_array_equal(s.run(kept).numpy(), [0, 1, 2, 3])
        s.run(c).add_(1)
        np.testing.assert_array_equal(s.run(c).numpy(), [1, 2])
        # A tensor that was assigned is not shared with the variable.
        t = sl.tensor([1.0, 2.0])
        s.run(keep, {x: t})
        t.add_(5)
        np.testing.assert_array_equal(s.run(kept).numpy(), [1, 2])


def test_prepared_steps(affine):
    s, x, b, y = affine
    step = s.prepare({"y": y, "b": b}, [x])
    assert step([1.0])["y"].item() == 3
    assert step(np.float32([2]))["b"].item() == 1
    with pytest.raises(TypeError, match="takes 1 values, got 2"):
        step([1], [2])
    assert s.prepare(y, x)([0]).item() == 1
    assert s.prepare(y, "x", executor="tokens")([0]).item() == 1
    metadata = sl.RunMetadata()
    options = sl.RunOptions(trace=True)
    step([1.0], options=options, run_metadata=metadata)
    assert metadata.rows


def test_partial_runs():
    with sl.Graph() as g:
        a = sl.placeholder(sl.float32, [], name="a")
        b = sl.placeholder(sl.float32, [], name="b")
        first = a + 1
        second = first * b
        count = sl.Variable(0.0)
        counted = count.assign_add(1.0)
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        step = s.partial_run_setup([first, second, counted], [a, b])
        assert step.run(first, {a: 2}).item() == 3
        with pytest.raises(ValueError, match="already been fetched"):
            step.run(first)
        assert s.partial_run(step, {"s": second}, {"b": 5})["s"].item() == 15
        del step
        assert s.run(count).item() == 1
        step = s.partial_run_setup([first, second], [a, b])
        with pytest.raises(RuntimeError, match='waits for b = "b"'):
            step.run(second, {a: 1})
        with pytest.raises(TypeError, match="wanted a tensor"):
            step.run(init)
        with pytest.raises(LookupError, match="not specified"):
            step.run(count)
        s.close()
        with pytest.raises(RuntimeError):
            step.run(second, {b: 1})


def test_eval_and_run_use_the_open_session(affine):
    s, x, b, y = affine
    assert y.eval({x: [1]}).item() == 3
    assert y.eval(session=s, feeds={x: [2]}).item() == 5
    assert b.eval().item() == 1
    b.initializer.run()
    assert sl.default_session() is s
    with sl.Session(s.graph, shared=s).as_default() as other:
        assert sl.default_session() is other
        assert b.eval().item() == 1
    assert sl.default_session() is s


def test_eval_without_a_session():
    with sl.Graph():
        c = sl.constant(1.0)
    with pytest.raises(RuntimeError, match="needs a session"):
        c.eval()
    with pytest.raises(TypeError, match="session is a int"):
        c.eval(3)


def test_closed_sessions():
    with sl.Graph() as g:
        c = sl.constant(1.0)
    with sl.Session(g) as s:
        step = s.prepare(c)
    with pytest.raises(RuntimeError, match="the session is closed"):
        s.run(c)
    with pytest.raises(RuntimeError, match="the session is closed"):
        step()
    s.close()


def test_session_takes_the_open_graph():
    with sl.Graph() as g:
        c = sl.constant(2.0)
        with sl.Session() as s:
            assert s.graph is g
            assert s.run(c).item() == 2
    with pytest.raises(RuntimeError, match="needs a graph"):
        sl.Session()
    with pytest.raises(TypeError, match="graph is a int"):
        sl.Session(3)
    with pytest.raises(ValueError, match="threads is -1"):
        sl.Session(g, threads=-1)
    assert sl.Session(g, threads=2).run(c).item() == 2


def test_graph_may_grow():
    with sl.Graph() as g:
        c = sl.constant(2.0)
    s = sl.Session(g)
    assert s.run(c).item() == 2
    with g:
        d = c * 5
    assert s.run(d).item() == 10


def test_explain(affine):
    s, x, _, y = affine
    text = s.explain(y, {x: [1.0]})
    assert "plan of graph" in text and "ReadVariable" in text
    assert "0 islands" in s.explain([y], feeds={x: [1.0]}, executor="tokens")


def test_trace_and_loops():
    with sl.Graph() as g:
        n = sl.placeholder(sl.int32, [], name="n")
        i = sl.while_loop(lambda i: i < n, lambda i: i + 1, sl.constant(0))
    with sl.Session(g) as s:
        metadata = sl.RunMetadata()
        options = sl.RunOptions(trace=True, loops=True)
        assert s.run(i, {n: 7}, options, metadata).item() == 7
        events = json.loads(metadata.trace)
        assert events
        assert metadata.rows and metadata.rows[0].name
        assert [use.iterations for use in metadata.loops] == [7]
        assert metadata.loops[0].line.startswith("test_deferred_session.py:")
        assert "7 iterations" in str(metadata)


def test_trace_is_saved(affine, tmp_path):
    s, x, _, y = affine
    metadata = sl.RunMetadata()
    s.run(y, {x: [1]}, sl.RunOptions(trace=True), metadata)
    metadata.save_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())


@pytest.mark.parametrize("executor", ["auto", "tape", "tokens"])
def test_executors_agree(affine, executor):
    s, x, _, y = affine
    options = sl.RunOptions(executor=executor)
    assert options.executor == executor
    assert s.run(y, {x: [4]}, options).item() == 9


def test_options():
    options = sl.RunOptions(timeout=1.5)
    assert options.timeout == 1.5
    options.timeout = None
    assert options.timeout is None
    with pytest.raises(ValueError, match="executor is"):
        sl.RunOptions(executor="fast")
    for bad in [0, -1, float("nan")]:
        with pytest.raises(ValueError, match="timeout is"):
            sl.RunOptions(timeout=bad)


def test_timeout():
    with sl.Graph() as g:
        q = sl.FIFOQueue(1, sl.float32)
        x = q.dequeue()
    with sl.Session(g) as s:
        with pytest.raises(TimeoutError, match="deadline of 10 ms"):
            s.run(x, options=sl.RunOptions(timeout=0.01))


def test_nan_trap():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [], name="x")
        y = sl.log(x) * 2
    with sl.Session(g) as s:
        assert np.isnan(s.run(y, {x: -1}).item())
        with pytest.raises(Exception, match="Log") as caught:
            s.run(y, {x: -1}, sl.RunOptions(nan_trap=True))
        assert "test_deferred_session.py" in str(caught.value)
        assert np.isnan(s.run(y, {x: -1}).item())


def test_random_state():
    with sl.Graph() as g:
        r = sl.random_uniform([3])
    a, b = sl.Session(g, seed=7), sl.Session(g, seed=7)
    first, second = a.run(r).numpy(), a.run(r).numpy()
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(b.run(r).numpy(), first)
    c = sl.Session(g)
    c.random_state = b.random_state
    assert c.random_state == b.random_state
    np.testing.assert_array_equal(c.run(r).numpy(), second)


def test_sessions_share_state():
    with sl.Graph() as g:
        v = sl.Variable(1.0, name="v")
        add = v.assign_add(1.0)
    with sl.Graph("reader") as reader:
        w = sl.Variable(None, dtype=sl.float32, shape=[], name="w", shared_name="v")
    a, alone = sl.Session(g), sl.Session(g)
    a.run(v.initializer)
    b = sl.Session(g, shared=a)
    c = sl.Session(reader, shared=a)
    b.run(add)
    assert a.run(v).item() == 2
    assert c.run(w).item() == 2
    with pytest.raises(RuntimeError, match="not initialised"):
        alone.run(v)


def test_containers_and_reset():
    with sl.Graph() as g:
        with sl.container("one"):
            a = sl.Variable(1.0, name="a")
            q = sl.FIFOQueue(2, sl.float32, name="q")
            with sl.container("two"):
                b = sl.Variable(2.0, name="b")
        c = sl.Variable(3.0, name="c", container="two")
        d = sl.Variable(4.0, name="d")
        init = sl.initialize_variables()
        fill = q.enqueue(1.0)
    with sl.Session(g) as s:
        s.run(init)
        s.run(fill)
        assert s.resources("one") == ["a", "q"]
        assert s.resources("two") == ["b", "c"]
        assert s.resources() == ["d"]
        s.reset("two")
        assert s.run([a, d])[0].item() == 1
        for gone in [b, c]:
            with pytest.raises(RuntimeError, match="not initialised"):
                s.run(gone)
        s.reset("nothing of that name")


def test_gradients_in_graphs():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [], name="x")
        w = sl.Variable(3.0, name="w")
        y = w * x * x
        dx, dw = sl.gradients(y, [x, w])
        (ddx,) = sl.gradients(dx, x)
        (seeded,) = sl.gradients([y, y], x, grad_ys=[None, 10.0])
        other = sl.placeholder(sl.float32, [])
        assert sl.gradients(y, [other], unconnected_gradients="none") == [None]
        (zero,) = sl.gradients(y, other, unconnected_gradients="zero")
        with pytest.raises(ValueError):
            sl.gradients(y, other)
        with pytest.raises(ValueError, match="grad_ys has 2"):
            sl.gradients(y, x, grad_ys=[1.0, 2.0])
        with pytest.raises(TypeError, match="ys is a int"):
            sl.gradients(3, x)
        with pytest.raises(ValueError, match="unconnected_gradients is"):
            sl.gradients(y, x, unconnected_gradients="maybe")
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        got = s.run([dx, dw, ddx, seeded], {x: 2})
        assert [t.item() for t in got] == [12, 4, 6, 12 * 11]
        assert s.run(zero, {other: 1}).item() == 0


def test_gradients_of_imperative_tensors():
    x = sl.tensor(2.0, requires_grad=True)
    (dx,) = sl.gradients(x * x, [x])
    assert dx.item() == 4
