"""Functions of functions: grad, vjp, jvp, vmap, checkpoint."""

from __future__ import annotations

from ._checkpoint import checkpoint, remat
from ._custom_vjp import custom_vjp
from ._grad import grad, hvp, jvp, value_and_grad, vjp
from ._jacobian import hessian, jacfwd, jacobian, jacrev
from ._vmap import vmap

__all__ = [
    "checkpoint",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "remat",
    "value_and_grad",
    "vjp",
    "vmap",
]
