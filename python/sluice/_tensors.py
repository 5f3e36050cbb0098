"""Tensors by the names of numpy and the array API: creation, reductions, shapes."""

import types as _types_of_python

from . import _core, _ops
from ._array import complex_parts as _complex_parts
from ._array import copies as _copies
from ._array import create as _create
from ._array import diagonals as _diagonals
from ._array import divisors as _divisors
from ._array import draws as _draws
from ._array import dynamic as _dynamic
from ._array import error_functions as _error_functions
from ._array import everyday as _everyday
from ._array import factors as _factors
from ._array import generators as _generators
from ._array import histograms as _histograms
from ._array import intervals as _intervals
from ._array import layers as _layers
from ._array import listed as _listed
from ._array import math as _math
from ._array import matrix as _matrix
from ._array import memory as _memory
from ._array import methods as _methods  # noqa: F401: completes the class Tensor
from ._array import observations as _observations
from ._array import order as _order
from ._array import pick as _pick
from ._array import pickling as _pickling  # noqa: F401: pickles of tensors
from ._array import pieces as _pieces
from ._array import products as _products
from ._array import reduce as _reduce
from ._array import replaced as _replaced
from ._array import runs as _runs
from ._array import scalars as _scalars
from ._array import shape as _shape
from ._array import slopes as _slopes
from ._array import spectra as _spectra
from ._array import spread as _spread
from ._array import standard as _standard  # noqa: F401: the array standard's methods
from ._array import sums as _sums
from ._array import typed as _typed
from ._array import types as _types
from ._array import windows as _windows
from ._array.bessel import i0
from ._array.create import *  # noqa: F403
from ._array.complex_parts import *  # noqa: F403
from ._array.copies import *  # noqa: F403
from ._array.decompositions import matrix_exp
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
from ._core import set_printoptions

__all__ = ["i0", "matrix_exp", "set_printoptions"]
__all__ += _create.__all__
__all__ += _complex_parts.__all__
__all__ += _copies.__all__
__all__ += _diagonals.__all__
__all__ += _divisors.__all__
__all__ += _draws.__all__
__all__ += _dynamic.__all__
__all__ += _error_functions.__all__
__all__ += _everyday.__all__
__all__ += _factors.__all__
__all__ += _generators.__all__
__all__ += _histograms.__all__
__all__ += _intervals.__all__
__all__ += _layers.__all__
__all__ += _listed.__all__
__all__ += _math.__all__
__all__ += _matrix.__all__
__all__ += _memory.__all__
__all__ += _observations.__all__
__all__ += _order.__all__
__all__ += _pick.__all__
__all__ += _pieces.__all__
__all__ += _products.__all__
__all__ += _reduce.__all__
__all__ += _replaced.__all__
__all__ += _runs.__all__
__all__ += _scalars.__all__
__all__ += _shape.__all__
__all__ += _slopes.__all__
__all__ += _spectra.__all__
__all__ += _spread.__all__
__all__ += _sums.__all__
__all__ += _typed.__all__
__all__ += _types.__all__
__all__ += _windows.__all__

# Functions take out= and name=, as ops do; add, matmul and sub take name= themselves.
for _name in __all__:
    _function = globals()[_name]
    _own = _name in ("add", "matmul", "sub")
    if _own or isinstance(_function, _types_of_python.FunctionType):
        globals()[_name] = _core.named(_function, _own)
