"""Memory for time: parts of a model computed again for their gradients."""

from __future__ import annotations

from typing import Any, Callable

from .._checkpoint import checkpoint as _checkpoint

__all__ = ["checkpoint"]


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """function(*args), of which only the arguments are kept until backward().

    use_reentrant picks one of PyTorch's two ways to do it; here there is one.
    """
    return _checkpoint(function)(*args, **kwargs)
