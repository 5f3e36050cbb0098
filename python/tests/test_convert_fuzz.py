"""Random small programs: Python, converted, and as graphs, with equal results."""

import linecache
import random

import pytest

import sluice as sl
from sluice._convert import convert

NAMES = ["a", "b", "c", "d"]
SEEN = "seen[-1] * 100 + len(seen)"


class Writer:
    """Writes one program of whole numbers. All of them end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counters = 0
        self.left = 14  # statements

    def value(self):
        name = self.random.choice(NAMES)
        other = self.random.choice([*NAMES, "1", "2", "7"])
        return self.random.choice(
            [
                name,
                f"{name} + {other}",
                f"({name} * 3 - {other}) % 23",
                f"({name} if {self.test()} else {other})",
                f"max({name}, {other})",
                f"helper({name}, {other})",
            ]
        )

    def test(self, deep=0):
        a, b = self.random.sample(NAMES, 2)
        simple = [
            f"{a} < {b}",
            f"{a} % 3 == 1",
            f"0 < {a} <= {b}",
            f"{a} in (1, 2, 5)",
        ]
        if deep < 2 and self.random.random() < 0.3:
            op = self.random.choice(["and", "or"])
            return f"({self.test(deep + 1)} {op} not {self.test(deep + 1)})"
        return self.random.choice(simple)

    def block(self, indent, in_loop, depth):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(indent, in_loop, depth)
        return lines

    def statement(self, indent, in_loop, depth):
        space = "    " * indent
        self.left -= 1
        kinds = ["assign", "assign", "augment", "temporary", "append", "element"]
        if depth < 3 and self.left > 0:
            kinds += ["if", "if", "while", "for", "range", "with", "try", "forever"]
        if in_loop:
            kinds += ["leave", "leave"]
        if 0 < depth < 9:
            kinds += ["return"] if self.random.random() < 0.3 else []
        kind = self.random.choice(kinds)
        name = self.random.choice(NAMES)
        if kind == "assign":
            return [f"{space}{name} = {self.value()}"]
        if kind == "augment":
            return [f"{space}{name} = {name} + {self.value()}"]
        if kind == "temporary":
            self.counters += 1
            own = f"t{self.counters}"
            return [f"{space}{own} = {self.value()}", f"{space}{name} = {own} - 1"]
        if kind == "append":
            return [f"{space}seen.append({self.value()})"]
        if kind == "element":
            place = f"pair[{self.random.randint(0, 1)}]"
            return [f"{space}{place} = {place} + {name} % 5"]
        if kind == "leave":
            word = self.random.choice(["break", "continue"])
            return [f"{space}if {self.test()}:", f"{space}    {word}"]
        if kind == "return":
            return [
                f"{space}if {self.test()}:",
                f"{space}    return {self.value()}, {name}, {SEEN}",
            ]
        if kind == "with":
            body = self.block(indent + 1, in_loop, depth + 1)
            return [f"{space}with nothing():", *body]
        if kind == "try":
            body = self.block(indent + 1, False, 9)
            after = [f"{space}finally:", f"{space}    {name} = {name} + 1"]
            return [f"{space}try:", *body, *after]
        if kind == "if":
            lines = [f"{space}if {self.test()}:"]
            lines += self.block(indent + 1, in_loop, depth + 1)
            if self.random.random() < 0.6:
                lines += [f"{space}else:"]
                lines += self.block(indent + 1, in_loop, depth + 1)
            return lines
        self.counters += 1
        n = f"n{self.counters}"
        if kind == "forever":
            lines = [
                f"{space}{n} = 0",
                f"{space}while True:",
                f"{space}    {n} += 1",
                f"{space}    if {n} > {name} % 3:",
                f"{space}        break",
            ]
        elif kind == "while":
            test = self.random.choice([f"{n} < 4", f"{n} < 5 and {self.test()}"])
            lines = [f"{space}{n} = 0", f"{space}while {test}:", f"{space}    {n} += 1"]
        elif kind == "for":
            lines = [f"{space}for {n} in range({self.random.randint(0, 3)}):"]
            lines += [f"{space}    {name} = {name} + {n}"]
        else:
            lines = [f"{space}for {n} in range({name} % 4):"]
            lines += [f"{space}    {name} = {name} + {n}"]
        lines += self.block(indent + 1, True, depth + 1)
        if self.random.random() < 0.3:
            lines += [f"{space}else:", *self.block(indent + 1, in_loop, depth + 1)]
        return lines

    def program(self):
        body = []
        while self.left > 0:
            body += self.statement(1, False, 0)
        names = ", ".join(NAMES)
        first = ["    seen = [0]", "    pair = [1, 2]"]
        end = f"    return {self.random.choice(NAMES)}, pair[0] - pair[1], {SEEN}"
        return "\n".join([f"def program({names}):", *first, *body, end, ""])


HELPER = '''
from contextlib import nullcontext as nothing

def helper(x, y):
    if x > y:
        return x - y
    return y % 5

'''


def compiled(seed):
    """The program of a seed, whose source Python finds."""
    text = HELPER + Writer(seed).program()
    name = f"<random program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["program"], text


def numbers(result):
    """What a program returned, as Python's numbers."""
    return tuple(map(int, result))


@pytest.mark.parametrize("seed", range(60))
def test_random_program(seed):
    f, text = compiled(seed)
    converted = convert(f)
    for args in [(1, 2, 3, 4), (5, 1, 0, 2), (9, 8, 7, 6)]:
        wanted = f(*args)
        assert converted(*args) == wanted, text
    got = sl.function(f)(*map(sl.tensor, args))
    assert numbers(got) == numbers(wanted), text
