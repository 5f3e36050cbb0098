"""Each argument of a module's constructor set in turn, on both sides."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

import run_module
import sluice as sl
from cross import CannotCross, to_torch
from judge import compare
from keyword_values import others

SAMPLES = 2  # base calls of each module
# Where, how, of what type, and what is drawn at random.
SKIPPED = {"self", "device", "dtype", "inplace", "input_size", "dropout"}
Outcome = tuple[str, str]


def _with(info: Any, sample: Any, name: str, value: Any) -> Any:
    """The sample with one argument of its constructor by name."""
    made = sample.constructor_input
    bound = inspect.signature(info.module_cls.__init__).bind_partial(
        None, *made.args, **made.kwargs).arguments  # fmt: skip
    kwargs = {}
    for key, given in bound.items():
        if key == "self":
            continue
        kwargs.update(given if key == "kwargs" else {key: given})
    kwargs[name] = value
    return type(sample)(constructor_input=type(made)(**kwargs),
                        forward_input=sample.forward_input, desc=sample.desc)  # fmt: skip


def _theirs(info: Any, sample: Any, training: bool) -> tuple[Any, Any]:
    torch.manual_seed(0)
    side = run_module._theirs(info, sample, torch.float64, training)
    state = {k: v.detach().clone() for k, v in side.module.state_dict().items()}
    return tree_map(_dense, side.run(side.module)), state


def _mine(info: Any, sample: Any, training: bool, state: Any) -> Any:
    side = run_module._ours(info, sample, torch.float64, training, state)
    return to_torch(tree_map(_dense, side.run(side.module)))


def _dense(value: Any) -> Any:
    """Sparse gradients as what they say."""
    if isinstance(value, (sl.Tensor, torch.Tensor)) and value.is_sparse:
        return value.to_dense()
    return value


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(compare(to_torch(a[k]), to_torch(b[k]))[0] == "equal" for k in a)


def _one(info: Any, sample: Any, training: bool, base: Any) -> Outcome:
    try:
        wanted, state = _theirs(info, sample, training)
    except Exception as error:
        refusal = run_module._refusal(error)
        try:
            module = getattr(sl.nn, info.module_cls.__name__)(
                **run_module.to_sluice(sample.constructor_input.kwargs))  # fmt: skip
            made = _mine(info, sample, training,
                         {k: to_torch(v) for k, v in module.state_dict().items()})
        except Exception:
            return "equal", ""
        return "accepted", ("ignored; " if _same(base, made) else "") + refusal
    try:
        made = _mine(info, sample, training, state)
    except CannotCross:
        return "skipped", ""
    except Exception as error:
        return "refused", run_module._refusal(error)
    for part, want in wanted.items():
        kind, text = compare(want, to_torch(made[part]))
        if kind != "equal":
            swallowed = _same(base, made) and kind == "value"
            return "swallowed" if swallowed else kind, f"{part}: {text}"
    return "equal", ""


def run_modules(names: set[str]) -> Iterator[tuple[str, str, str, Outcome]]:
    """(module, mode, the argument and its value, outcome) of every call."""
    from torch.testing._internal.common_modules import module_db

    warnings.simplefilter("ignore")
    for info in module_db:
        name = info.module_cls.__name__
        if not hasattr(sl.nn, name) or (names and "nn." + name not in names):
            continue
        torch.manual_seed(0)
        samples = info.module_inputs_func(
            info, device="cpu", dtype=torch.float64, requires_grad=True,
            training=True)  # fmt: skip
        parameters = inspect.signature(info.module_cls.__init__).parameters
        for n, sample in enumerate(samples):
            if n >= SAMPLES:
                break
            try:
                _, state = _theirs(info, sample, True)
                base = _mine(info, sample, True, state)
            except Exception:
                continue
            given = sample.constructor_input.kwargs
            for p in parameters.values():
                if p.name in SKIPPED or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                    continue
                now = given.get(p.name, p.default)
                if now is p.empty:
                    continue
                for value in others(p.name, now):
                    try:
                        changed = _with(info, sample, p.name, value)
                    except TypeError:
                        continue
                    yield ("nn." + name, "training", f"{p.name}={value!r} #{n}",
                           _one(info, changed, True, base))  # fmt: skip
