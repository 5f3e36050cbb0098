"""The state of the library's optimizers in PyTorch's layout.

{"state": {0: {"step": ..., "exp_avg": ...}}, "param_groups": [{"lr": ...,
"params": [0, 1]}]}, with a number for each parameter. Slots have PyTorch's names
in both. PyTorch counts the steps of each parameter, Sluice those of a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import _core
from .._core import Tensor
from . import _python_state

__all__ = ["is_torch_state", "load", "state_dict"]

# Options that select PyTorch's implementation and have no effect here.
_WAYS = ("foreach", "fused", "capturable", "differentiable", "decoupled_weight_decay")


def is_torch_state(given: Any) -> bool:
    """Whether the state is in PyTorch's layout, or that layout as read from a file."""
    return isinstance(given, Mapping) and any(
        key == "param_groups" or str(key).startswith("param_groups.") for key in given
    )


def _refuse_lbfgs(optimizer: Any) -> None:
    if type(optimizer).__name__ == "LBFGS":
        raise NotImplementedError(
            "LBFGS: its history in PyTorch's layout; wanted state_dict()"
        )


def _named(optimizer: Any) -> Iterator[tuple[int, int, str]]:
    """(group, number in it, name in the state) of each parameter."""
    number = 0
    for g, group in enumerate(optimizer.param_groups):
        names = group.get("param_names")
        for k in range(len(group["params"])):
            yield g, k, names[k] if names and names[k] else str(number)
            number += 1


def state_dict(optimizer: Any) -> dict[str, Any]:
    """The state in PyTorch's layout; slots are those in use, not copies."""
    _refuse_lbfgs(optimizer)
    flat = optimizer.state_dict()
    counts = type(optimizer).__name__ != "SGD"
    state: dict[int, dict[str, Any]] = {}
    packed = [{k: v for k, v in group.items() if k != "params"} | {"params": []}
              for group in optimizer.param_groups]  # fmt: skip
    for number, (g, _, name) in enumerate(_named(optimizer)):
        packed[g]["params"].append(number)
        prefix = name + "."
        slots = {k[len(prefix) :]: v for k, v in flat.items() if k.startswith(prefix)}
        # Drop slots of a parameter whose name extends this name by a dot.
        slots = {k: v for k, v in slots.items() if "." not in k}
        if slots:
            step = flat[f"groups.{g}.step"]
            own = {"step": step.to(_core.float32)} if counts else {}
            state[number] = own | slots
    return {"state": state, "param_groups": packed}


def _tensor(value: Any, dtype: Any) -> Tensor:
    if isinstance(value, Tensor):
        found = value.detach()
    elif hasattr(value, "__dlpack__"):
        found = _core.from_dlpack(value.detach() if hasattr(value, "detach") else value)
    else:
        found = _core.tensor(value)
    return found.to(dtype)


def _number(value: Any) -> float:
    return float(value.item()) if hasattr(value, "item") else float(value)


def _check_ways(options: Mapping[str, Any], group: Any, what: str) -> None:
    if options.get("differentiable"):
        raise NotImplementedError(f"{what}: differentiable=True in the state")
    key = "decoupled_weight_decay"  # Adam with it is AdamW
    if key in group or key not in options or not options.get("weight_decay", 0):
        return
    if bool(options[key]) != (what == "AdamW"):
        wanted = "AdamW" if options[key] else "Adam"
        raise ValueError(f"{what}: {key}={options[key]} in the state; wanted {wanted}")


def _flat(
    optimizer: Any, packed: list[Any], state: Mapping[Any, Any]
) -> dict[str, Tensor]:
    """The state by names, in the library's layout."""
    what = type(optimizer).__name__
    slots = {int(key): kept for key, kept in state.items()}
    flat: dict[str, Tensor] = {}
    steps: list[set[int]] = [set() for _ in packed]
    for g, k, name in _named(optimizer):
        p = optimizer.param_groups[g]["params"][k]
        wide = p.dtype == _core.float64
        dtype = _core.float64 if wide else _core.float32
        number = int(_python_state._listed(packed[g]["params"])[k])
        found = slots.pop(number, {})
        kept = {s: v for s, v in found.items() if v is not None}
        if "step" in kept:
            steps[g].add(int(_number(kept.pop("step"))))
        elif kept:
            steps[g].add(1)  # PyTorch does not count these: there was one
        flat.update({f"{name}.{s}": _tensor(v, dtype) for s, v in kept.items()})
    if slots:
        raise ValueError(f"{what}: state of unknown parameters {sorted(slots)}")
    for g, (options, counts) in enumerate(zip(packed, steps, strict=True)):
        if len(counts) > 1:
            raise ValueError(
                f"{what}: parameters of group {g} have done {sorted(counts)} steps; "
                "wanted as many each, since a group counts them here"
            )
        lr = options.get("lr", optimizer.param_groups[g]["lr"])
        flat[f"groups.{g}.lr"] = _core.tensor(_number(lr), dtype=_core.float64)
        count = _core.tensor(counts.pop() if counts else 0, dtype=_core.int64)
        flat[f"groups.{g}.step"] = count
    return flat


def load(optimizer: Any, given: Mapping[str, Any]) -> None:
    """Restores a state. Changes nothing if it does not fit."""
    _refuse_lbfgs(optimizer)
    what = type(optimizer).__name__
    if "param_groups" not in given:
        given = _python_state._nested(given)
    packed = _python_state._listed(given["param_groups"])
    groups = optimizer.param_groups
    sizes = [len(group["params"]) for group in groups]
    found = [len(options.get("params", ())) for options in packed]
    if sizes != found:
        raise ValueError(
            f"{what}.load_state_dict: the groups have {found} parameters; wanted "
            f"{sizes}"
        )
    for group, options in zip(groups, packed, strict=True):
        _check_ways(options, group, what)
    flat = _flat(optimizer, packed, given.get("state", {}))
    before = [{k: group[k] for k in group._option_values()} for group in groups]
    try:
        for group, options in zip(groups, packed, strict=True):
            for key in group._option_values():
                if key in options and key != "lr":
                    group[key] = _python_state._like(group[key], options[key])
        optimizer._core.load_state_dict(flat)
    except BaseException:
        for group, options in zip(groups, before, strict=True):
            for key, value in options.items():
                group[key] = value
        raise
    for group, options in zip(groups, packed, strict=True):
        for key, value in options.items():
            if key not in ("params", "param_names", *_WAYS, *group._option_values()):
                group[key] = _python_state._like(group.get(key), value)
