"""Everything in a module and below it, in PyTorch's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._array.device import check_device
from .._core import Tensor

if TYPE_CHECKING:
    from ._module import Module
    from ._parameter import Parameter

T = TypeVar("T", bound="ModuleWalk")


class ModuleWalk:
    """Lists, finds and changes the parts of modules: the base of Module."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def named_modules(
        self,
        memo: set[Any] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
        """This module (under the prefix) and all below it, each once."""
        seen: set[Any] = set() if memo is None else memo
        if remove_duplicate:
            if self in seen:
                return
            seen.add(self)
        yield prefix, self  # type: ignore[misc]
        for name, child in self._modules.items():
            if child is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(seen, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules right below this one, each once."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The modules right below this one, each once."""
        for _, child in self.named_children():
            yield child

    def _named_held(
        self, table: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        if recurse:
            modules = self.named_modules(
                prefix=prefix, remove_duplicate=remove_duplicate
            )
        else:
            modules = iter([(prefix, self)])  # type: ignore[list-item]
        for path, module in modules:
            for name, tensor in module.__dict__[table].items():
                if tensor is None or id(tensor) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(tensor))
                yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with their names; shared ones once."""
        return self._named_held("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters of this module and, if wanted, of all below it; each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers with their names; shared ones once."""
        return self._named_held("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers of this module and, if wanted, of all below it; each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named_state(self, prefix: str) -> Iterator[tuple[str, Tensor]]:
        """The entries of state_dict, with a shared tensor under each of its names."""
        fields = self.__dict__
        for name, tensor in fields["_parameters"].items():
            if tensor is not None:
                yield prefix + name, tensor
        for name, tensor in fields["_buffers"].items():
            if tensor is not None and name not in fields["_non_persistent"]:
                yield prefix + name, tensor
        for name, child in fields["_modules"].items():
            if child is not None:
                yield from child._named_state(f"{prefix}{name}.")

    # ---- By path ----

    def get_submodule(self, target: str) -> Module:
        """The module of a path: "layers.0.fc1"; "" is this one."""
        at: Any = self
        for name in target.split(".") if target else ():
            children = at._modules
            if children.get(name) is None:
                raise AttributeError(
                    f"{type(self).__name__}: no module {target!r}; "
                    f"{type(at).__name__} has {', '.join(children) or 'none'}"
                )
            at = children[name]
        found: Module = at
        return found

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a path: "fc1.weight"."""
        found: Parameter = self._get_held("_parameters", "parameter", target)
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a path: "bn1.running_mean"."""
        buffer: Tensor = self._get_held("_buffers", "buffer", target)
        return buffer

    def _get_held(self, table: str, kind: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        held = self.get_submodule(path).__dict__[table]
        if held.get(name) is None:
            raise AttributeError(
                f"{type(self).__name__}: no {kind} {target!r}; there are "
                f"{', '.join(held) or 'none'}"
            )
        return held[name]

    # ---- Changes ----

    def apply(self: T, fn: Callable[[Any], Any]) -> T:
        """Call fn with the modules below, then with this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def _convert(self: T, dtype: Any, copy: Callable[[Any], bool]) -> T:
        """Parameters and buffers as another type; they stay the tensors they are,
        as their optimizer knows them."""
        for module in self.modules():
            for table in ("_parameters", "_buffers"):
                for tensor in module.__dict__[table].values():
                    if tensor is not None and copy(tensor.dtype):
                        _core.nn_set_data(tensor, _core.nn_converted(tensor, dtype))
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Convert parameters and buffers of floats: to(dtype), to(device), to(tensor).

        Changes the module and returns it.
        """
        dtype, device = _targets(args, kwargs)
        name = check_device(device)
        if dtype is not None and dtype not in _FLOATS:
            raise TypeError(f"dtype is {dtype}; wanted a type of floats")
        if name is not None:
            self._move(name)
        if dtype is None:
            return self
        return self._convert(dtype, lambda old: old in _FLOATS)

    def _move(self, device: str) -> None:
        """Parameters and buffers to a device; they stay the tensors they are."""
        for module in self.modules():
            for table in ("_parameters", "_buffers"):
                for tensor in module.__dict__[table].values():
                    if tensor is not None and _core.tensor_device(tensor) != device:
                        there = _core.tensor_to(tensor.detach(), device)
                        _core.nn_set_data(tensor, there)

    def type(self: T, dst_type: Any) -> T:
        """Convert all parameters and buffers."""
        return self._convert(dst_type, lambda old: True)

    def float(self: T) -> T:
        """Convert parameters and buffers of floats to float32."""
        return self.to(_core.float32)

    def double(self: T) -> T:
        """Convert parameters and buffers of floats to float64."""
        return self.to(_core.float64)

    def half(self: T) -> T:
        """Convert parameters and buffers of floats to float16."""
        return self.to(_core.float16)

    def bfloat16(self: T) -> T:
        """Convert parameters and buffers of floats to bfloat16."""
        return self.to(_core.bfloat16)

    def cpu(self: T) -> T:
        """Move parameters and buffers to the CPU."""
        return self.to("cpu")

    def cuda(self: T, device: Any = None) -> T:
        """Move parameters and buffers to a GPU."""
        return self.to(device="cuda" if device is None else device)

    # ---- Text ----

    def extra_repr(self) -> str:
        """The text between the parentheses: "784, 100"."""
        return ""

    def _one_line(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"

    def __repr__(self) -> str:
        if not self._modules:
            return self._one_line()
        lines = [line for line in self.extra_repr().split("\n") if line]
        for name, child in self._modules.items():
            first, *rest = repr(child).split("\n")
            lines.append(f"({name}): {first}")
            lines.extend(rest)
        body = "".join(f"\n  {line}" for line in lines)
        return f"{type(self).__name__}({body}\n)"


_FLOATS = (_core.float32, _core.float64, _core.float16, _core.bfloat16)


def _targets(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    dtype, device = kwargs.pop("dtype", None), kwargs.pop("device", None)
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise TypeError(f"to() has no argument {next(iter(kwargs))!r}")
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif arg is None or isinstance(arg, bool):
            continue
        elif isinstance(arg, _core.dtype):
            dtype = arg
        elif isinstance(arg, str) or hasattr(arg, "type"):
            device = arg
        else:
            raise TypeError(
                f"to(): got a {type(arg).__name__}; wanted a dtype, a device or a "
                "Tensor"
            )
    return dtype, device
