"""One module of PyTorch's database on both sides: results, gradients, buffers.

Each sample is built twice from one call of the constructor, gets PyTorch's numbers
by `load_state_dict`, and runs at once and captured, in training and in evaluation.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

import sluice as sl
from cross import CannotCross, dtype_name, to_sluice, to_torch
from judge import compare

DTYPES = [torch.float32, torch.float64]
Outcome = tuple[str, str]


def _refusal(error: BaseException) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0][:160] if text else ''}"


def _leaves(value: Any, kind: type) -> list[Any]:
    if isinstance(value, kind):
        return [value]
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in _leaves(v, kind)]
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in _leaves(v, kind)]
    return []


def _weighted(outs: list[Any], weights: list[Any]) -> Any:
    return sum((out * w).sum() for out, w in zip(outs, weights))


def _copied(sample: Any, dtype: Any) -> Any:
    """The sample with leaves of its own; one that comes twice is still one."""
    made: dict[int, Any] = {}

    def copy(v: Any) -> Any:
        if not isinstance(v, torch.Tensor):
            return v
        if id(v) not in made:
            own = v.detach().clone()
            own = own.to(dtype) if own.is_floating_point() else own
            made[id(v)] = own.requires_grad_(v.requires_grad)
        return made[id(v)]

    kind, inputs = type(sample), sample.forward_input
    args, kwargs = tree_map(copy, (inputs.args, inputs.kwargs))
    return kind(constructor_input=sample.constructor_input,
                forward_input=type(inputs)(*args, **kwargs),
                desc=sample.desc)  # fmt: skip


class Side:
    """A module, its inputs, and what running it once leaves."""

    def __init__(self, module: Any, args: Any, kwargs: Any, tensor: type) -> None:
        self.module, self.args, self.kwargs, self.tensor = module, args, kwargs, tensor

    def run(self, call: Any) -> Any:
        """Results, gradients of inputs and parameters, and the state afterwards."""
        out = call(*self.args, **self.kwargs)
        outs = [t for t in _leaves(out, self.tensor) if t.requires_grad]
        asked = [t for t in _leaves((self.args, self.kwargs), self.tensor)
                 if t.requires_grad]  # fmt: skip
        named = sorted(self.module.named_parameters())
        if outs:
            _weighted(outs, [_weights(t, self.tensor) for t in outs]).backward()
        return {
            "result": out,
            "gradient": [t.grad for t in asked],
            "parameters": [p.grad for _, p in named],
            "state": [v for _, v in sorted(self.module.state_dict().items())],
        }


def _weights(like: Any, kind: type) -> Any:
    generator = torch.Generator().manual_seed(7)
    made = torch.rand(tuple(like.shape), generator=generator, dtype=torch.float64)
    if kind is torch.Tensor:
        return made.to(like.dtype)
    return sl.from_dlpack(made).astype(like.dtype)


def _theirs(info: Any, sample: Any, dtype: Any, training: bool) -> Side:
    made = sample.constructor_input
    module = info.module_cls(*made.args, **made.kwargs).to(dtype)
    module.train(training)
    inputs = _copied(sample, dtype).forward_input
    if info.module_cls.__name__.startswith("Lazy"):
        with torch.no_grad():  # now there are parameters
            module(*inputs.args, **inputs.kwargs)
    return Side(module, inputs.args, inputs.kwargs, torch.Tensor)


def _exact(info: Any, sample: Any, training: bool, state: Any) -> dict[str, Any]:
    """The same in double precision: what either side may miss by rounding."""
    side = _theirs(info, sample, torch.float64, training)
    side.module.load_state_dict(state)
    return side.run(side.module)


def _ours(info: Any, sample: Any, dtype: Any, training: bool, state: Any) -> Side:
    made = sample.constructor_input
    module = getattr(sl.nn, info.module_cls.__name__)(
        *to_sluice(made.args), **to_sluice(made.kwargs))  # fmt: skip
    inputs = sample.forward_input
    crossed: dict[int, Any] = {}
    args, kwargs = tree_map(
        lambda v: crossed.setdefault(id(v), to_sluice(v))
        if isinstance(v, torch.Tensor) else to_sluice(v),
        (inputs.args, inputs.kwargs))  # fmt: skip
    if info.module_cls.__name__.startswith("Lazy"):
        with sl.no_grad():
            module(*args, **kwargs)
    module.to(to_sluice(dtype))
    module.train(training)
    module.load_state_dict({k: to_sluice(v) for k, v in state.items()})
    return Side(module, args, kwargs, sl.Tensor)


def _judge(wanted: Any, got: dict[str, Any], exact: Any) -> Outcome:
    for part, want in wanted.items():
        have = to_torch(got[part])
        kind, text = compare(want, have)
        if kind == "value":
            kind, text = compare(want, have, exact=exact()[part])
        if kind != "equal":
            return kind, f"{part}: {text}"
    return "equal", ""


def _one(
    info: Any, sample: Any, dtype: Any, training: bool
) -> Iterator[tuple[str, Outcome]]:
    torch.manual_seed(0)
    theirs = _theirs(info, sample, dtype, training)
    state = {k: v.detach().clone() for k, v in theirs.module.state_dict().items()}
    try:
        wanted = theirs.run(theirs.module)
    except Exception as error:
        yield "at once", ("skipped", _refusal(error))
        return
    for form in ("at once", "captured"):
        try:
            ours = _ours(info, sample, dtype, training, state)
            names = set(ours.module.state_dict())
            if names != set(state):
                yield form, ("shape", f"state {sorted(names)}; wanted {sorted(state)}")
                return
            call = ours.module if form == "at once" else sl.function(ours.module)
            yield form, _judge(wanted, ours.run(call),
                               lambda: _exact(info, sample, training, state))  # fmt: skip
        except CannotCross as error:
            yield form, ("skipped", f"argument: {error}")
        except Exception as error:
            yield form, ("refused", _refusal(error))


def run_module(info: Any) -> Iterator[tuple[str, str, int, str, str]]:
    """(type, form, number, outcome, text) of every sample."""
    if not hasattr(sl.nn, info.module_cls.__name__):
        yield "", "", 0, "no counterpart", ""
        return
    for dtype in DTYPES:
        for training in (True, False):
            torch.manual_seed(0)
            samples = info.module_inputs_func(
                info, device="cpu", dtype=dtype, requires_grad=True,
                training=training)  # fmt: skip
            for n, sample in enumerate(samples):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for form, (outcome, text) in _one(info, sample, dtype, training):
                        mode = "training" if training else "evaluation"
                        yield (dtype_name(dtype), f"{form}, {mode}", n, outcome,
                               f"{sample.desc} {text}".strip())  # fmt: skip
