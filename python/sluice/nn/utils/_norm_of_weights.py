"""Weights as a length and a direction, or with their largest factor taken out."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._autograd import no_grad
from ..._core import Tensor
from .. import init
from .._module import Module
from .._parameter import Parameter, new_tensor
from .parametrize import computed, plain_again

__all__ = [
    "remove_spectral_norm",
    "remove_weight_norm",
    "spectral_norm",
    "weight_norm",
]


def lengths(v: Tensor, dim: int | None) -> Tensor:
    """Norms over all axes but one, which all stay."""
    if dim is None or dim == -1:
        return (v * v).sum().sqrt()
    others = tuple(i for i in range(v.ndim) if i != dim % v.ndim)
    return (v * v).sum(others, keepdim=True).sqrt() if others else v.abs()


def _own(module: Module, name: str) -> Parameter:
    found = module.__dict__["_parameters"].get(name)
    if found is None:
        raise ValueError(f"{type(module).__name__} has no parameter {name!r}")
    made: Parameter = found
    return made


def _read_only(name: str) -> Any:
    def put(self: Any, value: Any) -> None:
        raise RuntimeError(f"{name} is computed; wanted an assignment to its parts")

    return put


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Make a parameter the product of its lengths (weight_g) and directions
    (weight_v), which are learnt in its place."""
    weight = _own(module, name)
    with no_grad():
        size = lengths(weight, dim).clone()
    requires = weight.requires_grad
    direction = Parameter(weight.detach().clone(), requires)
    del module.__dict__["_parameters"][name]
    module.register_parameter(name + "_g", Parameter(size, requires))
    module.register_parameter(name + "_v", direction)

    def product(self: Any) -> Tensor:
        v, g = getattr(self, name + "_v"), getattr(self, name + "_g")
        made: Tensor = v * (g / lengths(v, dim))
        return made

    computed(module, name, product, _read_only(name))
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """A plain parameter again, of what it is now."""
    if name + "_g" not in module.__dict__["_parameters"]:
        raise ValueError(f"{name} of {type(module).__name__} has no weight_norm")
    return _plain(module, name, ("_g", "_v"))


def _plain(module: Module, name: str, parts: tuple[str, ...]) -> Module:
    with no_grad():
        now = getattr(module, name).detach().clone()
    requires = _own(module, name + parts[0]).requires_grad
    plain_again(module, name)
    for part in parts:
        delattr(module, name + part)
    module.register_parameter(name, Parameter(now, requires))
    return module


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """[size of dim, all the rest]."""
    if dim:
        order = [dim, *(i for i in range(weight.ndim) if i != dim)]
        weight = weight.permute(*order)
    return weight.reshape(weight.shape[0], -1)


def direction(x: Tensor, eps: float) -> Tensor:
    """x with length 1."""
    length = (x * x).sum().sqrt()
    return x / length.clamp(min=eps)


def largest(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """The largest factor by which the matrix stretches, of its directions."""
    return (u * (matrix @ v)).sum()


def follow(matrix: Tensor, u: Tensor, v: Tensor, times: int, eps: float) -> None:
    """Turn both directions, u last, to those that the matrix stretches most."""
    with no_grad():
        for _ in range(times):
            v.copy_(direction(matrix.t() @ u, eps))
            u.copy_(direction(matrix @ v, eps))


def directions(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Two to begin with, near those that the matrix stretches most."""
    u, v = (
        direction(init.normal_(new_tensor((n,), matrix.device, matrix.dtype)), eps)
        for n in matrix.shape
    )
    follow(matrix, u, v, 15, eps)
    return u, v


def spectral_axis(module: Module, n_power_iterations: int, dim: int | None) -> int:
    """The axis of the outputs, which layers that go the other way have second."""
    if n_power_iterations <= 0:
        raise ValueError(
            f"n_power_iterations is {n_power_iterations}; wanted 1 or more"
        )
    if dim is not None:
        return dim
    return 1 if "Transpose" in type(module).__name__ else 0


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a parameter by the largest factor by which it stretches a vector;
    while training each call comes closer to that."""
    weight = _own(module, name)
    along = spectral_axis(module, n_power_iterations, dim)
    with no_grad():
        matrix = as_matrix(weight.detach(), along)
        u, v = directions(matrix, eps)
    del module.__dict__["_parameters"][name]
    module.register_parameter(name + "_orig", weight)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)

    def closer(self: Any, args: Any) -> None:
        if self.training:
            matrix = as_matrix(getattr(self, name + "_orig").detach(), along)
            u, v = getattr(self, name + "_u"), getattr(self, name + "_v")
            follow(matrix, u, v, n_power_iterations, eps)

    def quotient(self: Any) -> Tensor:
        own = getattr(self, name + "_orig")
        u, v = getattr(self, name + "_u").clone(), getattr(self, name + "_v").clone()
        made: Tensor = own / largest(as_matrix(own, along), u, v)
        return made

    closer.spectral_norm_of = name  # type: ignore[attr-defined]
    module.register_forward_pre_hook(closer)
    computed(module, name, quotient, _read_only(name))
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """A plain parameter again, of what it is now."""
    hooks = module.__dict__["_pre_hooks"]
    own = [
        number
        for number, (hook, _) in hooks.items()
        if getattr(hook, "spectral_norm_of", None) == name
    ]
    if not own:
        raise ValueError(f"{name} of {type(module).__name__} has no spectral_norm")
    for number in own:
        del hooks[number]
    _core.bump_epoch()
    return _plain(module, name, ("_orig", "_u", "_v"))
