"""TensorFlow 1, as far as programs that build graphs and run sessions use it.

    import sluice.compat.tf1 as tf

Graphs, placeholders, variables and their scopes, loops and conditions, queues
and their runners, optimizers and sessions have TensorFlow's names, arguments
and defaults; Session.run returns numpy's arrays. What is called while no graph
is open goes to the default graph.
"""

from ..._core import (
    Operation,
    RunMetadata,
    RunOptions,
    Tensor,
    bool,
    complex64,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
)
from ..._core import dtype as DType
from . import errors, nn, train
from ._arrays import *  # noqa: F403
from ._flow import *  # noqa: F403
from ._graphs import *  # noqa: F403
from ._state import *  # noqa: F403
from ._tensor_array import TensorArray
from ._variables import *  # noqa: F403

#: Everything is in one namespace in TensorFlow, too.
from . import _arrays as math  # noqa: E402

__all__ = [
    "DType",
    "Operation",
    "RunMetadata",
    "RunOptions",
    "Tensor",
    "TensorArray",
    "bool",
    "complex64",
    "errors",
    "float16",
    "float32",
    "float64",
    "int16",
    "int32",
    "int64",
    "int8",
    "math",
    "nn",
    "string",
    "train",
    "uint16",
    "uint8",
]
