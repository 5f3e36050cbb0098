"""What is said of an attribute that tensors do not have."""

from __future__ import annotations

import difflib


def _settable(cls: type) -> list[str]:
    """Names of the class that can be assigned to."""
    found = []
    for name in dir(cls):
        value = getattr(cls, name, None)
        if not name.startswith("_") and getattr(value, "fset", None) is not None:
            found.append(name)
    return sorted(found)


def hint(cls: type, name: str) -> str:
    """What may have been meant, as the end of a message."""
    names = _settable(cls)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return (
        f"; wanted one of {', '.join(names)}, or a class of your own that derives "
        f"from {cls.__name__}"
    )
