"""The array standard's namespace (data-apis.org, 2024.12): x.__array_namespace__().

Its arrays are tensors. Functions have the standard's arguments and results where
those differ from PyTorch's, which the top of the package has: types meet by the
standard's table, sort and max give values alone, meshgrid is "xy", var is of a
population. docs/python/array_api.md lists the differences.
"""

from __future__ import annotations

from . import _clip, _constants, _creation, _elementwise, _info, _linear
from . import _manipulation, _searching, _statistics, _types
from . import fft as fft, linalg as linalg
from ._clip import *  # noqa: F403
from ._constants import *  # noqa: F403
from ._creation import *  # noqa: F403
from ._elementwise import *  # noqa: F403
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._linear import *  # noqa: F403
from ._manipulation import *  # noqa: F403
from ._searching import *  # noqa: F403
from ._statistics import *  # noqa: F403
from ._types import *  # noqa: F403

__array_api_version__ = "2024.12"

_PARTS = (
    _clip,
    _constants,
    _creation,
    _elementwise,
    _linear,
    _manipulation,
    _searching,
    _statistics,
    _types,
)
__all__ = ["__array_api_version__", "fft", "linalg", *_info.__all__]
for _part in _PARTS:
    __all__ += _part.__all__
