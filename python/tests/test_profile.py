"""sl.profile() and Session.profile(): where the time goes, by op and by line."""

import inspect
import threading

import pytest

import sluice as sl


def here():
    """The line of the caller, as rows name it."""
    frame = inspect.currentframe().f_back
    return f"test_profile.py:{frame.f_lineno}"


def find(profile, op):
    rows = [r for r in profile.rows if r.op == op]
    assert rows, [r.op for r in profile.rows]
    return rows


def test_imperative_products_are_told_by_line_with_their_arithmetic():
    a, b = sl.ones(64, 32), sl.ones(32, 16)
    with sl.profile() as p:
        for _ in range(3):
            sl.matmul(a, b); line = here()  # noqa: E702
    (row,) = find(p, "MatMul")
    assert row.line == line
    assert row.calls == 3
    assert row.flops == 3 * 2 * 64 * 32 * 16
    assert row.bytes == 3 * 4 * (64 * 32 + 32 * 16 + 64 * 16)
    assert 0 < row.seconds <= p.seconds
    assert row.gflops > 0 and row.gbytes > 0


def test_small_elementwise_ops_are_told():
    x = sl.ones(8)
    with sl.profile() as p:
        _ = x + x
    assert find(p, "Add")[0].calls == 1


def test_the_backward_pass_is_told_at_the_line_of_the_forward_one():
    a = sl.ones(32, 32, requires_grad=True)
    with sl.profile() as p:
        y = sl.matmul(a, a); line = here()  # noqa: E702
        y.sum().backward()
    assert sum(r.calls for r in find(p, "MatMul") if r.line == line) >= 3


def test_captured_functions_are_told_kernel_by_kernel():
    w = sl.ones(64, 64)

    @sl.function
    def f(x):
        return sl.tanh(x @ w) @ w

    x = sl.ones(32, 64)
    f(x)
    with sl.profile() as p:
        f(x)
    rows = [r for r in p.rows if r.op == "MatMul"]
    assert sum(r.calls for r in rows) == 2
    assert all(r.line.startswith("test_profile.py:") for r in rows)
    assert sum(r.flops for r in rows) >= 2 * 2 * 32 * 64 * 64


def test_loops_are_told_kernel_by_kernel():
    w = sl.ones(64, 64)

    @sl.function
    def f(x, n):
        while n > 0:
            x = sl.tanh(x @ w)
            n = n - 1
        return x

    args = sl.ones(16, 64), sl.tensor(5)
    f(*args)
    with sl.profile() as p:
        f(*args)
    assert sum(r.calls for r in p.rows if r.op == "MatMul") == 5


def test_a_session_profiles_a_run():
    graph = sl.Graph()
    with graph:
        x = sl.placeholder(sl.float32, [32, 32], name="x")
        y = sl.matmul(x, x)
    session = sl.Session(graph)
    p = session.profile(y, {x: sl.ones(32, 32)}, steps=4)
    assert sum(r.calls for r in find(p, "MatMul")) == 4
    with pytest.raises(ValueError, match="steps is 0; wanted an int of 1 or more"):
        session.profile(y, {x: sl.ones(32, 32)}, steps=0)


def test_other_threads_are_told_but_are_not_the_callers_time():
    a = sl.ones(64, 64)
    with sl.profile() as p:
        other = threading.Thread(target=lambda: sl.matmul(a, a))
        other.start()
        other.join()
    assert find(p, "MatMul")[0].calls == 1
    assert p.between <= p.seconds


def test_one_profile_at_a_time():
    already = pytest.raises(RuntimeError, match="a profile is being made already")
    with sl.profile(), already:
        with sl.profile():
            pass
    with sl.profile():  # the first one has ended
        pass


def test_what_is_printed():
    a = sl.ones(64, 64)
    with sl.profile() as p:
        sl.matmul(a, a)
        a.t().contiguous()
    text = p.text(roofs=(100.0, 50.0))
    assert "roofs: 100 GFLOP/s, 50 GB/s" in text
    assert "MatMul test_profile.py:" in text
    assert "only move bytes" in text
    assert [r.op for r in p.by_op()].count("MatMul") == 1
    assert sum(r.seconds for r in p.by_line()) == pytest.approx(
        sum(r.seconds for r in p.rows))


def test_roofs_are_measured_once():
    from sluice._profile import machine_roofs

    assert machine_roofs() is machine_roofs()
    assert all(roof > 0 for roof in machine_roofs())
