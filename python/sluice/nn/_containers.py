"""Modules and parameters by number or name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

from .._core import Tensor
from ._module import Module
from ._parameter import Parameter

__all__ = [
    "ModuleDict",
    "ModuleList",
    "ParameterDict",
    "ParameterList",
    "Sequential",
]

T = TypeVar("T", bound="_Numbered")


def _index(i: int, count: int) -> int:
    """A number, counted from the end if negative. Throws when there is none."""
    at = i.__index__()
    if not -count <= at < count:
        raise IndexError(f"index {at} is out of range; there are {count}")
    return at % count


class _Numbered(Module):
    """Modules under the names "0", "1", ..., or names that were given."""

    @overload
    def __getitem__(self, index: int) -> Module: ...

    @overload
    def __getitem__(self: T, index: slice) -> T: ...

    def __getitem__(self, index: Any) -> Any:
        held = list(self._modules.items())
        if isinstance(index, slice):
            return self._of(OrderedDict(held[index]))
        return held[_index(index, len(held))][1]

    def _of(self: T, modules: OrderedDict[str, Module]) -> T:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        name = list(self._modules)[_index(index, len(self._modules))]
        setattr(self, name, module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        if isinstance(index, slice):
            for name in names[index]:
                del self._modules[name]
        else:
            del self._modules[names[_index(index, len(names))]]
        self._replace(list(self._modules.values()))

    def _replace(self, modules: list[Module]) -> None:
        """These modules, numbered anew."""
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __contains__(self, module: object) -> bool:
        return any(module is m for m in self._modules.values())

    def append(self: T, module: Module) -> T:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self: T, modules: Iterable[Module]) -> T:
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self: T, index: int, module: Module) -> T:
        """Add a module before that of a number."""
        if not isinstance(module, Module):
            raise TypeError(f"module is a {type(module).__name__}; wanted a Module")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._replace(modules)
        return self

    def pop(self, index: int = -1) -> Module:
        """Take a module away; returns it."""
        module = self[index]
        del self[index]
        return module


class Sequential(_Numbered):
    """Modules one after the other.

        nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
        nn.Sequential(OrderedDict(fc=nn.Linear(784, 10), act=nn.ReLU()))
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def _of(self, modules: OrderedDict[str, Module]) -> Any:
        return Sequential(modules)

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            return NotImplemented
        return Sequential(*self, *other)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """Modules by number, to be called by whoever holds them."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _of(self, modules: OrderedDict[str, Module]) -> Any:
        return ModuleList(modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])


class ModuleDict(Module):
    """Modules by name, to be called by whoever holds them."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        module: Module = self._modules[key]
        return module

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._modules))

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules away."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module away; returns it."""
        module: Module = self._modules.pop(key)
        return module

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._modules.items()

    def update(self, modules: Any) -> None:
        """Add modules of a dict, or pairs of names and modules."""
        pairs = modules.items() if hasattr(modules, "items") else modules
        for name, module in pairs:
            self.add_module(name, module)


def _as_parameter(value: Any) -> Any:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


class ParameterList(Module):
    """Parameters by number. Tensors become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        held = list(self._parameters.values())
        if isinstance(index, slice):
            return ParameterList(held[index])
        return held[_index(index, len(held))]

    def __setitem__(self, index: int, value: Any) -> None:
        name = str(_index(index, len(self)))
        self.register_parameter(name, _as_parameter(value))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def append(self, value: Any) -> ParameterList:
        """Add a parameter at the end."""
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add parameters at the end."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def extra_repr(self) -> str:
        return _listed(self._parameters)


class ParameterDict(Module):
    """Parameters by name. Tensors become parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._parameters))

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return self._parameters.items()

    def update(self, parameters: Any) -> None:
        """Add parameters of a dict, or pairs of names and parameters."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for name, value in pairs:
            self[name] = value

    def extra_repr(self) -> str:
        return _listed(self._parameters)


def _listed(parameters: dict[str, Any]) -> str:
    lines = []
    for name, value in parameters.items():
        shape = "x".join(map(str, value.shape or ())) or "scalar"
        lines.append(f"({name}): Parameter containing: [{value.dtype} of size {shape}]")
    return "\n".join(lines)
