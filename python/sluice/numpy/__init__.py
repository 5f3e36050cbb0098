"""numpy's names with numpy's meaning, for arrays that are tensors.

    import sluice.numpy as np

What the top of the package shares with numpy is the same function here. Where
PyTorch's meaning wins there (sort, max along an axis, std, median, split, meshgrid),
this is numpy's. Methods are those of tensors, which follow PyTorch: a.std() divides by
n - 1, np.std(a) by n. Floats are float32 unless a type is given; results are new
tensors, so out= is refused. Gradients, captured functions, vmap and devices work as
they do at the top.
"""

from . import fft as fft, linalg as linalg, random as random
from ._same import *  # noqa: F403
from ._making import *  # noqa: F403
from ._filled import *  # noqa: F403
from ._grids import *  # noqa: F403
from ._changing import *  # noqa: F403
from ._choosing import *  # noqa: F403
from ._ordering import *  # noqa: F403
from ._statistics import *  # noqa: F403
from ._reductions import *  # noqa: F403
from ._arithmetic import *  # noqa: F403
from ._by_place import *  # noqa: F403
from ._polynomials import *  # noqa: F403
