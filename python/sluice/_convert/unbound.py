"""Variables without a value, told as the code that was converted would tell.

Variables of converted code are in cells, because blocks and thunks have become
functions. Python says UnboundLocalError of a function's own variable and NameError of
one from around it: to our functions all are of the second kind. Which of them the
user's function has itself is noted here when its code is made.
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

# By the address of the code of a function of ours: variables of the user's function
# that it is a part of.
_owned: dict[int, tuple[weakref.ref[types.CodeType], frozenset[str]]] = {}


def is_part(code: types.CodeType) -> bool:
    """Whether code that was just compiled is a part of the function around it, and no
    function of the user's."""
    return code.co_name.startswith("__sl_") or THUNK in code.co_varnames


def note_owned(part: types.CodeType, owner: types.CodeType) -> None:
    """Remembers which of a part's free variables are its owner's own."""
    names = frozenset(part.co_freevars) & frozenset(owner.co_cellvars)
    if names:
        key = id(part)
        _owned[key] = weakref.ref(part, lambda _: _owned.pop(key, None)), names


def _own_name(error: BaseException) -> str | None:
    """The variable without a value, if it is one of the user's function itself."""
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
    """The error of the class and text that it has in code that is not converted."""
    name = _own_name(error)
    if name is None:
        return error
    text = f"local variable '{name}' referenced before assignment"
    if sys.version_info >= (3, 11):
        text = f"cannot access local variable '{name}' "
        text += "where it is not associated with a value"
    return UnboundLocalError(text).with_traceback(error.__traceback__)


def unbound() -> tuple[type[BaseException], ...]:
    """The class of the error being handled, if as_local makes another of it."""
    error = sys.exc_info()[1]
    return (NameError,) if error is not None and _own_name(error) else ()
