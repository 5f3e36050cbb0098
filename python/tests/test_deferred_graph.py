"""Graphs: scopes, operations, text and bytes."""

import threading

import numpy as np
import pytest

import sluice as sl
from sluice import _ops


def small_graph():
    with sl.Graph("small") as g:
        x = sl.placeholder(sl.float32, [None, 3], name="x")
        y = _ops.matmul(x, sl.constant(np.ones((3, 2), np.float32)), name="y")
    return g, x, y


def test_ops_inside_are_recorded_and_outside_run():
    g, x, y = small_graph()
    assert x.symbolic and y.symbolic
    assert y.shape == (None, 2)
    assert not (sl.tensor(1.0) + 1).symbolic
    assert len(g) == 3


def test_scopes_nest_and_restore():
    outer, inner = sl.Graph("outer"), sl.Graph("inner")
    assert sl.current_graph() is None
    with outer:
        assert sl.current_graph() is outer
        with inner.as_default() as opened:
            assert opened is inner
            assert sl.current_graph() is inner
        assert sl.current_graph() is outer
        with outer:
            assert sl.current_graph() is outer
        assert sl.current_graph() is outer
    assert sl.current_graph() is None


def test_scope_is_left_when_an_exception_passes():
    with pytest.raises(KeyError):
        with sl.Graph(), sl.name_scope("a"):
            raise KeyError("x")
    assert sl.current_graph() is None


def test_each_thread_has_its_own_scopes():
    seen = []
    with sl.Graph():
        thread = threading.Thread(target=lambda: seen.append(sl.current_graph()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_closing_out_of_order_is_an_error_and_recovers():
    a, b = sl.Graph("a"), sl.Graph("b")
    a.__enter__()
    b.__enter__()
    with pytest.raises(RuntimeError, match="reverse order"):
        a.__exit__(None, None, None)
    assert sl.current_graph() is b
    b.__exit__(None, None, None)
    assert sl.current_graph() is None


def test_closing_what_is_not_open():
    with pytest.raises(RuntimeError, match="not open on this thread"):
        sl.Graph().__exit__(None, None, None)


def test_closing_on_another_thread():
    g = sl.Graph()
    errors = []

    def leave():
        try:
            g.__exit__(None, None, None)
        except RuntimeError as error:
            errors.append(str(error))

    with g:
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
        assert sl.current_graph() is g
    assert errors == ["this scope is not open on this thread"]


def test_imperative_scope_runs_at_once():
    with sl.Graph():
        with sl.imperative_scope():
            assert (sl.tensor([1.0]) + 1).item() == 2.0
        assert (sl.tensor([1.0]) + 1).symbolic


def test_name_scopes():
    with sl.Graph() as g:
        with sl.name_scope("encoder") as name:
            with sl.name_scope("layer1"):
                y = sl.constant(1.0) + sl.constant(2.0)
        z = sl.constant(3.0)
    assert name == "encoder"
    assert y.op.name == "encoder/layer1/Add"
    assert z.op.name.startswith("Const")
    assert "encoder/layer1/Add" in g


@pytest.mark.parametrize("name", ["", "/a", "a/"])
def test_bad_scope_names(name):
    with pytest.raises(ValueError, match="wanted a name like"):
        sl.name_scope(name)
    assert sl.current_graph() is None


def test_devices():
    with sl.Graph():
        with sl.device("/cpu:0"):
            a = sl.constant(1.0)
            with sl.device("cpu:1"):
                b = sl.constant(1.0)
            c = a + 1
        d = a + 1
    assert a.op.device == "/cpu:0" and c.op.device == "/cpu:0"
    assert b.op.device == "/cpu:1"
    assert d.op.device == ""


def test_device_names():
    d = sl.device("/job:ps/task:3/cpu:1")
    assert (d.type, d.index) == ("cpu", 1)
    assert sl.device("cpu", 0) == "cpu:0" == sl.device("/device:CPU:0")
    assert sl.device("cpu") == sl.tensor(1.0).device
    for bad in ["", "tpu?", "/cpu:x", "quantum:0"]:
        with pytest.raises(ValueError, match="wanted a name like"):
            sl.device(bad)
    with pytest.raises(TypeError):
        sl.device(3)


def test_control_dependencies():
    with sl.Graph():
        a = sl.constant(1.0) + 1
        with sl.control_dependencies([a, a.op]):
            b = sl.constant(2.0) * 2
            with sl.control_dependencies(None):
                c = sl.constant(2.0) * 2
    assert [o.name for o in b.op.control_inputs] == [a.op.name]
    assert c.op.control_inputs == []


def test_control_dependencies_of_other_graphs_and_objects():
    _, x, _ = small_graph()
    with sl.Graph():
        with pytest.raises(ValueError, match='belongs to graph "small"'):
            with sl.control_dependencies([x]):
                pass
        with pytest.raises(TypeError, match="entry 0 is a int"):
            sl.control_dependencies([3])
        with pytest.raises(RuntimeError, match="part of no graph"):
            with sl.imperative_scope():
                t = sl.tensor(1.0)
            sl.control_dependencies([t])


def test_operation():
    g, x, y = small_graph()
    op = y.op
    assert (op.name, op.type) == ("y", "MatMul")
    assert op.graph is g and y.graph is g
    assert op.inputs[0].name == "x"
    assert [t.name for t in op.outputs] == ["y"]
    assert x.op.attrs == {"dtype": sl.float32, "shape": (None, 3)}
    assert op.file == __file__ and op.lineno == small_graph.__code__.co_firstlineno + 3
    assert op.line == f"test_deferred_graph.py:{op.lineno}"
    assert op == g.operation("y") and hash(op) == hash(g.operation("y"))
    assert op != x.op and op != 3
    assert "MatMul(%x, %Const)" in repr(op)


def test_find_by_name():
    g, x, y = small_graph()
    with g:
        parts = _ops.split(x, num=3, axis=1)
        done = sl.Variable(1.0, name="v").assign(2.0, name="done")
    assert g.tensor("x:0").op == x.op
    assert g.tensor(parts[1].name).name == parts[1].name
    assert isinstance(g.find("y"), sl.Tensor)
    assert g.find("done") == done
    assert [o.name for o in g.operations()][:2] == ["x", "Const"]
    with pytest.raises(LookupError, match='"nothing"'):
        g.tensor("nothing")
    with pytest.raises(LookupError, match='"nothing"'):
        g.operation("nothing")
    assert "nothing" not in g and 3 not in g


def test_text_and_bytes_round_trip():
    g, _, _ = small_graph()
    text = str(g)
    again = sl.parse_graph(text)
    assert str(again) == text
    assert sl.Graph.from_bytes(g.to_bytes()).text() == text
    assert "@" not in g.text(lines=False)
    with sl.Session(again) as s:
        np.testing.assert_array_equal(
            s.run("y", {"x": np.ones((1, 3))}).numpy(), [[3, 3]]
        )


def test_text_that_is_no_graph():
    with pytest.raises(ValueError, match=r"graph text:1:\d+"):
        sl.parse_graph("grape main() {}")
    with pytest.raises(ValueError, match="graph bytes"):
        sl.Graph.from_bytes(b"nothing")
    with pytest.raises(TypeError):
        sl.parse_graph(3)


def test_repr_and_truth():
    g = sl.Graph("empty")
    assert repr(g) == '<sluice.Graph "empty" of 0 operations>'
    assert g


def test_placeholder_arguments():
    with pytest.raises(RuntimeError, match=r"placeholder\(\) needs a graph"):
        sl.placeholder(sl.float32)
    with sl.Graph():
        assert sl.placeholder(sl.int64).shape is None
        assert sl.placeholder("float64", 3).shape == (3,)
        assert sl.placeholder(float, [-1, 2]).shape == (None, 2)
        with pytest.raises(ValueError, match=r"shape\[1\] is -5"):
            sl.placeholder(sl.float32, [2, -5])
        with pytest.raises(TypeError, match=r"shape\[0\] is a str"):
            sl.placeholder(sl.float32, ["a"])
        with pytest.raises(TypeError):
            sl.placeholder("nonsense")
        sl.placeholder(sl.float32, name="taken")
        with pytest.raises(ValueError, match="taken"):
            sl.placeholder(sl.float32, name="taken")


def test_constants():
    with sl.Graph() as g:
        a = sl.constant([1, 2, 3], sl.float32, name="a")
        b = sl.constant(7, shape=[2, 2])
        c = sl.constant([1.0, 2, 3, 4], shape=[2, 2])
        with pytest.raises(ValueError, match="as many elements"):
            sl.constant([1, 2, 3], shape=[2, 2])
        with pytest.raises(TypeError, match="tensor of a graph"):
            sl.constant(a)
    with sl.Session(g) as s:
        ra, rb, rc = s.run((a, b, c))
    assert ra.dtype == sl.float32
    assert rb.numpy().tolist() == [[7, 7], [7, 7]]
    assert rc.numpy().tolist() == [[1, 2], [3, 4]]
    assert sl.constant([1.5]).numpy().tolist() == [1.5]


def test_tensors_of_two_graphs_do_not_mix():
    _, x, _ = small_graph()
    with sl.Graph("other"):
        y = sl.placeholder(sl.float32, name="y")
        with pytest.raises(ValueError, match='belongs to graph "small"'):
            y + x
