"""Functions of functions: grad, vjp, jvp, vmap, checkpoint."""

from __future__ import annotations

from ._associative_scan import associative_scan
from ._checkpoint import checkpoint, remat
from ._custom_jvp import custom_jvp
from ._custom_vjp import custom_vjp
from ._grad import grad, hvp, jvp, value_and_grad, vjp
from ._jacobian import hessian, jacfwd, jacobian, jacrev
from ._linearize import linearize
from ._vmap import vmap

__all__ = [
    "associative_scan",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "remat",
    "value_and_grad",
    "vjp",
    "vmap",
]
