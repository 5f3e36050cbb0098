"""Initialisers, and helpers for gradients and parameters."""

import numpy as np
import pytest
import sluice as sl
from sluice import nn


def filled(fill, *shape, **options):
    sl.manual_seed(0)
    tensor = sl.zeros(shape)
    assert fill(tensor, **options) is tensor
    return tensor.numpy()


class TestInit:
    def test_uniform_and_normal(self):
        x = filled(nn.init.uniform_, 100, 50, a=-2.0, b=3.0)
        assert -2 <= x.min() < -1.9 and 2.9 < x.max() <= 3
        x = filled(nn.init.normal_, 100, 50, mean=1.0, std=0.5)
        assert abs(x.mean() - 1) < 0.03 and abs(x.std() - 0.5) < 0.03
        x = filled(nn.init.trunc_normal_, 100, 50, std=0.1, a=-0.2, b=0.2)
        assert np.abs(x).max() <= 0.2

    def test_bounds_of_a_truncated_normal_are_numbers_not_deviations(self):
        # PyTorch's: with the default bounds of -2 and 2 a small one is not cut off.
        x = filled(nn.init.trunc_normal_, 300, 100, std=0.02)
        assert abs(x.std() - 0.02) < 0.0003 and np.abs(x).max() > 0.06
        x = filled(nn.init.trunc_normal_, 300, 100, mean=1.0, a=0.5, b=5.0)
        assert x.min() >= 0.5 and x.min() < 0.51 and x.max() > 4
        assert abs(x.mean() - 1.5091) < 0.01
        x = filled(nn.init.trunc_normal_, 300, 100)
        assert np.abs(x).max() <= 2 and abs(x.std() - 0.8796) < 0.01

    def test_constants(self):
        assert (filled(nn.init.constant_, 2, 2, val=7.0) == 7).all()
        assert (filled(nn.init.ones_, 2) == 1).all()
        assert (filled(nn.init.zeros_, 2) == 0).all()
        assert (filled(nn.init.eye_, 2, 3) == np.eye(2, 3)).all()

    def test_fans(self):
        # Inputs of an output are axis 1 and those behind it.
        bound = (6 / (8 * 9 + 16 * 9)) ** 0.5
        x = filled(nn.init.xavier_uniform_, 16, 8, 3, 3)
        assert 0.95 * bound < np.abs(x).max() <= bound
        x = filled(nn.init.xavier_normal_, 160, 80)
        assert abs(x.std() - (2 / 240) ** 0.5) < 0.003
        bound = (6 / (8 * 9)) ** 0.5
        x = filled(nn.init.kaiming_uniform_, 16, 8, 3, 3)
        assert 0.95 * bound < np.abs(x).max() <= bound
        x = filled(
            nn.init.kaiming_normal_, 160, 80, mode="fan_out", nonlinearity="relu"
        )
        assert abs(x.std() - (2 / 160) ** 0.5) < 0.003

    def test_orthogonal(self):
        x = filled(nn.init.orthogonal_, 4, 6, gain=2.0)
        assert np.allclose(x @ x.T, 4 * np.eye(4), atol=1e-5)

    def test_gains(self):
        assert nn.init.calculate_gain("relu") == pytest.approx(2**0.5)
        assert nn.init.calculate_gain("tanh") == pytest.approx(5 / 3)
        assert nn.init.calculate_gain("leaky_relu", 0.2) == pytest.approx(
            (2 / 1.04) ** 0.5
        )
        with pytest.raises(ValueError, match="wanted linear"):
            nn.init.calculate_gain("sinus")

    def test_no_gradient_is_recorded(self):
        layer = nn.Linear(2, 2)
        nn.init.normal_(layer.weight)
        assert layer.weight.is_leaf and layer.weight.requires_grad

    def test_bad_arguments(self):
        with pytest.raises(TypeError, match="wanted a Tensor"):
            nn.init.zeros_([1.0])
        with pytest.raises(ValueError, match="two axes"):
            nn.init.xavier_uniform_(sl.zeros((3,)))
        with pytest.raises(ValueError, match="fan_in or fan_out"):
            nn.init.kaiming_normal_(sl.zeros((3, 3)), mode="fan")
        with pytest.raises(ValueError, match="wanted std > 0 and a < b"):
            nn.init.trunc_normal_(sl.zeros((3,)), a=5.0, b=-1.0)
        with pytest.raises(ValueError, match="matrix"):
            nn.init.eye_(sl.zeros((3,)))


class TestUtils:
    def layer(self):
        layer = nn.Linear(3, 2)
        (layer(sl.ones((1, 3))).sum() * 10).backward()
        return layer

    def test_clip_grad_norm(self):
        layer = self.layer()
        grads = [p.grad.numpy().copy() for p in layer.parameters()]
        norm = np.sqrt(sum((g**2).sum() for g in grads))
        before = float(nn.utils.clip_grad_norm_(layer.parameters(), 1.0))
        assert before == pytest.approx(norm, rel=1e-5)
        after = np.sqrt(sum((p.grad.numpy() ** 2).sum() for p in layer.parameters()))
        assert after == pytest.approx(1, rel=1e-4)
        assert float(nn.utils.clip_grad_norm_(layer.weight, 100.0)) < 1
        sums = sum(np.abs(p.grad.numpy()).sum() for p in layer.parameters())
        total = nn.utils.clip_grad_norm_(layer.parameters(), 1.0, norm_type=1)
        assert float(total) == pytest.approx(sums, rel=1e-5)
        after = sum(np.abs(p.grad.numpy()).sum() for p in layer.parameters())
        assert after == pytest.approx(1, rel=1e-4)

    def test_norms_that_are_no_numbers(self):
        layer = nn.Linear(3, 2)
        (layer(sl.ones((1, 3))).sum() * float("nan")).backward()
        with pytest.raises((ValueError, RuntimeError), match="nan"):
            nn.utils.clip_grad_norm_(layer.parameters(), 1.0, error_if_nonfinite=True)

    def test_clip_grad_value(self):
        layer = self.layer()
        nn.utils.clip_grad_value_(layer.parameters(), 0.5)
        assert all(np.abs(p.grad.numpy()).max() == 0.5 for p in layer.parameters())

    def test_vectors(self):
        layer = nn.Linear(3, 2)
        vector = nn.utils.parameters_to_vector(layer.parameters())
        assert vector.shape == (8,)
        nn.utils.vector_to_parameters(sl.arange(8), layer.parameters())
        assert layer.bias.detach().numpy().tolist() == [6, 7]
        assert layer.weight.requires_grad
        with pytest.raises(ValueError, match="vector of 8"):
            nn.utils.vector_to_parameters(sl.arange(7), layer.parameters())
