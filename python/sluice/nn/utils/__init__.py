"""Helpers for parameters, gradients and sequences, by PyTorch's names."""

from . import _fusion, _gradients, _norm_of_weights, _total_norm
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import rnn as rnn
from ._fusion import *  # noqa: F403
from ._gradients import *  # noqa: F403
from ._norm_of_weights import *  # noqa: F403
from ._total_norm import *  # noqa: F403

__all__ = [
    *_fusion.__all__,
    *_gradients.__all__,
    *_norm_of_weights.__all__,
    *_total_norm.__all__,
]
