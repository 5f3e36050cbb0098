"""What code does unless it says otherwise: train or eval, gradients recorded or
not. Each is told apart by traces."""

from __future__ import annotations

import contextlib

import sluice as sl
import sluice.nn as nn


def test_train_and_eval():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
    f = sl.function(net)
    x = sl.tensor([[1.0, 2.0], [3.0, -1.0]])
    net.eval()
    want = net(x).tolist()
    assert f(x).tolist() == want
    net.train()
    assert f(x).tolist() != want
    assert net[1].num_batches_tracked.item() == 1
    net.eval()
    assert f(x).tolist() == net(x).tolist()
    assert len(f.traces()) == 2


def test_gradients_recorded_or_not():
    w = sl.tensor([2.0]).requires_grad_()
    f = sl.function(lambda x: x * w)
    x = sl.tensor([3.0])
    modes = [contextlib.nullcontext(), sl.no_grad(), sl.inference_mode(),
             sl.enable_grad(), sl.set_grad_enabled(False)]  # fmt: skip
    for mode in modes:
        with mode:
            got, want = f(x), x * w
            assert got.requires_grad == want.requires_grad
            assert got.tolist() == want.tolist()
    assert len(f.traces()) == 2
