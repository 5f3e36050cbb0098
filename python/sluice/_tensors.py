"""Tensors by the names of numpy and the array API: creation, reductions, shapes."""

from ._array import memory, methods  # noqa: F401: they complete the class Tensor
from ._array import create as _create
from ._array import draws as _draws
from ._array.create import *  # noqa: F403
from ._array.draws import *  # noqa: F403

__all__ = [*_create.__all__, *_draws.__all__]
