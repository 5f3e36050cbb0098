"""Functions of functions, by the names and arguments of torch.func."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _grad, _jacobian
from ._core import Tensor
from ._linearize import linearize
from ._vmap import vmap as _vmap

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]

Numbers = int | Sequence[int]


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None,
    kwargs: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Call a module with other tensors in the place of its parameters and buffers."""
    from .nn import functional_call as call

    given = parameter_and_buffer_dicts
    if isinstance(given, (tuple, list)) and all(isinstance(d, dict) for d in given):
        names = [name for each in given for name in each]
        if len(set(names)) != len(names):
            raise ValueError("functional_call(): a name is in two of the dicts")
        given = {name: t for each in given for name, t in each.items()}
    return call(module, given, () if args is None else args, kwargs)


def grad(
    func: Callable[..., Any], argnums: Numbers = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives func's gradient; zeros where there is none."""
    return _grad.grad(func, argnums, has_aux, allow_unused=True)


def grad_and_value(
    func: Callable[..., Any], argnums: Numbers = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives func's gradient, and its value behind it."""
    both = _grad.value_and_grad(func, argnums, has_aux, allow_unused=True)

    def grad_and_value_of(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        value, gradient = both(*args, **kwargs)
        return gradient, value

    return grad_and_value_of


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """func(*primals), and the function that pulls cotangents of it back.

    That function gives the gradient of a single primal as it is, of several a tuple.
    """
    out, pull, *aux = _grad.vjp(func, *primals, has_aux=has_aux)

    def vjp_fn(cotangents: Any) -> Any:
        found = pull(cotangents)
        return found[0] if len(primals) == 1 else found

    return (out, vjp_fn, *aux)


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """func(*primals), and its change along the tangents: forward mode."""
    _not_strict(strict, "jvp")
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise TypeError(
                f"jvp: {name} is a {type(given).__name__}; wanted a tuple of arguments"
            )
    return _grad.jvp(func, primals, tangents, has_aux)


def _not_strict(strict: bool, what: str) -> None:
    if strict:
        raise NotImplementedError(
            f"{what}: strict=True; what results do not depend on has zeros here"
        )


def _by_parts(
    make: Callable[..., Any], func: Callable[..., Any], argnums: Numbers, has_aux: bool,
) -> Callable[..., Any]:  # fmt: skip
    """make(func) of the first of func's two results, with the second beside it."""
    if not has_aux:
        return make(func, argnums)

    def value(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)[0]

    slopes = make(value, argnums)

    def both(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return slopes(*args, **kwargs), func(*args, **kwargs)[1]

    return both


def jacrev(
    func: Callable[..., Any], argnums: Numbers = 0, *, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The function that gives func's Jacobian, by reverse mode."""
    _whole(chunk_size, "jacrev")
    return _by_parts(_jacobian.jacrev, func, argnums, has_aux)


def jacfwd(
    func: Callable[..., Any], argnums: Numbers = 0, has_aux: bool = False, *,
    randomness: str = "different",
) -> Callable[..., Any]:  # fmt: skip
    """The function that gives func's Jacobian, by forward mode."""
    _own_draws(randomness, "jacfwd")
    return _by_parts(_jacobian.jacfwd, func, argnums, has_aux)


def hessian(func: Callable[..., Any], argnums: Numbers = 0) -> Callable[..., Any]:
    """The function that gives all second derivatives of func."""
    return _jacobian.jacrev(_jacobian.jacrev(func, argnums), argnums)


def _whole(chunk_size: int | None, what: str) -> None:
    if chunk_size is not None:
        raise NotImplementedError(
            f"{what}: chunk_size is {chunk_size}; wanted None, all lanes at once"
        )


def _own_draws(randomness: str, what: str) -> None:
    if randomness != "different":
        raise NotImplementedError(
            f"{what}: randomness is {randomness!r}; wanted \"different\": every lane "
            "draws its own numbers"
        )


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0,
    randomness: str = "different", *, chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The function that does to every lane of its arguments what func does to one.

    Every lane draws its own random numbers, as PyTorch's randomness="different" says.
    """
    _whole(chunk_size, "vmap")
    _own_draws(randomness, "vmap")
    return _vmap(func, in_dims, out_dims)


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters, and the buffers, of modules of one class, each stacked."""
    from ._array.shape import stack

    models = list(models)
    if not models or any(type(m) is not type(models[0]) for m in models):
        raise ValueError("stack_module_state(): wanted modules of one class")
    if len({m.training for m in models}) != 1:
        raise ValueError(
            "stack_module_state(): some modules train, others do not; wanted one mode"
        )
    found = []
    for kind in ("named_parameters", "named_buffers"):
        named = [dict(getattr(m, kind)()) for m in models]
        found.append({name: stack([n[name].detach() for n in named])
                      for name in named[0]})  # fmt: skip
    parameters, buffers = found
    for name, tensor in parameters.items():
        asked = all(dict(m.named_parameters())[name].requires_grad for m in models)
        tensor.requires_grad_(asked)
    return parameters, buffers
