"""Helpers for parameters, gradients and sequences, by PyTorch's names."""

from . import _gradients, rnn as rnn
from ._gradients import *  # noqa: F403

__all__ = [*_gradients.__all__]
