"""Parameters that modules compute from others whenever they are read."""

from __future__ import annotations

from typing import Any

from ..._autograd import no_grad
from ..._core import Tensor
from .._containers import ModuleDict, ModuleList
from .._module import Module
from .._parameter import Parameter

__all__ = [
    "ParametrizationList",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
]


def _with(module: Module, plain: type, names: dict[str, Any]) -> None:
    """Give the module a class of its own, of which names are read by functions.

    Copies of a module share its class, so that a class never changes.
    """
    if not names:
        module.__class__ = plain
        return
    fields: dict[str, Any] = {name: property(get) for name, (get, _) in names.items()}
    fields.update(
        __doc__=plain.__doc__,
        __module__=plain.__module__,
        __setattr__=_set,
        _computed_names=names,
        _plain_class=plain,
    )
    module.__class__ = type(plain.__name__, (plain,), fields)


def computed(module: Module, name: str, get: Any, put: Any) -> None:
    """Have an attribute read by a function, and set by another."""
    own: Any = type(module)
    names = getattr(own, "_computed_names", {})
    plain = getattr(own, "_plain_class", own)
    _with(module, plain, {**names, name: (get, put)})


def plain_again(module: Module, name: str) -> None:
    """Undo `computed` for one name."""
    own: Any = type(module)
    rest = {n: both for n, both in own._computed_names.items() if n != name}
    _with(module, own._plain_class, rest)


def _set(self: Any, name: str, value: Any) -> None:
    own = type(self)
    if name in own._computed_names:
        own._computed_names[name][1](self, value)
    else:
        own._plain_class.__setattr__(self, name, value)


class ParametrizationList(ModuleList):
    """The modules that make a parameter, and what they make it of: `original`, or
    `original0`, `original1`, ... where the first one takes several."""

    def __init__(
        self, modules: Any, original: Tensor | Parameter, unsafe: bool = False
    ) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        made = self._inverse(original)
        self.is_tensor = isinstance(made, Tensor)
        if isinstance(made, Tensor):
            self._hold("original", made, original)
        else:
            self.ntensors = len(made)
            for i, part in enumerate(made):
                self._hold(f"original{i}", part, original)

    def _inverse(self, value: Any) -> Any:
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        return value

    def _hold(self, name: str, value: Tensor, old: Tensor) -> None:
        if not isinstance(old, Parameter):
            self.register_buffer(name, value)
        elif value is old:
            self.register_parameter(name, old)
        elif name == "original" and value.shape == old.shape:
            with no_grad():
                old.copy_(value)  # optimizers refer to this parameter
            self.register_parameter(name, old)
        else:
            held = Parameter(value.detach().clone(), old.requires_grad)
            self.register_parameter(name, held)

    def right_inverse(self, value: Any) -> None:
        """Writes values to the originals that give this value."""
        if any(not hasattr(module, "right_inverse") for module in self):
            raise RuntimeError(
                "a parametrization has no right_inverse; wanted one to assign a value"
            )
        made = self._inverse(value)
        with no_grad():
            if self.is_tensor:
                self.original.copy_(made)
            else:
                for i, part in enumerate(made):
                    getattr(self, f"original{i}").copy_(part)

    def forward(self) -> Tensor:
        """The parameter."""
        parts = list(self)
        if self.is_tensor:
            x = parts[0](self.original)
        else:
            given = [getattr(self, f"original{i}") for i in range(self.ntensors)]
            x = parts[0](*given)
        for module in parts[1:]:
            x = module(x)
        made: Tensor = x
        return made


def _lists(module: Module) -> Any:
    return module.__dict__["_modules"].get("parametrizations")


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a parameter of the module, or any, is computed."""
    lists = _lists(module)
    if lists is None or not isinstance(lists, ModuleDict):
        return False
    return len(lists) > 0 if tensor_name is None else tensor_name in lists


def _want(made: Any, old: Tensor, name: str) -> None:
    if not isinstance(made, Tensor):
        raise ValueError(
            f"the parametrization of {name} gives a {type(made).__name__}; wanted a "
            "Tensor"
        )
    if made.shape != old.shape or made.dtype != old.dtype:
        raise ValueError(
            f"the parametrization of {name} gives {made.dtype.name} "
            f"{list(made.shape)}; wanted {old.dtype.name} {list(old.shape)}, or "
            "unsafe=True"
        )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Make a parameter what `parametrization` gives of the one there is.

    `module.weight` is computed whenever it is read; what it is computed of is
    `module.parametrizations.weight.original`. A right_inverse says of what.
    """
    if not isinstance(parametrization, Module):
        raise TypeError(
            f"parametrization is a {type(parametrization).__name__}; wanted a Module"
        )
    if is_parametrized(module, tensor_name):
        return _add(module, tensor_name, parametrization, unsafe)
    fields = module.__dict__
    tables = [
        table
        for table in ("_parameters", "_buffers")
        if fields[table].get(tensor_name) is not None
    ]
    if not tables:
        raise ValueError(
            f"{type(module).__name__} has no parameter or buffer {tensor_name!r}"
        )
    held = fields[tables[0]]
    original = held[tensor_name]
    before = original.detach().clone()
    parts = ParametrizationList([parametrization], original, unsafe)
    with no_grad():
        made = parts()
    if not unsafe:
        _want(made, before, tensor_name)
    del held[tensor_name]
    if _lists(module) is None:
        module.register_module("parametrizations", ModuleDict())
    _lists(module)[tensor_name] = parts
    computed(
        module,
        tensor_name,
        lambda self: _lists(self)[tensor_name](),
        lambda self, value: _lists(self)[tensor_name].right_inverse(value),
    )
    return module


def _add(module: Module, name: str, parametrization: Module, unsafe: bool) -> Module:
    """One more after those that are there."""
    parts = _lists(module)[name]
    with no_grad():
        old = parts()
        if hasattr(parametrization, "right_inverse"):
            inverse = parametrization.right_inverse(old)
            _want(inverse, old, name)
        if not unsafe:
            _want(parametrization(old), old, name)
        if hasattr(parametrization, "right_inverse"):
            parts.right_inverse(inverse)
    parts.append(parametrization)
    return module


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """A plain parameter again: of what was computed, or of the original."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"{tensor_name} is not parametrized")
    parts = _lists(module)[tensor_name]
    if not leave_parametrized and not parts.is_tensor:
        raise ValueError(f"{tensor_name} has several originals; wanted one to leave")
    with no_grad():
        made = parts()
    plain_again(module, tensor_name)
    if parts.is_tensor:
        old = parts.original
        if leave_parametrized:
            with no_grad():
                old.copy_(made)
    else:
        old = Parameter(made.detach().clone(), parts.original0.requires_grad)
    del _lists(module)[tensor_name]
    if not len(_lists(module)):
        del module.parametrizations
    if isinstance(old, Parameter):
        module.register_parameter(tensor_name, old)
    else:
        module.register_buffer(tensor_name, old)
    return module
