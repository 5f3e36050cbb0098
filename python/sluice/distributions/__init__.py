"""Distributions of random numbers, by the names of torch.distributions.

    normal = sl.distributions.Normal(mean, scale)
    x = normal.rsample((10,))
    loss = -normal.log_prob(y).mean()

Parameters broadcast to the batch; a value's first axes may be more draws. Gradients
flow through rsample(), through that of the gamma distribution and its kin, too.
"""

from . import constraints as constraints, transforms as transforms
from ._base import Distribution, Independent
from ._continuous import *  # noqa: F403
from ._continuous import __all__ as _reals
from ._discrete import *  # noqa: F403
from ._discrete import __all__ as _counts
from ._multivariate import Dirichlet, MultivariateNormal
from ._positive import *  # noqa: F403
from ._positive import __all__ as _positives
from .kl import kl_divergence, register_kl
from .transforms import *  # noqa: F403
from .transforms import __all__ as _turns

__all__ = [
    "Dirichlet",
    "Distribution",
    "Independent",
    "MultivariateNormal",
    "kl_divergence",
    "register_kl",
]
__all__ += _reals
__all__ += _positives
__all__ += _counts
__all__ += _turns
