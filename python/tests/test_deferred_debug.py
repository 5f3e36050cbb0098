"""Session.debug: the same step, seen from inside."""

import pytest

import sluice as sl
from sluice import _ops


@pytest.fixture
def program():
    with sl.Graph() as g:
        n = sl.placeholder(sl.int32, [], name="n")

        def body(i, total):
            return i + 1, _ops.add(total, i, name="growing")

        _, total = sl.while_loop(
            lambda i, total: i < n, body, sl.constant(0), sl.constant(0)
        )
        table = sl.constant([1.0, 2.0])
        bad = _ops.gather(table, total, name="bad")
        last = _ops.neg(total, name="last")
    with sl.Session(g) as s:
        yield s, n, last, bad


def test_values_of_every_iteration(program):
    s, n, last, _ = program
    seen = s.debug({"out": last}, {n: 4}, watches=["growing"])
    assert seen.fetches["out"].item() == -6
    assert seen.error == "" and seen.stopped is None
    assert [seen.fetch("growing", [i]).item() for i in range(4)] == [0, 1, 3, 6]
    places, value = seen.seen("growing")[2]
    assert places[0][1] == 2 and value.item() == 3
    assert seen.seen("other") is None
    with pytest.raises(Exception, match="growing"):
        seen.fetch("growing", [9])


def test_breakpoints(program):
    s, n, last, _ = program
    stopped = s.debug(last, {n: 4}, breakpoints=[sl.Breakpoint(op="Neg")]).stopped
    assert (stopped.node, stopped.op) == ("last", "Neg")
    assert stopped.line.startswith("test_deferred_debug.py:")
    assert stopped.inputs[0].item() == 6 and stopped.outputs == []
    assert "last = Neg" in repr(stopped)
    found = s.debug(
        last,
        {n: 4},
        breakpoints=[
            sl.Breakpoint("growing", condition=lambda e: e.inputs[1].item() == 2)
        ],
    )
    assert found.fetches is None
    assert found.stopped.places[0][1] == 2
    hits = []
    go_on = sl.Breakpoint(node="growing", action=lambda e: hits.append(e.node))
    assert s.debug(last, {n: 3}, breakpoints=[go_on]).fetches.item() == -3
    assert hits == ["growing"] * 3


def test_every_step_and_the_trace(program):
    s, n, last, _ = program
    ops = []
    result = s.debug(
        last, {n: 1}, on_step=lambda e: ops.append(e.op), max_trace_lines=100
    )
    assert "Neg" in ops and "Neg" in result.trace
    result = s.debug(last, {n: 1}, on_step=lambda e: e.op == "Add")
    assert result.stopped.op == "Add" and result.fetches is None


def test_errors_are_shown_not_raised(program):
    s, n, _, bad = program
    result = s.debug(bad, {n: 4}, watches=["growing"])
    assert "[Gather]" in result.error
    assert result.stopped.node == "bad" and result.fetches is None
    assert result.fetch("growing", [3]).item() == 6


def test_exceptions_of_callbacks_come_out(program):
    s, n, last, _ = program

    def fail(event):
        raise KeyError(event.op)

    with pytest.raises(KeyError):
        s.debug(last, {n: 2}, on_step=fail)
    with pytest.raises(KeyError, match="Neg"):
        s.debug(last, {n: 2}, breakpoints=[sl.Breakpoint(op="Neg", condition=fail)])
    assert s.debug(last, {n: 2}).fetches.item() == -1


def test_wrong_arguments(program):
    s, n, last, _ = program
    with pytest.raises(TypeError, match="on_step is a int"):
        s.debug(last, {n: 1}, on_step=3)
    with pytest.raises(TypeError, match="condition is a int"):
        sl.Breakpoint(condition=3)
    with pytest.raises(Exception, match="nothing"):
        s.debug(last, {n: 1}, watches=["nothing"])
    with pytest.raises(TypeError):
        s.debug(last, {n: 1}, breakpoints=[None])
