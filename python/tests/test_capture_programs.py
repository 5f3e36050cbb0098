"""Whole programs: those of the guide, and those that fail elsewhere."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest

import sluice as sl
from sluice import nn, optim

EOS = 0


def test_decode_until_the_end_of_the_sequence():
    table = sl.tensor([[0.0, 0.0, 9.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]])

    def cell(state, token):
        return state + 1, table[token]

    @sl.function
    def decode(state, token):
        out = sl.List(sl.int64)
        while token != EOS and out.size() < 200:
            state, logits = cell(state, token)
            token = logits.argmax(-1)
            out = out.append(token)
        return out.stack()

    assert decode(sl.tensor(0), sl.tensor(2)).tolist() == [1, 0]
    assert decode(sl.tensor(0), sl.tensor(1)).tolist() == [0]
    assert len(decode.traces()) == 1


def test_slopes_of_a_loop_equal_those_of_the_loop_written_out():
    def body(v):
        return sl.cond(v.sum() > 1, lambda: sl.sin(v) * 0.7, lambda: v * v)

    def loop(x):
        return sl.while_loop(
            lambda i, v: sl.logical_and(i < 6, v.sum() > 0.05),
            lambda i, v: (i + 1, body(v)),
            0,
            x,
        )[1].sum() + (x**3).sum()

    def written_out(x):
        more = (x**3).sum()
        for _ in range(6):
            if not (x.sum() > 0.05):
                break
            x = sl.sin(x) * 0.7 if x.sum() > 1 else x * x
        return x.sum() + more

    v = sl.tensor([1.0, -0.5])
    for start in ([1.5, 0.8], [0.3, 0.2], [0.01, 0.01]):
        x = sl.tensor(start)
        wanted = sl.grad(written_out)(x)
        wanted_hvp = sl.grad(lambda x: (sl.grad(written_out)(x) * v).sum())(x)
        for f in (loop, sl.function(loop)):
            assert sl.grad(f)(x).tolist() == pytest.approx(wanted.tolist(), rel=1e-4)
            hvp = sl.grad(lambda x, f=f: (sl.grad(f)(x) * v).sum())(x)
            assert hvp.tolist() == pytest.approx(
                wanted_hvp.tolist(), rel=1e-3, abs=1e-5
            )


def test_lanes_of_a_loop_stop_one_by_one():
    xs = sl.tensor([3.0, 8.0, 0.5])

    def halved(v):
        return sl.while_loop(lambda v: v > 1, lambda v: v / 2, v)

    assert sl.vmap(halved)(xs).tolist() == [0.75, 1.0, 0.5]
    assert sl.function(sl.vmap(halved))(xs).tolist() == [0.75, 1.0, 0.5]
    assert sl.vmap(sl.function(halved))(xs).tolist() == [0.75, 1.0, 0.5]


def test_a_branch_no_lane_takes_does_not_run():
    def f(x):
        return sl.cond(
            x > 100,
            lambda: sl.while_loop(lambda v: v > -1, lambda v: v + 1, x),
            lambda: x * 2,
        )

    assert sl.vmap(f)(sl.tensor([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_where_does_not_let_the_other_side_in():
    x = sl.tensor([-4.0], requires_grad=True)

    @sl.function
    def f(x):
        return sl.where(x > 0, sl.sqrt(x), x).sum()

    f(x).backward()
    assert x.grad.tolist() == [1.0]


def test_a_thousand_lengths_are_one_trace():
    @sl.function
    def mean_of(x):
        total, n = 0.0, 0
        for row in x:
            total = total + row.sum()
            n = n + 1
        return total / n

    for n in range(1, 1001, 9):
        assert mean_of(sl.ones(n, 2)).item() == 2
    assert len(mean_of.traces()) == 1
    mean_of(sl.ones(3, 2, dtype=sl.float64))
    why = mean_of.traces()[1].why
    assert why == "argument x is f64[?,?]; the last trace has f32[?,?]"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 10), nn.Linear(10, 3)

    def forward(self, x):
        return self.fc2(sl.relu(self.fc1(x)))


def batches():
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = rng.standard_normal((16, 6)).astype(np.float32)
        yield sl.tensor(x), sl.tensor(x[:, :3].argmax(1))


@pytest.mark.parametrize("make", [optim.SGD, optim.Adam, optim.Adagrad])
def test_a_training_step_with_modules_and_optimizers(make):
    found = []
    for capture in (False, True):
        sl.manual_seed(1)
        net = Net()
        optimizer = make(net.parameters(), lr=0.05)

        def step(images, labels):
            loss = nn.functional.cross_entropy(net(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        run = sl.function(step) if capture else step
        losses = []
        for _ in range(4):
            losses += [run(x, y).item() for x, y in batches()]
        found.append(losses)
        if capture:
            assert len(run.traces()) <= 2, run.traces()
    assert found[0] == pytest.approx(found[1], rel=1e-3)
    assert found[1][-1] < found[1][0]


def test_the_mode_of_a_module_is_part_of_what_is_recorded():
    drop = nn.Dropout(0.5)
    f = sl.function(lambda x: drop(x))
    x = sl.ones(1000)
    assert f(x).sum().item() != 1000
    drop.eval()
    assert f(x).sum().item() == 1000
    drop.train()
    assert f(x).sum().item() != 1000


def test_printing_a_tensor_while_recording_warns_once(capsys):
    program = """
import sluice as sl, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    @sl.function
    def f(x):
        print(x)
        print(f"{x}")
        return x
    f(sl.ones(2))
    print(len(said), "sl.print" in str(said[0].message))
"""
    import subprocess
    import sys

    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert out.splitlines()[0].startswith("<Tensor") and "1 True" in out


def test_control_c_ends_a_captured_loop():
    @sl.function
    def forever(x):
        return sl.while_loop(lambda i: i >= 0, lambda i: i * 0 + 1, x)

    one = sl.tensor(1)
    forever.graph(one)
    go = threading.Event()

    def interrupt():
        go.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        go.set()
        forever(one)
    thread.join()
    assert len(forever.traces()) == 1


def test_other_threads_run_while_a_plan_runs():
    @sl.function
    def count(n):
        return sl.while_loop(lambda i: i < n, lambda i: i + 1, 0)

    count(sl.tensor(1))
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            stop.wait(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    n = 1 << 20
    while len(ticks) < 5:  # as long as it takes to see it
        before = len(ticks)
        count(sl.tensor(n))
        n *= 2
        if len(ticks) > before + 1:
            break
    stop.set()
    thread.join()
    assert len(ticks) > 1


def test_an_lstm_by_scan_under_a_budget():
    rng = np.random.default_rng(0)
    wx = sl.tensor(rng.standard_normal((4, 12)).astype(np.float32) * 0.3)
    wh = sl.tensor(
        rng.standard_normal((3, 12)).astype(np.float32) * 0.3, requires_grad=True
    )
    xs = sl.tensor(rng.standard_normal((20, 2, 4)).astype(np.float32))

    def cell(state, x):
        h, c = state
        i, f, g, o = sl.split(x @ wx + h @ wh, 3, axis=1)
        c = sl.sigmoid(f) * c + sl.sigmoid(i) * sl.tanh(g)
        h = sl.sigmoid(o) * sl.tanh(c)
        return h, (h, c)

    def loss(xs, save):
        hs, state = sl.scan(cell, (sl.zeros(2, 3), sl.zeros(2, 3)), xs, save=save)
        return hs.sum() + state[1].sum()

    slopes = []
    for save in ("device", sl.budget("256MiB"), sl.budget("4KiB"), "recompute"):
        wh.grad = None
        sl.function(lambda xs, save=save: loss(xs, save))(xs).backward()
        slopes.append(wh.grad.numpy().copy())
    for slope in slopes[1:]:
        np.testing.assert_allclose(slope, slopes[0], rtol=1e-4, atol=1e-6)


def test_numbers_that_became_tensors_keep_the_type_of_what_they_meet():
    for dtype in (sl.float64, sl.float32, sl.bfloat16, sl.float16):
        f = sl.function(lambda x, k: x * k + k)
        x = sl.ones(2, dtype=dtype)
        for k in (0.1, 0.2, 0.3, 0.7):
            made = f(x, k)
            assert made.dtype is dtype
            assert made.tolist() == (x * k + k).tolist()
        assert len(f.traces()) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        carried = sl.function(
            lambda x, k: sl.fori_loop(0, 3, lambda i, s: s * k, x), autoconvert=False
        )
        for k in (0.5, 2.0, 3.0, 4.0):
            assert carried(sl.ones(1), k).item() == k**3
