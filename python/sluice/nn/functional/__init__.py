"""Layers as functions, by PyTorch's names and arguments.

    import sluice.nn.functional as F

    y = F.relu(F.linear(x, weight, bias))
"""

from ._activations import *  # noqa: F403
from ._bags import *  # noqa: F403
from ._ctc import *  # noqa: F403
from ._fractional_pool import *  # noqa: F403
from ._grid import *  # noqa: F403
from ._images import *  # noqa: F403
from ._interpolate import *  # noqa: F403
from ._layers import *  # noqa: F403
from ._losses import *  # noqa: F403
from ._margin_losses import *  # noqa: F403
from ._norms import *  # noqa: F403
from ._pool_indices import *  # noqa: F403
from ._projected import *  # noqa: F403
from ._windows import *  # noqa: F403

__all__ = [
]

