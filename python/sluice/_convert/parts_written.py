"""x[i] += y and x[i][j] = y, where i is known only at run time.

Whether x[i] is a view depends on i. Python takes the part, changes it in place, and for
+= writes it back. Here the part is a copy, which is changed and written back. The
result in x is the same.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .handed import item
from .values import Tensor


class _Row:
    """x[i], one of whose elements is written."""

    def __init__(self, tensor: Any, key: Any) -> None:
        self._tensor, self._key = tensor, key

    def __getitem__(self, key: Any) -> Any:
        return self._tensor[self._key].clone()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        row = self._tensor[self._key].clone()
        row[key] = value
        self._tensor[self._key] = row


class _Parts:
    """x, a part of which is taken, changed and written back."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        part = self._owner[key]
        return part.clone() if _one_of_a_run(key) else part

    def __setitem__(self, key: Any, value: Any) -> None:
        self._owner[key] = value


def _one_of_a_run(key: Any) -> bool:
    """Whether the key selects one position, known only at run time, of an axis."""
    keys = key if type(key) is tuple else (key,)
    return any(
        isinstance(k, Symbol) or (isinstance(k, Tensor) and k.symbolic and k.ndim == 0)
        for k in keys
    )


def row(owner: Any, key: Any) -> Any:
    """The stand-in for x[i] in x[i][j] = y."""
    if isinstance(owner, Tensor) and _core.recorder() is not None:
        if _one_of_a_run(key):
            return _Row(owner, key)
    return _core.place(item(owner, key))


def added_to(owner: Any) -> Any:
    """The stand-in for x in x[i] += y."""
    if isinstance(owner, (Tensor, _Row)) and _core.recorder() is not None:
        return _Parts(owner)
    return owner
