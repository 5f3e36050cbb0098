"""Whether two results are the same: structure, shapes, types, values."""

from __future__ import annotations

from typing import Any

import torch

from cross import dtype_name

# rtol, atol by type: some ulp more than PyTorch's own tests allow.
_NEAR = {
    "float64": (1e-7, 1e-7),
    "float32": (1e-4, 1e-5),
    "bfloat16": (4e-2, 1e-2),
    "float16": (5e-3, 1e-3),
    "complex64": (1e-4, 1e-5),
}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in _leaves(v)]
    return [value]


def _text(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{dtype_name(value.dtype)}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(_text(v) for v in value) + ")"
    return repr(value)[:60]


def _sample(value: torch.Tensor) -> str:
    return str(value.flatten()[:6].tolist())


def compare(
    wanted: Any, got: Any, *, values: bool = True, exact: Any = None
) -> tuple[str, str]:
    """("equal", "") or what differs first of: shape, dtype, value; and how.

    exact: the result in double precision; one of ours that is as near to it as
    PyTorch's is equal.
    """
    want, have = _leaves(wanted), _leaves(got)
    if len(want) != len(have):
        return "shape", f"{_text(got)}; wanted {_text(wanted)}"
    truths = _leaves(exact) if exact is not None else []
    if len(truths) != len(want):
        truths = [None] * len(want)
    kinds = []
    for w, h, t in zip(want, have, truths):
        kinds.append(_one(w, h, t, values))
    for kind in ("shape", "dtype", "value"):
        for found, text in kinds:
            if found == kind:
                return found, text
    return "equal", ""


def _one(want: Any, have: Any, truth: Any, values: bool) -> tuple[str, str]:
    if not isinstance(want, torch.Tensor):
        if isinstance(have, torch.Tensor) and have.ndim == 0:
            have = have.item()
        if isinstance(have, torch.Tensor):
            return "shape", f"{_text(have)}; wanted {want!r}"
        if isinstance(want, torch.dtype) or not isinstance(
            want, (bool, int, float, complex)
        ):
            same = str(want) == str(have) or dtype_name(want) == dtype_name(have)
            return ("equal", "") if same else ("value", f"{have}; wanted {want}")
        same = want == have or (want != want and have != have)
        return ("equal", "") if same else ("value", f"{have}; wanted {want}")
    if not isinstance(have, torch.Tensor):
        have = torch.as_tensor(have)
    if want.shape != have.shape:
        return "shape", f"{_text(have)}; wanted {_text(want)}"
    if want.dtype != have.dtype:
        return "dtype", f"{_text(have)}; wanted {_text(want)}"
    if not values or _near(want, have):
        return "equal", ""
    if truth is not None and _as_near(want, have, truth):
        return "equal", ""
    return "value", f"{_sample(have)}; wanted {_sample(want)} ({_text(want)})"


def _near(want: torch.Tensor, have: torch.Tensor) -> bool:
    want = want.resolve_conj().resolve_neg()
    if dtype_name(want.dtype) not in _NEAR:
        return bool(torch.equal(want, have))
    rtol, atol = _NEAR[dtype_name(want.dtype)]
    return bool(torch.allclose(have, want, rtol=rtol, atol=atol, equal_nan=True))


def _as_near(want: torch.Tensor, have: torch.Tensor, truth: torch.Tensor) -> bool:
    if not isinstance(truth, torch.Tensor) or truth.shape != want.shape:
        return False
    if not want.is_floating_point():
        return False
    w, h, t = want.double(), have.double(), truth.double()
    if not torch.equal(torch.isnan(h), torch.isnan(t)):
        return False
    rtol, atol = _NEAR[dtype_name(want.dtype)]
    finite = torch.isfinite(t)
    # What is infinite in the narrower type is so on both sides.
    same = (h == t) | (torch.isnan(h) & torch.isnan(t)) | (h == w)
    slack = 4 * (w - t).abs() + rtol * t.abs() + atol
    return bool((same | (finite & ((h - t).abs() <= slack))).all())
