"""What captured code reads of the program around it is compared at every call.

Why one file: one test for each kind of place that code reads, all of one form."""

from __future__ import annotations

import collections
import types
import weakref

import numpy as np
import pytest

import sluice as sl
import sluice.nn as nn

ONE = sl.tensor(1.0)
SCALE = 2.0
TABLE = {"scale": 2.0, "sizes": [1, 2]}


def value(t):
    return float(t.item())


def test_a_changed_global_is_followed():
    global SCALE
    SCALE = 2.0

    @sl.function
    def f(x):
        return x * SCALE

    assert value(f(ONE)) == 2.0
    SCALE = 3.0
    assert value(f(ONE)) == 3.0
    assert f.traces()[1].why == "SCALE is 3.0; the last trace has 2.0"
    SCALE = 2.0
    assert value(f(ONE)) == 2.0
    assert len(f.traces()) == 2, "the first one serves again"


def test_a_builtin_that_is_shadowed_later_is_followed():
    around = {"sl": sl}
    made = types.FunctionType((lambda x: x * abs(-2.0)).__code__, around)
    f = sl.function(made)
    assert value(f(ONE)) == 2.0
    around["abs"] = lambda v: 7.0
    assert value(f(ONE)) == 7.0


def test_a_changed_closure_variable_is_followed():
    scale = 2.0

    @sl.function
    def f(x):
        return x * scale

    assert value(f(ONE)) == 2.0
    scale = 3.0
    assert value(f(ONE)) == 3.0
    assert f.traces()[1].why == "scale is 3.0; the last trace has 2.0"


def test_changed_attributes_are_followed():
    class Model:
        def __init__(self):
            self.scale = 2.0

        def forward(self, x):
            return x * self.scale

    m = Model()
    f = sl.function(m.forward)
    assert value(f(ONE)) == 2.0
    m.scale = 3.0
    assert value(f(ONE)) == 3.0
    assert f.traces()[1].why == "self.scale is 3.0; the last trace has 2.0"
    m.other = 7  # nobody reads it
    f(ONE)
    assert len(f.traces()) == 2


def test_an_attribute_that_was_missing_is_followed():
    class Model:
        bias = 1.0

        def forward(self, x):
            if hasattr(self, "scale"):
                x = x * self.scale
            return x + self.bias

    m = Model()
    f = sl.function(m.forward)
    assert value(f(ONE)) == 2.0
    m.scale = 5.0
    assert value(f(ONE)) == 6.0
    m.bias = 0.0  # hides that of the class
    assert value(f(ONE)) == 5.0
    del m.bias
    Model.bias = 10.0
    assert value(f(ONE)) == 15.0


def test_attributes_of_attributes_slots_and_properties():
    class Config:
        __slots__ = ("k",)

    class Model:
        def __init__(self):
            self.config = Config()
            self.config.k = 2.0

        @property
        def doubled(self):
            return self.config.k * 2

        def forward(self, x):
            c = self.config
            return x * c.k + self.doubled

    m = Model()
    f = sl.function(m.forward)
    assert value(f(ONE)) == 6.0
    m.config.k = 3.0
    assert value(f(ONE)) == 9.0
    m.config = Config()
    m.config.k = 1.0
    assert value(f(ONE)) == 3.0


def test_attributes_of_objects_in_containers():
    class Part:
        def __init__(self, k):
            self.k = k

    parts = [Part(1.0), Part(2.0)]

    @sl.function
    def f(x):
        total = 0.0
        for part in parts:
            total = total + x * part.k
        return total

    assert value(f(ONE)) == 3.0
    parts[1].k = 5.0
    assert value(f(ONE)) == 6.0
    parts.append(Part(10.0))
    assert value(f(ONE)) == 16.0
    parts[0] = Part(2.0)
    assert value(f(ONE)) == 17.0


def test_changed_containers_are_followed():
    queue = collections.deque([1.0, 2.0])
    chosen = {"a"}
    TABLE["scale"] = 2.0

    @sl.function
    def f(x):
        y = x * TABLE["scale"] * TABLE["sizes"][0] + sum(queue)
        return y + (100.0 if "b" in chosen else 0.0)

    assert value(f(ONE)) == 5.0
    TABLE["scale"] = 4.0
    assert value(f(ONE)) == 7.0
    assert f.traces()[-1].why == "TABLE['scale'] is 4.0; the last trace has 2.0"
    queue.append(3.0)
    assert value(f(ONE)) == 10.0
    chosen.add("b")
    assert value(f(ONE)) == 110.0
    TABLE["sizes"][0] = 2
    assert value(f(ONE)) == 114.0
    TABLE["sizes"][0] = 1


def test_changed_defaults_are_followed():
    def helper(x, k=2.0, *, bias=0.0):
        return x * k + bias

    @sl.function
    def f(x):
        return helper(x)

    assert value(f(ONE)) == 2.0
    helper.__defaults__ = (3.0,)
    assert value(f(ONE)) == 3.0
    helper.__kwdefaults__ = {"bias": 10.0}
    assert value(f(ONE)) == 13.0
    assert "the defaults of helper" in f.traces()[-1].why


def test_changed_code_of_a_helper_is_followed():
    def helper(x):
        return x * 2

    def other(x):
        return x * 5

    @sl.function
    def f(x):
        return helper(x)

    assert value(f(ONE)) == 2.0
    helper.__code__ = other.__code__
    assert value(f(ONE)) == 5.0


def test_globals_of_helpers_in_other_files_are_followed(tmp_path, monkeypatch):
    (tmp_path / "guards_helper.py").write_text(
        "K = 2.0\n\ndef scaled(x):\n    return x * K\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import guards_helper

    @sl.function
    def f(x):
        return guards_helper.scaled(x) + guards_helper.K

    assert value(f(ONE)) == 4.0
    guards_helper.K = 5.0
    assert value(f(ONE)) == 10.0
    guards_helper.scaled = lambda x: x
    assert value(f(ONE)) == 6.0


def test_an_array_that_is_changed_is_followed():
    weights = np.array([1.0, 2.0], dtype=np.float32)

    @sl.function
    def f(x):
        return (x * weights).sum()

    assert value(f(sl.ones(2))) == 3.0
    weights[0] = 5.0
    assert value(f(sl.ones(2))) == 7.0


def test_code_without_source_has_its_globals_compared():
    space = {"sl": sl, "K": 2.0, "c": types.SimpleNamespace(k=1.0)}
    exec("def helper(x):\n    return x * K + c.k\n", space)
    helper = space["helper"]

    @sl.function
    def f(x):
        return helper(x)

    assert value(f(ONE)) == 3.0
    space["K"] = 4.0
    assert value(f(ONE)) == 5.0
    space["c"].k = 10.0
    assert value(f(ONE)) == 14.0


def test_generators_of_the_user_have_what_they_read_compared():
    class Model:
        def __init__(self):
            self.scales = [1.0, 2.0]
            self.k = 1.0

        def parts(self, x):
            for s in self.scales:
                yield x * s * self.k

        def forward(self, x):
            return sum(self.parts(x))

    m = Model()
    f = sl.function(m.forward)
    assert value(f(ONE)) == 3.0
    m.k = 2.0
    assert value(f(ONE)) == 6.0
    m.scales.append(10.0)
    assert value(f(ONE)) == 26.0


def test_a_module_of_a_sequence_that_is_replaced_is_followed():
    m = nn.Sequential(nn.Linear(1, 1, bias=False), nn.ReLU())
    with sl.no_grad():
        m[0].weight.fill_(2.0)
    f = sl.function(lambda x: m(x))
    x = sl.ones(1, 1)
    assert value(f(x)) == 2.0
    m[0] = nn.Linear(1, 1, bias=False)
    with sl.no_grad():
        m[0].weight.fill_(3.0)
    assert value(f(x)) == 3.0
    m.append(nn.Linear(1, 1, bias=False))
    with sl.no_grad():
        m[2].weight.fill_(10.0)
    assert value(f(x)) == 30.0
    del m[2]
    assert value(f(x)) == 3.0


def test_a_parameter_that_is_replaced_is_followed():
    m = nn.Linear(1, 1, bias=False)
    f = sl.function(lambda x: m(x))
    x = sl.ones(1, 1)
    for wanted in (2.0, 3.0, 4.0):
        m.weight = nn.Parameter(sl.full((1, 1), wanted))
        assert value(f(x)) == wanted
        f(x).sum().backward()
        assert value(m.weight.grad) == 1.0
    m._parameters["weight"] = nn.Parameter(sl.full((1, 1), 7.0))
    assert value(f(x)) == 7.0


def test_options_of_layers_are_followed():
    m = nn.LeakyReLU(0.5)
    f = sl.function(lambda x: m(x))
    assert value(f(-ONE)) == -0.5
    m.negative_slope = 0.25
    assert value(f(-ONE)) == -0.25


def test_a_hook_added_later_is_followed():
    m = nn.Identity()
    f = sl.function(lambda x: m(x))
    assert value(f(ONE)) == 1.0
    handle = m.register_forward_hook(lambda module, args, out: out * 5)
    assert value(f(ONE)) == 5.0
    handle.remove()
    assert value(f(ONE)) == 1.0
    assert len(f.traces()) == 2


def test_requires_grad_changed_after_recording_is_followed():
    m = nn.Linear(1, 1, bias=False)

    @sl.function
    def step(x):
        m.zero_grad()
        m(x).sum().backward()

    x = sl.ones(1, 1)
    step(x)
    assert m.weight.grad is not None
    w = nn.Linear(1, 1)
    f = sl.function(lambda x: (m(x) + w(x)).sum())
    f(x).backward()
    m.requires_grad_(False)
    m.zero_grad()
    f(x).backward()
    assert m.weight.grad is None and len(f.traces()) == 2


@pytest.mark.parametrize("option, other", [
    ("weight_decay", 0.5), ("momentum", 0.9), ("nesterov", True), ("maximize", True),
    ("dampening", 0.5)])
def test_options_of_an_optimizer_are_followed(option, other):
    def train(captured):
        p = nn.Parameter(sl.tensor([1.0]))
        opt = sl.optim.SGD([p], lr=0.1, momentum=0.5)

        def step():
            opt.zero_grad()
            (p * p).sum().backward()
            opt.step()

        call = sl.function(step) if captured else step
        seen = []
        for i in range(5):
            if i == 2:
                opt.param_groups[0][option] = other
            call()
            seen.append(value(p))
        return seen

    assert train(True) == train(False)


def test_the_momentum_of_a_one_cycle_schedule_is_followed():
    def train(captured):
        p = nn.Parameter(sl.tensor([1.0]))
        opt = sl.optim.SGD([p], lr=0.1, momentum=0.9)
        schedule = sl.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.5, total_steps=6)

        def step():
            opt.zero_grad()
            (p * p).sum().backward()
            opt.step()

        call = sl.function(step) if captured else step
        seen = []
        for _ in range(5):
            call()
            schedule.step()
            seen.append(value(p))
        return seen

    assert train(True) == pytest.approx(train(False), rel=1e-6)


def test_an_optimizer_of_the_users_own_has_its_options_compared():
    class Plain(sl.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def step(self):
            with sl.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p.grad

    def train(captured):
        p = nn.Parameter(sl.tensor([1.0]))
        opt = Plain([p], lr=0.1)

        def step():
            opt.zero_grad()
            (p * p).sum().backward()
            opt.step()

        call = sl.function(step) if captured else step
        seen = []
        for i in range(4):
            opt.param_groups[0]["lr"] = 0.1 * (1 + i // 2)
            call()
            seen.append(value(p))
        return seen

    assert train(True) == pytest.approx(train(False))


def test_what_is_read_every_time_anew_warns_once():
    class Model:
        k = (0,)

        def forward(self, x):
            return x * self.k[0]

    m = Model()
    f = sl.function(m.forward)
    with pytest.warns(UserWarning, match=r"self.k is \(7,\); the last trace has"):
        for i in range(9):
            m.k = (i,)
            assert value(f(ONE)) == i


def test_guards_keep_no_object_alive():
    import gc
    import weakref

    class Model:
        def __init__(self):
            self.me, self.k = self, 2.0

        @sl.function
        def forward(self, x):
            return x * self.k

    m = Model()
    assert value(m.forward(ONE)) == 2.0
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None


def test_attributes_of_classes_and_methods_that_are_replaced():
    class Base:
        k = 2.0

        @staticmethod
        def shift(x):
            return x + 1

        @classmethod
        def scaled(cls, x):
            return x * cls.k

        def forward(self, x):
            return self.scaled(self.shift(x))

    class Model(Base):
        def forward(self, x):
            return super().forward(x) + 1

    m = Model()
    f = sl.function(m.forward)
    assert value(f(ONE)) == 5.0
    Base.k = 3.0
    assert value(f(ONE)) == 7.0
    Base.shift = staticmethod(lambda x: x)
    assert value(f(ONE)) == 4.0
    m.shift = lambda x: x * 10
    assert value(f(ONE)) == 31.0
    Base.forward = lambda self, x: x
    assert value(f(ONE)) == 2.0


def test_the_environment_is_followed(monkeypatch):
    import os

    monkeypatch.setenv("SLUICE_TEST_K", "2")

    @sl.function
    def f(x):
        return x * float(os.environ["SLUICE_TEST_K"])

    assert value(f(ONE)) == 2.0
    monkeypatch.setenv("SLUICE_TEST_K", "3")
    assert value(f(ONE)) == 3.0


def test_an_iterator_from_outside_is_refused():
    numbers = iter([1.0, 2.0, 3.0])
    f = sl.function(lambda x: x * next(numbers))
    with pytest.raises(TypeError, match="numbers is an iterator made outside"):
        f(ONE)

    def g(x):
        for n in numbers:
            x = x * n
        return x

    with pytest.raises(TypeError, match="numbers is an iterator made outside"):
        sl.function(g)(ONE)
    assert list(numbers) == [1.0, 2.0, 3.0]


def test_a_defaultdict_that_reading_changes():
    d = collections.defaultdict(lambda: sl.tensor(0.0))

    @sl.function
    def f(x):
        d["a"] += x
        return d["a"] + d["b"]

    assert [value(f(ONE)) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert sorted(d) == ["a", "b"]


def test_a_closure_read_below_one_that_was_bound_anew():
    """Feeding c made the function look like one that its recording had made."""
    c = sl.tensor([0.5])
    n = 1

    @sl.function
    def step(x):
        def inner(u):
            if n > 2:
                raise LookupError("many")
            return u * n

        return x + inner(c)

    x = sl.tensor([1.0])
    assert step(x).item() == 1.5
    c = sl.tensor([2.0])
    assert step(x).item() == 3.0
    n = 2
    assert step(x).item() == 5.0
    n = 3
    with pytest.raises(LookupError, match="many"):
        step(x)


# A parameter among the arguments was a plain tensor to the code.
def test_the_class_of_a_tensor_among_the_arguments():
    def asks(p, x):
        return x * (2.0 if isinstance(p, nn.Parameter) else 3.0)

    def asks_inside(items, x):
        return x * (2.0 if type(items[0]["p"]) is nn.Parameter else 3.0)

    def keeps(p, x):
        net = nn.Module()
        net.p = p
        return x * float(len(list(net.parameters())))

    x = sl.tensor([1.0])
    plain, parameter = sl.tensor([5.0]), nn.Parameter(sl.tensor([5.0]))
    for f, wrap in (
        (asks, lambda p: p), (asks_inside, lambda p: [{"p": p}]), (keeps, lambda p: p),
    ):  # fmt: skip
        g = sl.function(f)
        for p in (parameter, plain, parameter):
            assert g(wrap(p), x).tolist() == f(wrap(p), x).tolist()
        assert len(g.traces()) == 2
        why = " ".join(t.why for t in g.traces())
        assert "is a tensor; the last trace has a Parameter" in why


def test_the_class_of_a_tensor_that_is_bound_anew():
    held = {"v": nn.Parameter(sl.tensor([1.0]))}

    def step(x):
        return x * held["v"] * (2.0 if isinstance(held["v"], nn.Parameter) else 3.0)

    f, x = sl.function(step), sl.tensor([1.0])
    for k in range(6):
        v = sl.tensor([float(k)])
        held["v"] = nn.Parameter(v) if k % 3 else v
        assert f(x).tolist() == step(x).tolist()


def test_a_weak_proxy_is_what_it_stands_for():
    class Box:
        def __init__(self):
            self.t, self.k = sl.tensor(0.0), 2

        def bump(self):
            self.k += 1

    def program(wrap):
        box = Box()
        proxy = weakref.proxy(box)

        def step(x):
            proxy.t = proxy.t + x * proxy.k
            proxy.bump()
            return proxy.t * 1

        f = wrap(step)
        for v in (2.0, 0.5, 2.0, 3.0):
            yield repr(f(sl.tensor(v))), repr(box.t), box.k
        box.k = 10
        yield repr(f(sl.tensor(1.0))), repr(box.t), box.k

    assert list(program(sl.function)) == list(program(lambda f: f))


def test_the_names_bases_and_subclasses_of_a_class():
    def program(wrap):
        class A:
            k = 1

        class B:
            k = 2

        class C(A):
            pass

        def step(x):
            parts = [c.__name__ for c in C.__bases__], len(B.__subclasses__())
            return x * C.__mro__[1].k, C.__name__, parts, [c.k for c in C.mro()[:2]]

        f = wrap(step)
        yield repr(f(sl.tensor(1.0)))
        C.__bases__ = (B,)
        yield repr(f(sl.tensor(1.0)))
        C.__name__ = "D"
        B.k = 5
        yield repr(f(sl.tensor(1.0)))

    assert list(program(sl.function)) == list(program(lambda f: f))


def test_what_makes_the_values_of_a_defaultdict_is_followed():
    def program(wrap):
        made, log = [], []

        def zero():
            log.append(len(log))
            made.append(sl.tensor(0.0))
            return made[-1]

        table = collections.defaultdict(zero)

        def step(x, key):
            if x > 1:
                table[key] += x
            return table[key] * 1, len(table)

        f = wrap(step)
        for v, key in ((2.0, "a"), (0.5, "b"), (2.0, "a"), (3.0, "b"), (2.0, "c")):
            yield repr(f(sl.tensor(v), key)), log[:], repr(dict(table))

    assert list(program(sl.function)) == list(program(lambda f: f))
