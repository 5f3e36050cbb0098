"""Variables, in graphs and imperatively."""

import numpy as np
import pytest

import sluice as sl


def run_all(build):
    """Builds a graph, initialises its variables and runs what build returns."""
    with sl.Graph() as g:
        fetches = build()
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        return s.run(fetches)


def test_is_an_operand_everywhere():
    def build():
        v = sl.Variable([1.0, -2.0], name="v")
        return [
            v + 1,
            1 - v,
            v * v,
            v / 2,
            2**v,
            -v,
            abs(v),
            v > 0,
            v[0],
            sl.sum(v),
            v.sum(),
            sl.stack([v, v]),
            v // 1,
            v % 2,
        ]

    got = [t.numpy().tolist() for t in run_all(build)]
    assert got == [
        [2, -1],
        [0, 3],
        [1, 4],
        [0.5, -1],
        [2, 0.25],
        [-1, 2],
        [1, 2],
        [True, False],
        1,
        -1,
        -1,
        [[1, -2], [1, -2]],
        [1, -2],
        [1, 0],
    ]


def test_reads_see_the_program_order():
    def build():
        v = sl.Variable(1.0, name="v")
        before = v + 0
        add = v.assign_add(10)
        after = v + 0
        return [before, add, after, v, v.value(), v.read()]

    before, add, after, fetched, value, read = run_all(build)
    assert add is None
    seen = [t.item() for t in (before, after, fetched, value, read)]
    assert seen == [1, 11, 1, 1, 11]


def test_changes():
    with sl.Graph() as g:
        v = sl.Variable([[1.0, 1], [2, 2], [3, 3]], name="v")
        changes = [
            v.assign_sub(np.ones((3, 2))),
            v.scatter_add([0, 0], [[1, 1], [1, 1]]),
            v.scatter_sub(np.array([2]), [[2.0, 2.0]]),
            v.scatter_update([1], [[7, 8]]),
        ]
        fill = v.assign(sl.zeros([3, 2]), name="fill")
    assert fill.name == "fill" and fill.type == "Assign"
    with sl.Session(g) as s:
        s.run(v.initializer)
        seen = []
        for change in changes:
            s.run(change)
            seen.append(s.run(v).numpy().tolist())
        s.run(fill)
        seen.append(s.run(v).numpy().tolist())
    assert seen == [
        [[0, 0], [1, 1], [2, 2]],
        [[2, 2], [1, 1], [2, 2]],
        [[2, 2], [1, 1], [0, 0]],
        [[2, 2], [7, 8], [0, 0]],
        [[0, 0], [0, 0], [0, 0]],
    ]


def test_initialisation():
    with sl.Graph() as g:
        v = sl.Variable(5, dtype=sl.float32, name="v")
        w = sl.Variable(lambda: sl.ones([2]), name="w")
        bare = sl.Variable(None, dtype=sl.int64, shape=[None], name="bare")
        there = v.is_initialized()
        init = sl.global_variables_initializer()
        put = bare.assign([1, 2, 3])
    assert v.dtype == sl.float32 and v.shape == () and bare.shape == (None,)
    assert [x.name for x in sl.global_variables(g)] == ["v", "w", "bare"]
    with pytest.raises(RuntimeError, match="without an initial value"):
        bare.initializer
    with sl.Session(g) as s:
        assert s.run(there).item() is False
        with pytest.raises(RuntimeError, match='variable "v" is not initialised') as e:
            s.run(v + 1)
        assert "test_deferred_variable.py" in str(e.value)
        s.run(init)
        assert s.run(there).item() is True
        assert s.run(w).numpy().tolist() == [1, 1]
        s.run(put)
        assert s.run(bare).numpy().tolist() == [1, 2, 3]


def test_values_that_do_not_fit():
    with sl.Graph():
        v = sl.Variable([1, 2], dtype=sl.int32, name="v")
        with pytest.raises(ValueError, match="wanted i32"):
            v.assign([1.5, 2.5])
        with pytest.raises(ValueError, match=r"wanted .*\[2\]"):
            v.assign([1, 2, 3])
        with pytest.raises(TypeError, match="whole numbers"):
            v.scatter_add([0.5], [1])
        with pytest.raises(TypeError):
            v.assign(object())
        with pytest.raises(TypeError, match="no initial value"):
            sl.Variable()
        with pytest.raises(ValueError, match="wanted shape"):
            sl.Variable([1.0, 2.0], shape=[3])
        with pytest.raises(ValueError, match="v"):
            sl.Variable(1.0, name="v")
    with pytest.raises(RuntimeError, match="needs a graph"):
        sl.Variable(None, dtype=sl.float32, shape=[2])
    with pytest.raises(RuntimeError, match="needs a graph"):
        sl.initialize_variables()


def test_asking_for_attributes_adds_nothing():
    with sl.Graph() as g:
        v = sl.Variable(1.0)
        count = len(g)
        assert not hasattr(v, "__array__")
        assert not hasattr(v, "nonsense")
        with pytest.raises(AttributeError, match="nonsense"):
            v.nonsense
        {v: 1}[v]
        assert len(g) == count


def test_names_and_repr():
    with sl.Graph() as g:
        with sl.name_scope("layer"):
            v = sl.Variable(np.zeros((2, 3), np.float32), name="w")
    assert v.name == "layer/w" and v.graph is g and v.op.type == "Variable"
    assert repr(v) == '<sluice.Variable "layer/w" f32[2,3]>'


def test_variables_behind():
    with sl.Graph():
        a, b, c = (sl.Variable(1.0, name=n) for n in "abc")
        y = c * a
        assert [v.name for v in sl.variables_behind(y)] == ["a", "c"]
        del b


def test_imperative():
    v = sl.Variable([1.0, 2.0], name="v")
    assert not v.symbolic
    assert (v * 2).detach().numpy().tolist() == [2, 4]
    assert v.assign_add([1, 1]) is None
    assert v.tensor.tolist() == [2, 3]
    v.scatter_update([0], [9.0])
    assert v.read().tolist() == [9, 3]
    (v * v).sum().backward()
    assert v.tensor.grad.numpy().tolist() == [18, 6]
    assert v.tolist() == [9, 3]
    with pytest.raises(RuntimeError, match="imperative"):
        v.initializer


def test_one_text_for_both_modes():
    def program():
        v = sl.variable([1.0, 2.0])
        v.assign_sub(sl.tensor([0.5, 0.5]))
        return v.read().sum()

    assert program().item() == 2
    with sl.Graph() as g:
        total = program()
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        # The assignment is not asked for, so that it does not happen.
        assert s.run(total).item() == 3
