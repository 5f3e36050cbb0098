"""Loops over scalars as machine code: the same bits, the same errors, and an end."""

import os
import signal
import threading

import numpy as np
import pytest

import sluice as sl


def recurrence(x, n):
    i = sl.tensor(0)
    while i < n:
        x = x * 0.999 + 0.001
        i = i + 1
    return x


def pendulum(x, n):
    i = sl.tensor(0)
    while i < n:
        q, v = x[0], x[1]
        x = sl.stack([q + v * 0.01, v - q * 0.01])
        i = i + 1
    return x


def collatz(x, n):
    steps = sl.tensor(0)
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps = steps + 1
    return steps + n


def remainders(x, n):
    i = n
    while x % i != 1:
        i = i - 1
    return i


def run(f, jit, monkeypatch, *args):
    """What f gives, captured with that setting, and what explain says of it."""
    monkeypatch.setenv("SLUICE_JIT", jit)
    captured = sl.function(lambda *values: f(*values))
    args = [sl.tensor(a) for a in args]
    return captured(*args).numpy(), captured.explain(*args)


@pytest.mark.parametrize(
    ("f", "x", "n"),
    [
        (recurrence, 3.0, 1000),
        (recurrence, [3.0, -1.5, float("nan"), float("inf")], 1000),
        (pendulum, [1.0, 0.5], 1000),
        (collatz, 27, 0),
        (remainders, 37, 9),
    ],
)
def test_the_same_bits(f, x, n, monkeypatch):
    want, without = run(f, "0", monkeypatch, x, n)
    got, text = run(f, "always", monkeypatch, x, n)
    assert "native:" not in without
    assert "compiled by" in text or "no engine" in text
    assert got.dtype == want.dtype
    assert got.tobytes() == want.tobytes()


def test_division_by_zero_in_a_loop(monkeypatch):
    said = []
    for jit in ("0", "always"):
        monkeypatch.setenv("SLUICE_JIT", jit)
        captured = sl.function(lambda x, n: remainders(x, n))
        captured(sl.tensor(37), sl.tensor(9))
        with pytest.raises(ValueError, match="integer division by zero") as error:
            captured(sl.tensor(36), sl.tensor(4))
        said.append(str(error.value))
    assert said[0] == said[1]


def test_hot_loops_change_over_in_the_middle_of_a_run(monkeypatch):
    monkeypatch.setenv("SLUICE_JIT", "0")
    want = sl.function(recurrence)(sl.tensor(3.0), sl.tensor(3_000_000)).numpy()
    monkeypatch.delenv("SLUICE_JIT")
    hot = sl.function(lambda x, n: recurrence(x, n))
    got = hot(sl.tensor(3.0), sl.tensor(3_000_000)).numpy()
    np.testing.assert_array_equal(got, want)


def test_an_endless_loop_is_interrupted(monkeypatch):
    monkeypatch.setenv("SLUICE_JIT", "always")

    @sl.function
    def endless(x):
        while x < 1e30:
            x = x * 0.5
        return x

    x = sl.tensor(1.0)
    endless.explain(x)
    go = threading.Event()

    def interrupt():
        go.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        go.set()
        endless(x)
    thread.join()
