"""Whole numbers taken from tensors are Python's: beyond 64 bits, and beyond the digits
of floats they are compared with or divided to."""

import importlib.util
import itertools

import pytest

import sluice as sl

NUMBERS = (0, 1, -1, 3, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63 - 5, 2**63 - 2**33,
           -(2**63), -(2**63) + 1)
EXPRESSIONS = (
    "a + b", "a - b", "a * b", "a + 5", "a - 5", "5 - a", "a * 3", "-a", "abs(a)",
    "a + 2**40", "a < b", "a == b", "a > b + 1", "a // 3", "a % 7", "a // b", "a % b",
    "a < 2.5", "a == float(b)", "float(a) < b", "a << 1", "a >> 3", "a & b", "~a",
    "min(a, b)", "max(a, b + 1)", "a / 2", "a / b", "a**2", "divmod(a, b)", "a * 0.5",
    "float(a)", "a + 0.5", "a < b + 0.5", "sum([a, b, 1])", "a if a > b else b - 1",
    "float(a) == 2**53 + 1", "a + 1 + 1 + 1",
)


def result(f, *numbers):
    try:
        return repr(f(sl.tensor(numbers)))
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_large_numbers_are_pythons(expression, tmp_path):
    path = tmp_path / "program.py"
    lines = ["def f(k):", "    a, b = int(k[0]), int(k[1])", f"    return {expression}"]
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    captured = sl.function(module.f)
    for a, b in itertools.product(NUMBERS, NUMBERS):
        assert result(captured, a, b) == result(module.f, a, b), (a, b)
