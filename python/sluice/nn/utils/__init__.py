"""Helpers for parameters, gradients and sequences, by PyTorch's names."""

from . import _gradients, _norm_of_weights
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import rnn as rnn
from ._gradients import *  # noqa: F403
from ._norm_of_weights import *  # noqa: F403

__all__ = [*_gradients.__all__, *_norm_of_weights.__all__]
