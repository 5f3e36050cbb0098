"""The base of all optimizers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from .. import _core
from .._closed import closed
from .._core import Tensor
from .._named_parameters import named
from .._recorded import refuse
from . import _python_state, _torch_state
from ._param_group import ParamGroup

__all__ = ["Optimizer", "ParamGroup"]

Closure = Callable[[], Any]


class _Calls:
    """The C++ optimizer, with options as Python names them."""

    def __init__(self, core: Any, translate: Callable[[dict[str, Any]], Any]) -> None:
        self.core = core
        self.lr = core.lr
        self.set_lr = core.set_lr
        self.follows = False  # every step computes the rate
        self._translate = translate

    def set_options(self, group: int, options: dict[str, Any]) -> None:
        self.core.set_options(group, self._translate(options))


@closed
class Optimizer:
    """The base of all optimizers.

    ``params`` is an iterable of tensors, of (name, tensor) pairs, or of dicts
    with "params" and options of their own. ``None`` is for graphs, where
    ``minimize`` finds the variables.

    An optimizer written in Python derives from this class with
    ``super().__init__(params, defaults)`` and defines ``step``; it finds its
    parameters in ``param_groups`` and keeps what it needs in ``state[p]``, a dict
    for each, which ``state_dict`` has, too.
    """

    _class: Any = None  # the C++ class; None: written in Python
    _begun = False  # the initial groups exist
    # Options that C++ splits: {"betas": ("beta1", "beta2")}.
    _parts: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.param_groups: list[ParamGroup] = []
        self.state: dict[Any, Any] = defaultdict(dict)
        self._calls: _Calls | None = None
        self._begin(params)
        self._begun = True

    def _begin(self, params: Any) -> None:
        """Creates the initial groups."""
        if params is None:
            if self._class is None:
                raise ValueError(f"{type(self).__name__}: no parameters")
            core = self._class(None, self._to_core(self.defaults))
            self._calls = _Calls(core, self._to_core)
            group = ParamGroup([], [], self.defaults)
            group._attach(self._calls, 0)
            self.param_groups.append(group)
            return
        if isinstance(params, _core.Tensor):
            named(params, type(self).__name__)  # raises the error
        if not isinstance(params, Mapping):
            params = list(params)
            if params and isinstance(params[0], Mapping):
                for group in params:
                    self.add_param_group(group)
                return
        self.add_param_group({"params": params})

    @property
    def _core(self) -> Any:
        if self._calls is None:
            raise NotImplementedError(
                f"{type(self).__name__} is written in Python; this is for "
                "optimizers of the library"
            )
        return self._calls.core

    def _given(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The ``arguments`` that C++ lists as options, in their order."""
        if arguments.get("differentiable"):
            raise NotImplementedError(
                f"{self._class.__name__}: differentiable=True; write the update "
                "with ops instead"
            )
        names = {name for name, _, _ in self._class.options()} | set(self._parts)
        return {k: v for k, v in arguments.items() if k in names}

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options under their C++ names."""
        read = dict(options)
        for key, parts in self._parts.items():
            given = read.pop(key)
            try:
                read.update(zip(parts, given, strict=True))
            except (TypeError, ValueError):
                raise ValueError(
                    f"{key} is {given!r}; wanted a pair of numbers"
                ) from None
        return read

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Adds parameters: {"params": tensors, "lr": 0.01, ...}."""
        what = type(self).__name__
        if self._begun:
            refuse(
                f"{what}.add_param_group() would be done only when the function is "
                "recorded",
                "wanted it outside of the function",
            )
        if not isinstance(param_group, Mapping) or "params" not in param_group:
            raise TypeError(f"{what}: a group is no dict with \"params\"")
        given = param_group["params"]
        if isinstance(given, _core.Tensor):
            given = [given]
        pairs = named(given, what)
        options = dict(self.defaults)
        extra: dict[str, Any] = {}
        for key, value in param_group.items():
            if key in options:
                options[key] = value
            elif key not in ("params", "param_names"):
                extra[key] = value
        if self._class is not None:
            unknown = sorted(set(extra) - {"initial_lr", "name"})
            if unknown:
                raise ValueError(
                    f"{what} has no option {unknown[0]!r}; wanted one of: "
                    + ", ".join(sorted(options))
                )
        group = ParamGroup([p for _, p in pairs], [n for n, _ in pairs], options)
        for key, value in extra.items():
            group[key] = value
        if self._class is not None:
            read = self._to_core(options)
            if self._calls is None:
                self._calls = _Calls(self._class(pairs, read), self._to_core)
                index = 0
            else:
                index = self._calls.core.add_param_group(pairs, read)
            group._attach(self._calls, index)
        elif not pairs:
            raise ValueError(f"{what}: no parameters")
        self.param_groups.append(group)
        _core.bump_epoch()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops all gradients, or sets them to zero."""
        if self._calls is not None:
            self._calls.core.zero_grad(set_to_none)
            return
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def step(self, closure: Closure | None = None) -> Any:
        """Updates all parameters that have gradients, once.

        ``closure`` computes the loss and its gradients first; its result is
        returned.
        """
        if self._calls is None:
            raise NotImplementedError(f"{type(self).__name__} defines no step()")
        recorder = _core.recorder()
        if recorder is not None:
            recorder.check_settled(self, f"{type(self).__name__}.step()")
        if closure is None:
            self._calls.core.step()
            return None
        loss = _core.with_grad(closure)
        self._calls.core.step()
        return loss

    # ---- In a graph ----

    def minimize(self, loss: Tensor, var_list: Iterable[Any] | None = None) -> Any:
        """The graph operation that makes one step to minimize ``loss``.

        It updates ``var_list``, or the optimizer's variables, or all floating-point
        variables that the loss depends on.
        """
        return self._core.minimize(loss, var_list)

    def compute_gradients(
        self, loss: Tensor, var_list: Iterable[Any] | None = None
    ) -> list[tuple[Tensor | None, Any]]:
        """The (gradient, variable) pairs that ``minimize`` uses."""
        pairs: list[tuple[Tensor | None, Any]]
        pairs = self._core.compute_gradients(loss, var_list)
        return pairs

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """The operation that applies gradients; the second half of minimize."""
        return self._core.apply_gradients(grads_and_vars)

    def follow(self, curve: Any) -> None:
        """Makes every step compute the rate from a curve, from now on.

        This also works in graphs and captured functions, where a scheduler cannot
        set a new rate.
        """
        refuse(
            f"{type(self).__name__}.follow() would be done only when the function is "
            "recorded",
            "wanted it outside of the function",
        )
        self._core.follow(curve)
        if self._calls is not None:
            self._calls.follows = True
        self._curve = curve

    # ---- State ----

    def state_dict(self) -> dict[str, Any]:
        """Tensors by name: "<parameter>.<slot>", "groups.<i>.lr", "....step".

        Of an optimizer written in Python, as PyTorch has it: {"state": {0: {...}},
        "param_groups": [...]}, with a number for each parameter. The tensors are
        those in use, not copies; ``sl.save`` takes both.
        """
        if self._calls is None:
            return _python_state.state_dict(list(self.param_groups), self.state)
        state: dict[str, Any] = self._core.state_dict()
        return state

    def torch_state_dict(self) -> dict[str, Any]:
        """The state as PyTorch's optimizer of the same name has it: {"state": {0:
        {"step": ..., "exp_avg": ...}}, "param_groups": [...]}, with a number for
        each parameter. ``load_state_dict`` takes that, too."""
        if self._calls is None:
            return self.state_dict()
        return _torch_state.state_dict(self)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, by copying, or the state of PyTorch's
        optimizer of the same name.

        ValueError names all keys that are missing, left over or of another
        shape; nothing is changed then.
        """
        if self._calls is None:
            groups: list[Any] = list(self.param_groups)
            what = type(self).__name__
            loaded = _python_state.load(groups, state_dict, what)
            self.state = defaultdict(dict, loaded)
            return
        if _torch_state.is_torch_state(state_dict):
            _torch_state.load(self, state_dict)
            return
        self._core.load_state_dict(state_dict)

    def __copy__(self) -> Optimizer:
        """An optimizer that shares the groups and state, as in PyTorch."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles: groups as dicts, and the C++ state."""
        if self._calls is not None and not self.param_groups[0]["params"]:
            raise TypeError(
                f"this {type(self).__name__} is part of a graph; wanted one made with "
                "tensors to copy or pickle it"
            )
        kept = ("param_groups", "state", "_calls")
        state = {k: v for k, v in vars(self).items() if k not in kept}
        state["param_groups"] = [
            (group._named(), {k: group[k] for k in group._options}, group._extra())
            for group in self.param_groups
        ]
        state["state"] = list(self.state.items())
        if self._calls is not None:
            state["_of_core"] = self._core.state_dict()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        groups, slots = state.pop("param_groups"), state.pop("state")
        of_core = state.pop("_of_core", None)
        vars(self).update(state)
        self.param_groups, self._calls = [], None
        self._begun = False
        for params, options, extra in groups:
            self.add_param_group({"params": params, **options})
            for key, value in extra.items():
                self.param_groups[-1][key] = value
        self._begun = True
        self.state = defaultdict(dict, slots)
        if of_core is not None:
            self._core.load_state_dict(of_core)
            if hasattr(self, "_curve"):
                self.follow(self._curve)

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            lines = [f"Parameter Group {i}"]
            for key in sorted(group):
                if key not in ("params", "param_names"):
                    lines.append(f"    {key}: {group[key]}")
            groups.append("\n".join(lines))
        return f"{type(self).__name__} (\n" + "\n\n".join(groups) + "\n)"
