"""Errors about unbound variables, reported as in the original code.

Variables of converted code are in cells, because blocks and thunks have become
functions. Python raises UnboundLocalError for a function's own variable and NameError
for one of an enclosing function. For our block functions all variables are of the
second kind. The variables that the user's function owns are noted here when its code
is made.
"""

from __future__ import annotations

import re
import sys
import types
import weakref

from .codes import THUNK

_UNBOUND = re.compile(
    r"cannot access free variable '(\w+)' where it is not associated|"
    r"free variable '(\w+)' referenced before assignment"
)

# Keyed by the address of the code of a block function: the variables of the user's
# function that it is part of.
_owned: dict[int, tuple[weakref.ref[types.CodeType], frozenset[str]]] = {}


def is_part(code: types.CodeType) -> bool:
    """Whether newly compiled code is a part of the enclosing function, and not a user
    function."""
    return code.co_name.startswith("__sl_") or THUNK in code.co_varnames


def note_owned(part: types.CodeType, owner: types.CodeType) -> None:
    """Remembers which free variables of a part belong to its owner."""
    names = frozenset(part.co_freevars) & frozenset(owner.co_cellvars)
    if names:
        key = id(part)
        _owned[key] = weakref.ref(part, lambda _: _owned.pop(key, None)), names


def _own_name(error: BaseException) -> str | None:
    """The unbound variable, if it belongs to the user's function itself."""
    found = _UNBOUND.match(str(error)) if type(error) is NameError else None
    trace = error.__traceback__
    if not found or trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    known = _owned.get(id(code))
    name = found[1] or found[2]
    own = known is not None and known[0]() is code and name in known[1]
    return name if own else None


def as_local(error: BaseException) -> BaseException:
    """The error with the class and text that it has in unconverted code."""
    name = _own_name(error)
    if name is None:
        return error
    text = f"local variable '{name}' referenced before assignment"
    if sys.version_info >= (3, 11):
        text = f"cannot access local variable '{name}' "
        text += "where it is not associated with a value"
    return UnboundLocalError(text).with_traceback(error.__traceback__)


def unbound() -> tuple[type[BaseException], ...]:
    """The class of the error being handled, if as_local replaces it."""
    error = sys.exc_info()[1]
    return (NameError,) if error is not None and _own_name(error) else ()
