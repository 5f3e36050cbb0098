"""Effects of captured code that are no plain assignments, and what is refused."""

from __future__ import annotations

import pytest

import sluice as sl
import sluice.nn as nn


def value(t):
    return float(t.item())


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = sl.tensor(0.0)

    def forward(self, x):
        self.h = self.h + x
        return self.h * 1


def test_an_object_with_tensors_is_kept_and_returned():
    class Pair:
        def __init__(self, a):
            self.a = a
            self.itself = self

    class Model:
        kept = None

        def forward(self, x):
            self.kept = Pair(x * 2)
            return self.kept, [self.kept.a]

    model = Model()
    f = sl.function(model.forward)
    seen = []
    for v in (1.0, 2.0, 3.0):
        pair, (a,) = f(sl.tensor(v))
        assert pair is model.kept and pair.itself is pair and pair.a is a
        assert type(pair) is Pair and pair.a.item() == 2 * v
        assert pair not in seen
        seen.append(pair)


def test_a_tensor_left_behind_by_code_that_is_not_converted_is_refused():
    space = {}
    exec("def keep(box, x):\n    vars(box)['h'] = x\n", space)
    keep = space["keep"]

    class Box:
        h = None

    box = Box()

    @sl.function
    def f(x):
        keep(box, x * 2)
        return x

    with pytest.raises(TypeError, match="box.h is left with a tensor of the graph"):
        f(sl.tensor(1.0))


def test_code_without_source_that_stores_is_repeated():
    space = {"K": None}
    exec("def keep(x):\n    global K\n    K = x\n    return x\n", space)
    keep = space["keep"]
    f = sl.function(lambda x: keep(x * 2))
    for i in range(3):
        f(sl.tensor(float(i)))
        assert value(space["K"]) == 2.0 * i


def test_a_user_context_manager_that_keeps_state():
    class Counter:
        def __init__(self):
            self.entered = 0
            self.total = sl.tensor(0.0)

        def __enter__(self):
            self.entered += 1
            return self

        def __exit__(self, *_):
            self.total = self.total + 1

    c = Counter()

    @sl.function
    def f(x):
        with c as counter:
            counter.total = counter.total + x
        return c.total

    for i in range(1, 4):
        assert value(f(sl.tensor(1.0))) == 2.0 * i
        assert c.entered == i


def test_exceptions_that_the_code_catches():
    class Model:
        def __init__(self):
            self.failures = 0

        def check(self, x):
            self.failures += 1
            raise ValueError("no")

        def forward(self, x):
            try:
                self.check(x)
            except ValueError:
                x = x * 2
            return x

    m = Model()
    f = sl.function(m.forward)
    assert [value(f(sl.tensor(1.0))) for _ in range(3)] == [2.0, 2.0, 2.0]
    assert m.failures == 3


def test_captured_functions_in_captured_functions_share_the_state():
    m = Cell()
    inner = sl.function(m)
    outer = sl.function(lambda x: inner(x) + inner(x))
    assert [value(outer(sl.tensor(1.0))) for _ in range(3)] == [3.0, 7.0, 11.0]


def test_the_mode_of_a_module_that_code_changes():
    m = nn.Dropout(0.5)

    @sl.function
    def f(x):
        m.eval()
        y = m(x)
        m.train()
        return y

    m.train()
    assert value(f(sl.tensor(1.0))) == 1.0
    m.eval()
    assert value(f(sl.tensor(1.0))) == 1.0
    assert m.training


def test_a_state_in_a_function_passed_to_scan_is_refused():
    m = Cell()

    @sl.function
    def f(xs):
        return sl.map_fn(lambda x: m(x), xs)

    with pytest.raises(TypeError, match="self.h|m.h"):
        f(sl.ones(3))
    assert value(m.h) == 0.0


def test_every_call_prints_its_own_tensors(capsys):
    @sl.function
    def f(x):
        print("x is", x, sep=": ")
        y = x * 2
        print(f"twice {y} and {1 + 1:03d}", end="!\n")
        return y

    f(sl.tensor(1.0))
    f(sl.tensor(2.0))
    assert capsys.readouterr().out.splitlines() == [
        "x is: tensor(1.)", "twice tensor(2.) and 002!",
        "x is: tensor(2.)", "twice tensor(4.) and 002!",
    ]


@pytest.mark.parametrize("call", ["random.random()", "time.time()"])
def test_what_differs_in_every_call_is_refused(call, tmp_path, monkeypatch):
    (tmp_path / "drawn.py").write_text(
        f"import random\nimport time\n\n\ndef f(x):\n    return x * {call}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "drawn", raising=False)
    import drawn

    with pytest.raises(TypeError, match=r"drawn.py:6: .* gives another value in every"):
        sl.function(drawn.f)(sl.tensor(1.0))


def test_code_without_source_keeps_its_state():
    program = """
import warnings
import sluice as sl, sluice.nn as nn
warnings.simplefilter("ignore")

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h, self.k = sl.tensor(0.0), 1.0

    def forward(self, x):
        self.h = self.h + x * self.k
        return self.h

m = Cell()
f = sl.function(lambda x: m(x))
seen = [f(sl.tensor(3.0)).item() for _ in range(3)]
m.k = 2.0
print(seen, f(sl.tensor(3.0)).item(), m.h.item())
"""
    import subprocess
    import sys

    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert out == "[3.0, 6.0, 9.0] 15.0 15.0\n"


def test_a_cached_function_keeps_no_tensor_of_the_graph():
    import functools

    @functools.lru_cache
    def table(n):
        return sl.ones(n) * 2

    f = sl.function(lambda x: (x * table(2)).sum())
    assert value(f(sl.tensor(1.0))) == 4.0
    assert table(2).tolist() == [2.0, 2.0]


def test_generators_and_context_managers_of_the_user_keep_state():
    import contextlib

    class Box:
        n = 0

    box = Box()

    @contextlib.contextmanager
    def counted():
        box.n = box.n + 1
        yield box.n

    @sl.function
    def f(x):
        with counted() as n:
            return x * n

    assert [value(f(sl.tensor(1.0))) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert box.n == 3


def test_a_counter_of_a_module_counts():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def forward(self, x):
            self.steps += 1
            return x * self.steps

    m = Model()
    f = sl.function(m)
    assert [value(f(sl.tensor(1.0))) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert m.steps == 4


def test_what_a_hook_keeps_is_kept_by_every_call():
    m = nn.Linear(1, 1, bias=False)
    kept = {}
    scale = [2.0]

    def hook(module, args, out):
        kept["out"] = out
        return out * scale[0]

    m.register_forward_hook(hook)
    with sl.no_grad():
        m.weight.fill_(3.0)
    f = sl.function(lambda x: m(x))
    for v in (1.0, 2.0):
        assert value(f(sl.full((1, 1), v))) == 6.0 * v
        assert value(kept["out"]) == 3.0 * v
    scale[0] = 10.0
    assert value(f(sl.full((1, 1), 1.0))) == 30.0
