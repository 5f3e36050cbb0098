"""The training loop."""

import math
import os
import signal

import numpy as np
import pytest

import sluice as sl
from sluice import data, io, nn, optim, report, train


class Setup:
    def __init__(self, **options):
        sl.manual_seed(5)
        self.net = nn.Linear(2, 1)
        self.adam = optim.Adam(self.net.parameters(), lr=0.05)
        rng = np.random.default_rng(1)
        x = rng.normal(size=(24, 2)).astype(np.float32)
        y = (x @ np.array([[1.0], [-2.0]], np.float32)) + 0.5
        self.loader = data.DataLoader(
            data.TensorDataset(x, y), batch_size=4, shuffle=True, seed=2
        )
        options.setdefault("show_progress", False)
        if "gamma" in options:
            options["schedule"] = optim.lr_scheduler.ExponentialLR(
                self.adam, options.pop("gamma")
            )
        self.trainer = train.Trainer(self.net, self.adam, self.loss, **options)

    def loss(self, batch):
        x, y = batch
        noise = sl.randn(*x.shape) * 0.01
        return ((self.net(x + noise) - y) ** 2).mean()

    def fit(self, **options):
        return self.trainer.fit(self.loader, **options)

    def weights(self):
        return np.asarray(self.net.weight.detach()).copy()


def test_it_learns():
    setup = Setup(epochs=20, log_every=5)
    first = float(setup.loss(next(iter(setup.loader))))
    setup.loader.set_epoch(0)
    result = setup.fit(evaluate=lambda: {"loss": 1.0})
    assert result.end == "done" and result.steps == 120 and result.resumed is None
    assert result.loss < first / 4 and len(result.curve) == 24
    assert result.metrics == {"loss": 1.0}
    assert setup.net.training


def test_a_stopped_run_goes_on_bit_for_bit(tmp_path):
    whole = Setup(epochs=4, gamma=0.9)
    whole.fit()
    part = Setup(epochs=4, gamma=0.9, dir=tmp_path, log_every=1)
    stopped = part.fit(after_step=lambda step, loss: step < 9)
    assert stopped.steps == 9
    rest = Setup(epochs=4, gamma=0.9, dir=tmp_path, log_every=1)
    result = rest.fit()
    assert result.resumed == 9 and result.steps == 24
    np.testing.assert_array_equal(rest.weights(), whole.weights())
    lines = (tmp_path / "metrics.csv").read_text().splitlines()
    assert [int(line.split(",")[0]) for line in lines[1:]] == list(range(1, 25))
    assert any(name.startswith("events") for name in os.listdir(tmp_path))
    with pytest.warns(UserWarning, match="nothing is trained"):
        again = Setup(epochs=4, gamma=0.9, dir=tmp_path).fit()
    assert again.resumed == again.steps == 24


def test_signals_end_a_run_after_its_step(tmp_path):
    setup = Setup(epochs=4, dir=tmp_path)
    before = signal.getsignal(signal.SIGTERM)

    def after(step, loss):
        if step == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    result = setup.fit(after_step=after)
    assert result.end == "signal" and result.steps in (3, 4)
    assert signal.getsignal(signal.SIGTERM) is before
    assert io.CheckpointManager(tmp_path).steps() == [result.steps]


def test_losses_that_are_not_finite_change_nothing():
    setup = Setup()
    plain = setup.trainer.loss
    setup.trainer.loss = lambda batch: plain(batch) * math.inf
    before = setup.weights()
    with pytest.raises(FloatingPointError, match="step 1"):
        setup.fit()
    np.testing.assert_array_equal(setup.weights(), before)


def test_early_stopping_and_limits():
    rule = train.EarlyStopping("accuracy", patience=1, mode="max")
    values = iter([0.5, 0.6, 0.6, 0.55, 0.9])
    result = Setup(epochs=9, early_stopping=rule).fit(
        evaluate=lambda: {"accuracy": next(values)}
    )
    assert result.end == "early" and result.steps == 4 * 6
    other = train.EarlyStopping("accuracy", mode="max")
    other.load_state_dict(rule.state_dict())
    assert other.state_dict() == rule.state_dict()
    assert Setup(epochs=9, max_steps=7, clip_norm=0.1).fit().steps == 7
    with pytest.raises(ValueError, match="mode"):
        train.EarlyStopping(mode="x")
    with pytest.raises(ValueError, match="epochs"):
        Setup(epochs=0)


def test_evaluation_without_gradients_and_in_eval_mode():
    setup = Setup()
    seen = []

    def evaluate():
        out = setup.net(sl.ones((1, 2)))
        seen.append((setup.net.training, out.requires_grad))
        return {"x": sl.tensor(2.0)}

    assert setup.fit(evaluate=evaluate).metrics == {"x": 2.0}
    assert seen == [(False, False)]


def test_progress_is_shown(capfd):
    Setup(show_progress=True).fit(evaluate=lambda: {"accuracy": 0.5})
    shown = capfd.readouterr().err
    assert "6/6" in shown and "accuracy 0.5" in shown
    assert isinstance(report.Progress(), report.Progress)
