"""One function per op, made from the op records.

`_tensors` gives many of them the names and defaults of numpy and the array API. The
others follow the records (docs/ops.md).
"""

from . import _core

__all__ = []
for _name, _op in _core.op_names().items():
    globals()[_name] = _core.op_function(_op)
    __all__.append(_name)
