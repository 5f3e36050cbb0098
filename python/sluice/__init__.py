"""Sluice: machine learning as dataflow graphs, imperative or deferred.

    import sluice as sl

The names here are those of the C++ library; docs/python.md is the tour.
"""

import importlib as _importlib
import os as _os

from . import _core

# Errors and graphs name lines of the user's files, not of ours.
_core.find_python_lines(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

from ._core import (  # noqa: E402
    Tensor,
    bfloat16,
    bool,
    complex64,
    dtype,
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
    uint32,
    uint64,
)
from ._ops import *  # noqa: E402, F403
from ._tensors import *  # noqa: E402, F403
from ._autograd import *  # noqa: E402, F403
from ._transforms import *  # noqa: E402, F403
from ._capture import *  # noqa: E402, F403
from ._deferred import *  # noqa: E402, F403
from ._files import *  # noqa: E402, F403
from ._about import *  # noqa: E402, F403

# Loaded when they are first named: most programs use few of them.
_SUBMODULES = frozenset(
    "nn optim data io report tree autograd linalg random testing train".split()
)


def __getattr__(name: str):
    if name in _SUBMODULES:
        return _importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'sluice' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | _SUBMODULES)
