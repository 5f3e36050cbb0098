"""Helpers for parameters, gradients and sequences, by PyTorch's names."""

from . import rnn as rnn
from ._gradients import *  # noqa: F403
