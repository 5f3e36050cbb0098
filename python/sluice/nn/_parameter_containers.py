"""Parameters by number or name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._core import Tensor
from ._containers import place_of
from ._module import Module
from ._parameter import Parameter

__all__ = [
    "ParameterDict",
    "ParameterList",
]


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
        return held[place_of(index, len(held))]

    def __setitem__(self, index: int, value: Any) -> None:
        name = str(place_of(index, len(self)))
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
