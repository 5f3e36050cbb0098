"""Module: parameters and submodules under names, and their forward."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

from .. import _core
from .._core import Tensor
from . import _paths
from ._hooks import HookTable, ModuleHooks, run_hooks, run_pre_hooks
from ._hooks_backward import BackwardCall
from ._no_effect import warn_of_no_effect
from ._parameter import Parameter
from ._state import ModuleState
from ._table import Table

T = TypeVar("T", bound="Module")

_TABLES = ("_parameters", "_buffers", "_modules")
# Called for every module call; `summary` sets it temporarily.
observer: Any = None
# Replaces forward while a graph is recorded from converted code.
converted_forward: Any = None


class Module(ModuleHooks, ModuleState):
    """Base of all models: subclass it, assign layers in `__init__`, write `forward`.

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1, self.fc2 = nn.Linear(784, 100), nn.Linear(100, 10)

            def forward(self, x):
                return self.fc2(F.relu(self.fc1(x)))

    Parameters, modules and buffers that are assigned become part of it, under
    the names of the attributes.
    """

    def __init__(self) -> None:
        fields = self.__dict__
        fields["_mode"] = _core.NnMode()
        fields["_parameters"] = Table()
        fields["_buffers"] = Table()
        fields["_modules"] = Table()
        fields["_non_persistent"] = set()
        fields["_pre_hooks"] = HookTable()
        fields["_hooks"] = HookTable()
        fields["_backward_pre_hooks"] = HookTable()
        fields["_backward_hooks"] = HookTable()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation of the module, which every subclass defines."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    # ---- Calls ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fields = self.__dict__
        if "_modules" not in fields:
            raise AttributeError(
                f"{type(self).__name__}.__init__ does not call super().__init__()"
            )
        try:
            if observer is not None or _core.nn_building():
                return self._call_watched(args, kwargs)
            if (
                fields["_pre_hooks"]
                or fields["_hooks"]
                or fields["_backward_hooks"]
                or fields["_backward_pre_hooks"]
            ):
                return self._call_hooked(args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            _paths.note_error(self, error)
            raise

    def _call_watched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        watching = observer
        if watching is not None and watching.thread != threading.get_ident():
            watching = None
        if watching is not None:
            watching.begin(self)
        try:
            with _paths.GraphCall(self):
                result = self._call_hooked(args, kwargs)
            if watching is not None:
                watching.result(self, result)
            return result
        finally:
            if watching is not None:
                watching.end(self)

    def _call_hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own = converted_forward
        args, kwargs = run_pre_hooks(self, self._pre_hooks, args, kwargs, own)
        watched = None
        if self._backward_hooks or self._backward_pre_hooks:
            watched = BackwardCall(self, self._backward_pre_hooks, self._backward_hooks)
            args = watched.watch_inputs(args)
        forward = self.forward if own is None else own(self.forward)
        result = forward(*args, **kwargs)
        result = run_hooks(self, self._hooks, args, kwargs, result, own)
        return result if watched is None else watched.watch_result(result)

    # ---- Attributes ----

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if isinstance(value, (Parameter, Module)):
            if "_modules" not in fields:
                raise AttributeError(
                    f"cannot assign {name} before super().__init__() was called"
                )
            table = "_parameters" if isinstance(value, Parameter) else "_modules"
            for other in _TABLES:
                if other != table:
                    fields[other].pop(name, None)
            if name in fields:
                self._attribute_changes(name)
                del fields[name]
            if isinstance(value, Module):
                self._check_child(name, value)
            fields[table][name] = value
            return
        for table in _TABLES:
            held = fields.get(table)
            if held is not None and name in held:
                self._assign_held(table, name, value)
                return
        if isinstance(value, bool) and name not in fields:
            warn_of_no_effect(self, name)
        self._attribute_changes(name)
        object.__setattr__(self, name, value)

    def _attribute_changes(self, name: str) -> None:
        """Tells functions that were recorded, and one that is being recorded."""
        _core.bump_epoch()
        recorder = _core.recorder()
        if recorder is not None:
            recorder.module_changes(self, name)

    def _assign_held(self, table: str, name: str, value: Any) -> None:
        wanted = {"_parameters": "a Parameter", "_modules": "a Module"}.get(
            table, "a Tensor"
        )
        if value is not None and not (
            table == "_buffers" and isinstance(value, Tensor)
        ):
            raise TypeError(
                f"cannot assign a {type(value).__name__} as {name}; wanted "
                f"{wanted} or None"
            )
        self.__dict__[table][name] = value

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        for table in _TABLES:
            held = fields.get(table)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        for table in _TABLES:
            held = self.__dict__.get(table, {})
            if name in held:
                del held[name]
                self.__dict__["_non_persistent"].discard(name)
                return
        self._attribute_changes(name)
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = set(super().__dir__())
        for table in _TABLES:
            names.update(self.__dict__.get(table, {}))
        return sorted(n for n in names if not n[:1].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None keeps the name for none."""
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"parameter {name} is a {type(param).__name__}; wanted a "
                "Parameter or None"
            )
        self.__dict__["_parameters"][name] = param

    def register_buffer(
        self, name: str, tensor: Tensor | None, persistent: bool = True
    ) -> None:
        """Add state that is no parameter, as running means.

        It is part of `state_dict()` when it is persistent.
        """
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"buffer {name} is a {type(tensor).__name__}; wanted a Tensor or None"
            )
        self.__dict__["_buffers"][name] = tensor
        if persistent:
            self.__dict__["_non_persistent"].discard(name)
        else:
            self.__dict__["_non_persistent"].add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name; None keeps the name for none."""
        self._check_name(name, "module", "_modules")
        if module is not None:
            if not isinstance(module, Module):
                raise TypeError(
                    f"module {name} is a {type(module).__name__}; wanted a "
                    "Module or None"
                )
            self._check_child(name, module)
        self.__dict__["_modules"][name] = module

    add_module = register_module

    def _check_name(self, name: str, kind: str, table: str) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError(
                f"cannot add a {kind} before super().__init__() was called"
            )
        if not isinstance(name, str):
            raise TypeError(
                f"the name of a {kind} is a {type(name).__name__}; wanted a str"
            )
        if name == "" or "." in name:
            raise KeyError(
                f"the name of a {kind} is {name!r}; wanted one, without dots"
            )
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"{kind} {name}: there is an attribute of that name already")

    def _check_child(self, name: str, child: Module) -> None:
        if child is self or any(m is self for m in child.modules()):
            raise ValueError(f"module {name} contains the module it is added to")

    # ---- Modes ----

    @property
    def training(self) -> bool:
        """Whether the module trains: dropout drops, batch norm takes the batch's
        statistics. A recorded function that asks is recorded again for the other
        mode."""
        result: bool = self.__dict__["_mode"].get(self)
        return result

    @training.setter
    def training(self, wanted: bool) -> None:
        self._set_mode(bool(wanted))

    def _set_mode(self, wanted: bool) -> None:
        recorder = _core.recorder()
        if recorder is not None:
            recorder.mode_changes(self)
        self.__dict__["_mode"].set(wanted)

    def _mode_text(self) -> str:
        return "the mode of " + _paths.module_text(_paths.path_in_calls(self), self)

    def train(self: T, mode: bool = True) -> T:
        """Set the mode of this module and all below it."""
        if not isinstance(mode, bool):
            raise ValueError(f"mode is {mode!r}; wanted True or False")
        for module in self.modules():
            module._set_mode(mode)
        return self

    def eval(self: T) -> T:
        """The mode for use: train(False)."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Whether parameters get gradients, all of them."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        if set_to_none:
            _core.nn_zero_grad(list(self.parameters()))
            return
        for p in self.parameters():
            if p.grad is not None:
                _core.nn_init_constant(p.grad, 0.0)

    # ---- Copies ----

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_mode"] = self.training
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        training = state.pop("_mode")
        self.__dict__["_mode"] = _core.NnMode()
        self.__dict__["_mode"].set(training)
        for table in _TABLES:
            state[table] = Table(state[table])
        self.__dict__.update(state)
