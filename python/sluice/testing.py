"""For tests: tensors held against each other, gradients against differences."""

from __future__ import annotations

from typing import Any

from . import _core
from .autograd import gradcheck, gradgradcheck


__all__ = ["assert_close", "assert_equal", "gradcheck", "gradgradcheck"]

# (rtol, atol) by element type; others are compared exactly.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    msg: str | None = None,
) -> None:
    """Raises AssertionError unless |actual - expected| <= atol + rtol |expected|.

    Tensors, arrays, numbers and nested lists of them; trees of these are compared
    leaf by leaf. Tolerances follow from the element type unless both are given.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: wanted both rtol and atol, or none of them")
    if isinstance(actual, dict) or isinstance(expected, dict):
        _same_keys(actual, expected)
        for key in actual:
            assert_close(
                actual[key],
                expected[key],
                rtol=rtol,
                atol=atol,
                equal_nan=equal_nan,
                msg=f"at {key!r}: " + (msg or ""),
            )
        return
    if isinstance(actual, (tuple, list)) and any(
        isinstance(part, _core.Tensor) for part in actual
    ):
        if len(actual) != len(expected):
            raise AssertionError(f"{len(actual)} parts; wanted {len(expected)}")
        for i, (a, b) in enumerate(zip(actual, expected)):
            assert_close(
                a,
                b,
                rtol=rtol,
                atol=atol,
                equal_nan=equal_nan,
                msg=f"at {i}: " + (msg or ""),
            )
        return
    if rtol is None or atol is None:
        rtol, atol = max(_tolerance(actual), _tolerance(expected))
    found = _core.describe_difference(actual, expected, rtol, atol, equal_nan)
    if found:
        raise AssertionError((msg or "") + found)


def assert_equal(actual: Any, expected: Any) -> None:
    """Raises AssertionError unless all elements are equal; NaN equals NaN."""
    assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


def _tolerance(value: Any) -> tuple[float, float]:
    name = str(getattr(value, "dtype", "")).rpartition(".")[2]
    return _TOLERANCES.get(name, (0.0, 0.0))


def _same_keys(actual: Any, expected: Any) -> None:
    if set(actual) != set(expected):
        raise AssertionError(
            f"keys differ: {sorted(actual)} and {sorted(expected)}"
        )
