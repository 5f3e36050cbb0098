"""The state of optimizers written in Python, as a dict that can be saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import Tensor


def parameters(groups: list[Any]) -> list[Any]:
    """The parameters of all groups, in order; a state dict refers to them by index."""
    return [p for group in groups for p in group["params"]]


def state_dict(groups: list[Any], state: Mapping[Any, Any]) -> dict[str, Any]:
    """{"state": {0: {...}}, "param_groups": [{..., "params": [0, 1]}]}."""
    numbers = {id(p): i for i, p in enumerate(parameters(groups))}
    packed = []
    for group in groups:
        options = {k: v for k, v in group.items() if k != "params"}
        packed.append({**options, "params": [numbers[id(p)] for p in group["params"]]})
    slots = {numbers.get(id(k), k): v for k, v in state.items()}
    return {"state": slots, "param_groups": packed}


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """{"state.0.m": t}, as files store it, as {"state": {"0": {"m": t}}}."""
    made: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        at = made
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value
    return made


def _copied(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, Mapping):
        return {k: _copied(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(v) for v in value)
    return value


def _like(present: Any, loaded: Any) -> Any:
    """An option in the optimizer's form: files give numbers as tensors."""
    if isinstance(present, (tuple, list)) and isinstance(loaded, Mapping):
        found = [_like(p, loaded.get(str(i), p)) for i, p in enumerate(present)]
        return type(present)(found)
    if isinstance(loaded, Tensor) and not isinstance(present, Tensor):
        # An initial int may have become a float: weight_decay=0.
        return bool(loaded.item()) if isinstance(present, bool) else loaded.item()
    return _copied(loaded)


def _listed(found: Any) -> list[Any]:
    """The list, restored from the form that files give."""
    if isinstance(found, Mapping):
        return [found[str(i)] for i in range(len(found))]
    return list(found)


def _key(name: Any, params: list[Any]) -> Any:
    number = int(name) if isinstance(name, str) and name.isdigit() else name
    if isinstance(number, int) and 0 <= number < len(params):
        return params[number]
    return name


def load(groups: list[Any], given: Mapping[str, Any], what: str) -> dict[Any, Any]:
    """Sets the groups' options; returns the state. Nothing is changed where they do
    not fit."""
    if "param_groups" not in given and any("." in str(k) for k in given):
        given = _nested(given)
    if "param_groups" not in given:
        raise ValueError(
            f"{what}.load_state_dict: there is no 'param_groups'; wanted what "
            "state_dict() gave"
        )
    packed = _listed(given["param_groups"])
    sizes = [len(group["params"]) for group in groups]
    found = [len(group.get("params", ())) for group in packed]
    if sizes != found:
        raise ValueError(
            f"{what}.load_state_dict: the groups have {found} parameters; wanted "
            f"{sizes}"
        )
    params = parameters(groups)
    state = {_key(k, params): _copied(v) for k, v in given.get("state", {}).items()}
    for group, options in zip(groups, packed, strict=True):
        for key, value in options.items():
            if key not in ("params", "param_names"):
                group[key] = _like(group.get(key), value)
    return state
