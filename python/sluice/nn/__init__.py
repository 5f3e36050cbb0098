"""Layers, losses and models, by PyTorch's names.

    from sluice import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(784, 100), nn.Linear(100, 10)

        def forward(self, x):
            return self.fc2(nn.functional.relu(self.fc1(x)))
"""

from . import functional as functional, init as init
from . import parallel as parallel, utils as utils
from ._activation_layers import *  # noqa: F403
from ._attention import *  # noqa: F403
from ._batch_norm import *  # noqa: F403
from ._cells import *  # noqa: F403
from ._containers import *  # noqa: F403
from ._conv import *  # noqa: F403
from ._dropout import *  # noqa: F403
from ._embedding import *  # noqa: F403
from ._fractional_pool import *  # noqa: F403
from ._functional_call import functional_call as functional_call
from ._large_losses import *  # noqa: F403
from ._lazy import *  # noqa: F403
from ._linear import *  # noqa: F403
from ._loss_layers import *  # noqa: F403
from ._margin_loss_layers import *  # noqa: F403
from ._module import Module as Module
from ._norm import *  # noqa: F403
from ._parameter import Parameter as Parameter
from ._parameter_containers import *  # noqa: F403
from ._pool import *  # noqa: F403
from ._recurrent import *  # noqa: F403
from ._shape_layers import *  # noqa: F403
from ._softmax_layers import *  # noqa: F403
from ._summary import summary as summary
from ._transformer import *  # noqa: F403
from ._transformer_layers import *  # noqa: F403
from ._unpool import *  # noqa: F403
from ._windows import *  # noqa: F403
