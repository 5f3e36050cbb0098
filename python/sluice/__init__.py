"""Sluice: machine learning as dataflow graphs, imperative or deferred.

    import sluice as sl

The names here are those of the C++ library; docs/python is the tour.
"""

import importlib as _importlib
import os as _os

from . import _core

# Errors and graphs name lines of the user's files, not of ours.
_core.find_python_lines(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

from ._core import (  # noqa: E402
    Tensor as Tensor,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from ._aliases import *  # noqa: E402, F403
from ._ops import *  # noqa: E402, F403
from ._symbols import *  # noqa: E402, F403
from ._tensors import *  # noqa: E402, F403
from ._autograd import *  # noqa: E402, F403
from ._transforms import *  # noqa: E402, F403
from ._capture import *  # noqa: E402, F403
from ._deferred import *  # noqa: E402, F403
from ._files import *  # noqa: E402, F403
from ._about import *  # noqa: E402, F403
from ._compile import *  # noqa: E402, F403
from ._settings import *  # noqa: E402, F403
from ._profile import *  # noqa: E402, F403

# Loaded when they are first named: most programs use few of them.
_SUBMODULES = frozenset(
    "amp array_api nn optim data io report train tree autograd linalg random testing "
    "devices cluster distributed distributions cuda fft signal special func utils "
    "backends masked numpy".split()
)

# PyTorch has these at the top, too.
_OF_AMP = frozenset(("autocast", "is_autocast_enabled"))
_OF_CUDA = frozenset(("get_float32_matmul_precision", "set_float32_matmul_precision"))
_OF_FUNCTIONAL = frozenset(
    "bilinear celu_ channel_shuffle conv_tbc hardshrink pairwise_distance "
    "pixel_shuffle "
    "pixel_unshuffle relu_ rrelu_ selu_ threshold_".split()
)

TYPE_CHECKING = False  # as typing says, which takes longer to load than we do
if TYPE_CHECKING:
    # Lists of names that are put together escape type checkers.
    from ._array.bessel import i0 as i0
    from ._array.create import *  # noqa: F403
    from ._array.complex_parts import *  # noqa: F403
    from ._array.copies import *  # noqa: F403
    from ._array.decompositions import matrix_exp as matrix_exp
    from ._array.diagonals import *  # noqa: F403
    from ._array.divisors import *  # noqa: F403
    from ._array.draws import *  # noqa: F403
    from ._array.dynamic import *  # noqa: F403
    from ._array.error_functions import *  # noqa: F403
    from ._array.everyday import *  # noqa: F403
    from ._array.factors import *  # noqa: F403
    from ._array.generators import *  # noqa: F403
    from ._array.histograms import *  # noqa: F403
    from ._array.intervals import *  # noqa: F403
    from ._array.layers import *  # noqa: F403
    from ._array.listed import *  # noqa: F403
    from ._array.math import *  # noqa: F403
    from ._array.matrix import *  # noqa: F403
    from ._array.memory import *  # noqa: F403
    from ._array.observations import *  # noqa: F403
    from ._array.order import *  # noqa: F403
    from ._array.pick import *  # noqa: F403
    from ._array.pieces import *  # noqa: F403
    from ._array.products import *  # noqa: F403
    from ._array.reduce import *  # noqa: F403
    from ._array.replaced import *  # noqa: F403
    from ._array.runs import *  # noqa: F403
    from ._array.scalars import *  # noqa: F403
    from ._array.shape import *  # noqa: F403
    from ._array.slopes import *  # noqa: F403
    from ._array.spectra import *  # noqa: F403
    from ._array.spread import *  # noqa: F403
    from ._array.sums import *  # noqa: F403
    from ._array.typed import *  # noqa: F403
    from ._array.types import *  # noqa: F403
    from ._array.windows import *  # noqa: F403
    from ._control_flow import *  # noqa: F403
    from ._function import *  # noqa: F403
    from ._queues import *  # noqa: F403
    from ._runners import *  # noqa: F403
    from ._state import *  # noqa: F403
    from .amp import autocast as autocast, is_autocast_enabled as is_autocast_enabled
    from .cuda import (
        get_float32_matmul_precision as get_float32_matmul_precision,
        set_float32_matmul_precision as set_float32_matmul_precision,
    )
    from .nn.functional import (
        bilinear as bilinear,
        celu_ as celu_,
        channel_shuffle as channel_shuffle,
        conv_tbc as conv_tbc,
        hardshrink as hardshrink,
        pairwise_distance as pairwise_distance,
        pixel_shuffle as pixel_shuffle,
        pixel_unshuffle as pixel_unshuffle,
        relu_ as relu_,
        rrelu_ as rrelu_,
        selu_ as selu_,
        threshold_ as threshold_,
    )
    from . import (
        amp as amp,
        array_api as array_api,
        autograd as autograd,
        backends as backends,
        cluster as cluster,
        cuda as cuda,
        data as data,
        devices as devices,
        distributed as distributed,
        distributions as distributions,
        fft as fft,
        func as func,
        io as io,
        linalg as linalg,
        masked as masked,
        nn as nn,
        optim as optim,
        random as random,
        report as report,
        signal as signal,
        special as special,
        testing as testing,
        train as train,
        tree as tree,
        utils as utils,
    )
else:

    def __getattr__(name: str):
        if name in _SUBMODULES:
            return _importlib.import_module("." + name, __name__)
        if name in _OF_AMP:
            return getattr(_importlib.import_module(".amp", __name__), name)
        if name in _OF_CUDA:
            return getattr(_importlib.import_module(".cuda", __name__), name)
        if name in _OF_FUNCTIONAL:
            functional = _importlib.import_module(".nn.functional", __name__)
            return getattr(functional, name)
        from ._not_there import hint

        raise AttributeError(f"module 'sluice' has no attribute {name!r}{hint(name)}")


del TYPE_CHECKING


def __dir__() -> list[str]:
    lazy = _SUBMODULES | _OF_AMP | _OF_CUDA | _OF_FUNCTIONAL
    return sorted(set(globals()) | lazy)
