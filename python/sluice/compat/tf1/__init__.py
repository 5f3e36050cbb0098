"""TensorFlow 1, as far as programs that build graphs and run sessions use it.

    import sluice.compat.tf1 as tf

Graphs, placeholders, variables and their scopes, loops and conditions, queues
and their runners, optimizers and sessions have TensorFlow's names, arguments,
defaults, types and errors; Session.run returns numpy's arrays and scalars. What
is not there raises: docs/python/tf1.md says what there is.
"""

from . import _arrays, _dtypes, _emit, _fills, _flow, _functional, _gradients
from . import _graphs, _initializers, _linalg, _loops, _math, _queues, _random
from . import _reduce, _select, _session
from . import _shapes, _tensor, _tensor_array, _variable_scope, _variables
from . import errors, math, nn, train
from ._arrays import *  # noqa: F403
from ._dtypes import *  # noqa: F403
from ._emit import *  # noqa: F403
from ._fills import *  # noqa: F403
from ._flow import *  # noqa: F403
from ._functional import *  # noqa: F403
from ._gradients import *  # noqa: F403
from ._graphs import *  # noqa: F403
from ._initializers import *  # noqa: F403
from ._linalg import *  # noqa: F403
from ._loops import *  # noqa: F403
from ._math import *  # noqa: F403
from ._queues import *  # noqa: F403
from ._random import *  # noqa: F403
from ._reduce import *  # noqa: F403
from ._select import *  # noqa: F403
from ._session import *  # noqa: F403
from ._shapes import *  # noqa: F403
from ._tensor import *  # noqa: F403
from ._tensor_array import *  # noqa: F403
from ._variable_scope import *  # noqa: F403
from ._variables import *  # noqa: F403

_PARTS = (
    _arrays,
    _dtypes,
    _emit,
    _fills,
    _flow,
    _functional,
    _gradients,
    _graphs,
    _initializers,
    _linalg,
    _loops,
    _math,
    _queues,
    _random,
    _reduce,
    _select,
    _session,
    _shapes,
    _tensor,
    _tensor_array,
    _variable_scope,
    _variables,
)
__all__ = sorted(
    {name for part in _PARTS for name in part.__all__}
    | {"errors", "math", "nn", "train"}
)
