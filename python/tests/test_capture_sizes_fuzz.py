"""Random programs over sizes: captured and imperative agree, errors included.

A program holds whole numbers made of sizes and tensors made with them, decides by
them, and loops over them. Each runs with several sizes, twice.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import sluice as sl
from sluice import tree

SHAPES = [(2, 6), (3, 4), (5, 8), (1, 1), (4, 3), (2, 6), (7, 2)]


class Program:
    """Source of a function of one matrix, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["def f(x):", "    n = x.shape[0]", "    m = x.size(1)"]
        self.numbers, self.tensors = ["n", "m"], ["x"]
        self.made = 0
        for _ in range(self.random.randint(4, 10)):
            self.statement("    ")
        used = ", ".join([*self.tensors, *self.numbers])
        self.lines.append(f"    return ({used},)")
        self.text = "\n".join(self.lines) + "\n"

    def fresh(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made}"

    def number(self) -> str:
        pick = self.random.choice
        a = pick(self.numbers)
        b = pick([*self.numbers, str(self.random.randint(1, 5))])
        return pick([
            f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} // {b}", f"{a} % {b}",
            f"min({a}, {b})", f"max({a}, {b})", f"abs({a} - {b})", f"-{a}",
            f"{pick(self.tensors)}.numel()", f"len({pick(self.tensors)})",
            f"{pick(self.tensors)}.shape[0]", f"{pick(self.tensors)}.shape[-1]",
            f"int({a} / 2)", f"({a} + {b}) // 2", f"{a} ** 2 % 7",
        ])  # fmt: skip

    def matrix(self) -> str:
        pick = self.random.choice
        t, n = pick(self.tensors), pick(self.numbers)
        k = pick([*self.numbers, str(self.random.randint(0, 3))])
        return pick([
            f"{t} * {n}", f"{t} + {n} / 3", f"{t} - {n} * 0.25", f"{n} - {t}",
            f"{t}[:{k}]", f"{t}[{k}:]", f"{t}[:, :{k}]", f"{t}[:, {k}:]",
            f"{t}[-{n}:]", f"{t}[::2]", f"{t}[{k}:{n}]", f"{t}[:, -1 - {k} % 3:]",
            f"{t}.T", f"{t}.reshape({t}.shape[1], {t}.shape[0])",
            f"{t}.reshape(-1, {t}.shape[0])",
            f"{t}.view({t}.shape[0] * {t}.shape[1], 1)",
            f"sl.cat([{t}, {t}[:1]])", f"sl.cat([{t}, sl.zeros({t}.shape[0], 2)], 1)",
            f"sl.zeros({n} % 5, {k} % 4 + 1)", f"sl.full((2, {t}.shape[1]), {n})",
            f"sl.arange({n}).reshape(1, -1).float()", f"{t}[{n} % {t}.shape[0]][None]",
            f"{t}.repeat(2, {k} % 3)", f"sl.tile({t}, ({n} % 3 + 1, 1))",
            f"{t}.chunk(2)[0]", f"{t}.split({t}.shape[1] // 2 + 1, 1)[-1]",
            f"{t}.sum(0).expand({k} % 3 + 1, {t}.shape[1])",
            f"sl.nn.functional.pad({t}, (0, {k} % 3, {n} % 2, 1))",
            f"{t}.flatten()[None]", f"{t}.mean().reshape(1, 1) * {t}.numel()",
            f"sl.eye({t}.shape[0]) @ {t}", f"{t}.unsqueeze(1).flatten(0, 1)",
            f"{t}.masked_fill(sl.arange({t}.shape[1]) > {n}, 0.5)",
        ])  # fmt: skip

    def test(self) -> str:
        pick = self.random.choice
        a = pick(self.numbers)
        b = pick([*self.numbers, str(self.random.randint(0, 6))])
        return f"{a} {pick(['<', '<=', '>', '>=', '==', '!='])} {b}"

    def statement(self, space: str, depth: int = 0) -> None:
        kind = self.random.random()
        if kind < 0.3:
            line, name = self.number(), self.fresh("k")
            self.lines.append(f"{space}{name} = {line}")
            self.numbers.append(name)
        elif kind < 0.8 or depth > 0:
            line, name = self.matrix(), self.fresh("t")
            self.lines.append(f"{space}{name} = {line}")
            self.tensors.append(name)
        elif kind < 0.9:
            t = self.random.choice(self.tensors)
            name = self.fresh("t")
            self.lines += [
                f"{space}{name} = {t} * 2",
                f"{space}if {self.test()}:",
                f"{space}    {name} = {self.matrix()}",
            ]
            self.tensors.append(name)
        else:
            t, n = self.random.choice(self.tensors), self.random.choice(self.numbers)
            name, index = self.fresh("t"), self.fresh("i")
            self.lines += [
                f"{space}{name} = {t}",
                f"{space}for {index} in range({n} % 4):",
                f"{space}    {name} = {name} * 0.5 + {index} + {n}",
            ]
            self.tensors.append(name)


def outcome(f, x):
    try:
        return f(x), None
    except Exception as error:  # whatever it is, the other one must fail, too
        return None, error


def check(seed: int) -> None:
    program = Program(seed)
    names: dict = {"sl": sl}
    # Conversion reads the source.
    import linecache

    filename = f"<sizes {seed}>"
    lines = program.text.splitlines(keepends=True)
    linecache.cache[filename] = (len(program.text), None, lines, filename)
    exec(compile(program.text, filename, "exec"), names)
    captured = sl.function(names["f"])
    for shape in SHAPES:
        count = shape[0] * shape[1]
        x = (sl.arange(count, dtype=sl.float32) * 0.5 - 2).reshape(shape)
        want, error = outcome(names["f"], x)
        got, other = outcome(captured, x)
        where = f"seed {seed}, shape {shape}\n{program.text}"
        assert (error is None) == (other is None), f"{where}{error!r}\n{other!r}"
        if error is not None:
            continue
        for a, b in zip(tree.leaves(got), tree.leaves(want)):
            if isinstance(b, sl.Tensor):
                assert a.shape == b.shape and a.dtype == b.dtype, where
                np.testing.assert_allclose(
                    a.numpy(), b.numpy(), rtol=1e-5, atol=1e-5, err_msg=where
                )
            else:
                assert type(a) is type(b) and a == b, where


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_programs_agree(first):
    for seed in range(first, first + 20):
        check(seed)
