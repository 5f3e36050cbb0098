"""Modules and parameters by number or name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

from ._module import Module

__all__ = [
    "ModuleDict",
    "ModuleList",
    "Sequential",
]

T = TypeVar("T", bound="_Numbered")


def place_of(i: int, count: int) -> int:
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
        return held[place_of(index, len(held))][1]

    def _of(self: T, modules: OrderedDict[str, Module]) -> T:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        name = list(self._modules)[place_of(index, len(self._modules))]
        setattr(self, name, module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        if isinstance(index, slice):
            for name in names[index]:
                del self._modules[name]
        else:
            del self._modules[names[place_of(index, len(names))]]
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
