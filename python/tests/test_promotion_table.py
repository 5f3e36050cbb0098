"""Types that differ are brought together in one way, in Python and in C++.

The table is tests/promotion.txt, which src/sluice/eager/promote_test.cc reads, too.

    PYTHONPATH=build/release/python python python/tests/test_promotion_table.py

writes it.
"""

import itertools
import operator
import pathlib

import pytest

import sluice as sl

TABLE = pathlib.Path(__file__).resolve().parents[2] / "tests" / "promotion.txt"
TYPES = {
    "bool": sl.bool, "i8": sl.int8, "i16": sl.int16, "i32": sl.int32, "i64": sl.int64,
    "u8": sl.uint8, "u16": sl.uint16, "u32": sl.uint32, "u64": sl.uint64,
    "f16": sl.float16, "bf16": sl.bfloat16, "f32": sl.float32, "f64": sl.float64,
    "complex64": sl.complex64,
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "maximum": sl.maximum,
}


def of(text):
    name, _, shape = text.partition("[")
    return sl.ones(() if shape == "]" else (3,), dtype=TYPES[name])


def result(a, op, b):
    try:
        made = OPERATORS[op](of(a), of(b))
    except (TypeError, ValueError):
        return "refused"
    return f"{NAMES[made.dtype]}[{','.join(map(str, made.shape))}]"


def rows():
    for op in OPERATORS:
        for a, b in itertools.product(TYPES, TYPES):
            for of_a, of_b in [("[3]", "[3]"), ("[3]", "[]"), ("[]", "[3]")]:
                yield a + of_a, op, b + of_b


def table():
    lines = ["# What operands of two types give, in Python and in C++: see",
             "# python/tests/test_promotion_table.py."]
    lines += [f"{a} {op} {b} is {result(a, op, b)}" for a, op, b in rows()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("op", OPERATORS)
def test_operators_give_the_types_of_the_table(op):
    kept = [line.split() for line in TABLE.read_text().splitlines()
            if line[:1] not in ("#", "")]
    assert {tuple(line[:3]) for line in kept} == set(rows())
    wrong = [(line, result(*line[:3])) for line in kept
             if line[1] == op and result(*line[:3]) != line[4]]
    assert wrong == []


if __name__ == "__main__":
    TABLE.write_text(table())
