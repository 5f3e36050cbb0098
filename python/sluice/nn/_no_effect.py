"""Flags that are set on a module and that nothing looks at."""

from __future__ import annotations

import difflib
import warnings
from typing import Any


def warn_of_no_effect(module: Any, name: str) -> None:
    """Modules may have any attribute; these were hardly meant as they are written."""
    if hasattr(type(module), name):
        return
    if name == "requires_grad":
        cure = "it is a flag of tensors; wanted requires_grad_() to set it on all"
    elif difflib.get_close_matches(name, ["training"], n=1, cutoff=0.85):
        cure = "did you mean 'training', which train() and eval() set?"
    else:
        return
    warnings.warn(
        f"{type(module).__name__}.{name} is a new attribute, which no layer looks at: "
        f"{cure}",
        stacklevel=3,
    )
