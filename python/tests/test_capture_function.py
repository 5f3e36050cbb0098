"""sl.function: what is recorded, when, and what a call gives."""

from __future__ import annotations

import dataclasses
import functools
import gc
import types
import warnings
import weakref

import numpy as np
import pytest

import sluice as sl


def counted(f, **options):
    """f captured, and how often its code ran."""
    runs = []

    def code(*args, **kwargs):
        runs.append(1)
        return f(*args, **kwargs)

    return sl.function(code, autoconvert=False, **options), runs


def test_one_trace_serves_all_sizes():
    f, runs = counted(lambda x, y: x @ y + 1)
    assert f(sl.ones(2, 3), sl.ones(3, 4)).tolist() == [[4.0] * 4] * 2
    for n in range(1, 1001):
        assert f(sl.ones(n, 2), sl.ones(2, 1)).shape == (n, 1)
    assert len(runs) == 1
    assert len(f.traces()) == 1 and f.traces()[0].calls == 1001


def test_a_trace_says_why_it_exists():
    @sl.function
    def f(x, y, training=False):
        return x + y

    x = sl.ones(3)
    f(x, x)
    f(x, sl.ones(1, 3))
    f(x, sl.ones(3, dtype=sl.float64))
    f(x, x, training=True)
    f(x, {"a": 1}.get("a"), training=True)
    whys = [t.why for t in f.traces()]
    assert whys[0] == "the first call"
    assert whys[1] == "argument y is f32[?,?]; the last trace has f32[?]"
    assert whys[2] == "argument y is f64[?]; the last trace has f32[?,?]"
    assert whys[3] == "argument training is True; the last trace has False"
    assert whys[4] == "argument y is 1; the last trace has a tensor"
    assert f.traces()[0].signature == "x: f32[?], y: f32[?], training=False"
    table = repr(f.traces())
    assert "f: 5 traces" in table and "argument training is True" in table
    assert f.traces()[0].milliseconds > 0


def test_arguments_and_results_are_trees():
    @dataclasses.dataclass
    class Batch:
        x: object
        label: str

    @sl.function
    def f(batch, *more, scale, **named):
        total = batch.x * scale + more[0]["z"]
        return Batch(total, batch.label + "!"), [named["k"], None, 3, ("text",)]

    x = sl.ones(2)
    made, rest = f(Batch(x, "a"), {"z": x}, scale=x * 2, k=x)
    assert isinstance(made, Batch) and made.label == "a!"
    assert made.x.tolist() == [3.0, 3.0]
    assert rest[0].tolist() == [1.0, 1.0] and rest[1:] == [None, 3, ("text",)]
    f(Batch(x, "a"), {"z": x}, scale=x * 2, k=x)
    assert len(f.traces()) == 1
    f(Batch(x, "b"), {"z": x}, scale=x * 2, k=x)
    assert f.traces()[1].why == "argument batch.label is 'b'; the last trace has 'a'"


def test_python_binds_the_arguments():
    @sl.function
    def f(a, /, b, *, c=1.0):
        return a + b * c

    one = sl.tensor(1.0)
    assert f(one, one).item() == 2
    assert f(one, b=one, c=one * 3).item() == 4
    for args, kwargs, text in [
        ((one,), {}, "missing a required argument: 'b'"),
        ((one, one, one), {}, "too many positional"),
        ((one, one), {"b": one}, "multiple values for argument 'b'"),
        ((one, one), {"d": one}, "unexpected keyword argument 'd'"),
        ((), {"a": one, "b": one}, "'a'"),
    ]:
        with pytest.raises(TypeError, match=text):
            f(*args, **kwargs)


def test_arrays_of_numpy_are_fed():
    f, runs = counted(lambda x: x * 2)
    assert f(np.ones(2, np.float32)).tolist() == [2.0, 2.0]
    assert f(np.full(3, 5, np.float32)).tolist() == [10.0] * 3
    assert f(sl.ones(1)).tolist() == [2.0]
    assert f(np.float32(4)).item() == 8
    assert len(runs) == 2


def test_other_objects_are_part_of_what_is_recorded():
    class Scale:
        def __init__(self, by):
            self.by = by

        def apply(self, x):
            return x * self.by

    f, runs = counted(lambda x, scale, how="times": scale(x))
    a, b = Scale(2.0), Scale(3.0)
    x = sl.ones(1)
    for _ in range(2):
        assert f(x, a.apply).item() == 2
        assert f(x, b.apply).item() == 3
    assert len(runs) == 2


def test_a_number_that_keeps_changing_becomes_a_tensor():
    seen = []

    def code(x, rate):
        seen.append(type(rate))
        return x * rate

    f = sl.function(code)
    x = sl.ones(2)
    for k in range(50):
        assert f(x, k * 0.5).tolist() == pytest.approx([k * 0.5] * 2)
    assert seen == [float] * 50  # what it stands for
    assert len(f.traces()) == 1
    for k in range(50):
        assert f(x, k).tolist() == [k, k]
    assert len(f.traces()) == 2, "whole numbers are another type, and that is all"


def test_a_number_the_code_needs_stays_one():
    runs = []

    def code(x, n, rate):
        runs.append(n)
        for _ in range(n):
            x = x + rate
        return x

    f = sl.function(code, autoconvert=False)
    x = sl.zeros(1)
    for n in range(1, 7):
        assert f(x, n, n * 0.5).item() == pytest.approx(n * n * 0.5)
    for n in range(3, 7):
        assert f(x, n, 100.0).item() == n * 100, "the rate is a tensor by now"
    assert len(f.traces()) <= 7
    before = len(runs)
    for n in range(3, 7):
        f(x, n, n + 0.25)
    assert len(runs) == before


def test_truth_and_texts_stay_what_they_are():
    seen = []

    def code(x, flag, mode):
        seen.append((flag, mode))
        return x + 1 if flag else x

    f = sl.function(code, autoconvert=False)
    x = sl.zeros(1)
    for mode in "abcdabcd":
        assert f(x, True, mode).item() == 1 and f(x, False, mode).item() == 0
    assert len(seen) == 8


def test_zero_and_minus_zero_and_nan_are_themselves():
    f, runs = counted(lambda x, k: x + k)
    x = sl.zeros(1)
    nan = float("nan")
    f(x, nan)
    f(x, nan)
    f(x, float("nan"))
    assert len(runs) == 1


def test_the_cache_is_bounded():
    f, runs = counted(lambda x, mode: x, max_traces=4)
    x = sl.ones(1)
    for k in range(20):
        f(x, str(k))
    assert len(runs) == 20 and len(f.traces()) == 4
    f(x, "19")
    f(x, "16")
    assert len(runs) == 20
    f(x, "0")
    assert len(runs) == 21
    with pytest.raises(ValueError, match="max_traces is 0"):
        sl.function(lambda x: x, max_traces=0)


def test_objects_that_left_the_cache_are_let_go():
    class Thing:
        pass

    f = sl.function(lambda x, thing: x, max_traces=2)
    things = [Thing() for _ in range(4)]
    refs = [weakref.ref(t) for t in things]
    for t in things:
        f(sl.ones(1), t)
    del t
    things.clear()
    gc.collect()
    assert [r() is None for r in refs] == [True, True, False, False]
    del f
    gc.collect()
    assert all(r() is None for r in refs)


def test_a_function_that_names_itself_is_collected():
    class Marker:
        pass

    def make():
        marker = Marker()

        @sl.function(autoconvert=False)
        def f(x):
            marker.last = f
            return x

        f(sl.ones(1))
        return weakref.ref(marker)

    ref = make()
    gc.collect()
    assert ref() is None


def test_methods_have_recordings_of_their_own():
    class Model:
        def __init__(self, w):
            self.w = sl.tensor(w)

        @sl.function
        def forward(self, x, power=1):
            """Scales."""
            return x * self.w**power

        @sl.function
        @staticmethod
        def fixed(x):
            return x + 1

        @staticmethod
        @sl.function
        def other(x):
            return x + 2

    a, b = Model(2.0), Model(5.0)
    x = sl.ones(1)
    assert [a.forward(x).item(), b.forward(x).item(), a.forward(x).item()] == [2, 5, 2]
    assert len(a.forward.traces()) == 1 and a.forward.traces()[0].calls == 2
    assert a.forward.__doc__ == "Scales." and a.forward.__name__ == "forward"
    assert "Mul" in a.forward.graph(x)
    assert Model.forward(b, x).item() == 5
    assert (a.fixed(x).item(), Model.other(x).item()) == (2, 3)
    a.w = sl.tensor(7.0)
    ref = weakref.ref(a)
    step = a.forward
    del a
    gc.collect()
    assert step(x, 2).item() == 49, "the method keeps its object"
    del step
    gc.collect()
    assert ref() is None, "the recordings do not"


def test_an_object_without_weak_references_is_an_argument():
    class Slim:
        __slots__ = ("w",)

        @sl.function
        def scaled(self, x):
            return x * self.w

    slim = Slim()
    slim.w = 3.0
    assert slim.scaled(sl.ones(1)).item() == 3


def test_what_the_code_raises_passes_and_nothing_is_kept():
    class Mine(Exception):
        pass

    fail = True
    thrown = Mine("no")

    @sl.function
    def f(x):
        y = x + 1
        if fail:
            raise thrown
        return y

    for _ in range(2):
        with pytest.raises(Mine) as caught:
            f(sl.ones(1))
        assert caught.value is thrown
        assert len(f.traces()) == 0
    fail = False
    assert f(sl.ones(1)).item() == 2
    assert f.traces()[0].why == "the first call"


def test_tensors_that_leak_out_of_a_recording_can_still_be_asked():
    leaked = []

    @sl.function(autoconvert=False)
    def f(x, fail=False):
        leaked.append(x * 2)

        def branch():
            leaked.append(x * 3)
            if fail:
                raise ValueError("no")
            return x

        return sl.cond(x.sum() > 0, branch, lambda: x)

    with pytest.raises(ValueError, match="no"):
        f(sl.ones(2), fail=True)
    with pytest.raises(TypeError, match=r"leaked\[\d\] is left with a tensor"):
        f(sl.ones(2))
    del f
    gc.collect()
    for t in leaked:
        assert "f32" in repr(t) and t.symbolic and t.dtype is sl.float32
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            t.item()
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        leaked[0] + leaked[1]


def test_errors_of_ops_name_the_line_in_the_code():
    @sl.function
    def f(x, y):
        return x @ y  # the line

    with pytest.raises(ValueError, match=r"inner sizes.*\n?.*test_capture_function.py"):
        f(sl.ones(2, 3), sl.ones(2, 3))
    assert f(sl.ones(2, 3), sl.ones(3, 1)).shape == (2, 1)


def test_a_result_may_be_an_argument_or_a_tensor_around():
    w = sl.ones(2)
    f = sl.function(lambda x: (x, w, x, {"w": w}))
    x = sl.zeros(2)
    a, b, c, d = f(x)
    assert a is x and c is x and b is w and d["w"] is w
    assert sl.function(lambda: None)() is None
    assert sl.function(lambda x: None)(x) is None


def test_captured_in_captured_is_one_graph():
    inner = sl.function(lambda x, k: x * k)
    outer = sl.function(lambda x: inner(x, 3.0) + inner(x, k=2.0))
    assert outer(sl.ones(1)).item() == 5
    assert len(inner.traces()) == 0
    assert "Mul" in outer.graph(sl.ones(1))


def test_graph_and_plan_as_text():
    @sl.function(name="named")
    def f(x):
        return x + 1

    x = sl.ones(3)
    assert f.graph(x).startswith("graph named(")
    assert "test_capture_function.py" in f.graph(x)
    assert f.explain(x)
    assert len(f.traces()) == 1
    assert repr(f) == "<sluice function named>"
    assert f.__wrapped__(x).tolist() == [2.0] * 3
    assert sl.function(f) is f
    with pytest.raises(TypeError, match="wanted a function"):
        sl.function(3)


def test_a_class_that_calls_the_function_while_it_is_taken_apart():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    wanted, inner = [], []

    def parts(pair):
        if wanted:
            wanted.pop()
            inner.append(f(Pair(pair.a + 1, pair.b)).tolist())
        return (pair.a, pair.b), None

    sl.tree.register(Pair, parts, lambda _, children: Pair(*children))
    f = sl.function(lambda pair: pair.a * 10 + pair.b)
    pair = Pair(sl.ones(2), sl.ones(2))
    for _ in range(3):
        assert f(pair).tolist() == [11.0, 11.0]
        wanted.append(1)
        assert f(pair).tolist() == [11.0, 11.0]
    assert inner == [[21.0, 21.0]] * 3


def test_signature_of_the_function_is_kept():
    import inspect

    @sl.function
    def f(x: int, *, y=3):
        return x

    assert str(inspect.signature(f)) == "(x: int, *, y=3)" or "y=3" in str(
        inspect.signature(f)
    )


def test_conversion_that_fails_is_a_warning(monkeypatch):
    import sys
    import types

    module = types.ModuleType("sluice._convert")

    def convert(f):
        raise NotImplementedError("a generator")

    module.convert = convert
    monkeypatch.setitem(sys.modules, "sluice._convert", module)
    f = sl.function(lambda x: x + 1)
    with pytest.warns(UserWarning, match="a generator"):
        assert f(sl.ones(1)).item() == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(sl.ones(1, 1))


def test_a_number_recorded_for_every_value_is_worth_a_word():
    f = sl.function(lambda x, n: x + sum(range(n)), autoconvert=False)
    with pytest.warns(UserWarning, match="argument n is used as a number"):
        for n in range(20):
            f(sl.zeros(1), n)


def test_a_function_asked_about_itself_while_it_is_recorded():
    asked = []

    @sl.function(autoconvert=False)
    def f(x):
        for ask in (f.traces, lambda: f.graph(x), lambda: f.explain(x)):
            with pytest.raises(ValueError, match="while it is recorded"):
                ask()
            asked.append(1)
        return x

    f(sl.ones(1))
    assert len(asked) == 3


def test_an_object_that_can_be_called_and_code_that_yields():
    from sluice import nn

    net = nn.Linear(2, 3)
    f = sl.function(net)
    x = sl.ones(4, 2)
    np.testing.assert_allclose(f(x).tolist(), net(x).tolist(), rtol=1e-5)
    assert not hasattr(f, "training")

    class Twice:
        def __call__(self, x):
            return x * 2

    assert sl.function(Twice())(x).tolist() == (x * 2).tolist()
    assert sl.function(sl.exp)(sl.zeros(1)).item() == 1

    def numbers(x):
        yield x

    with pytest.raises(TypeError, match="generator or a coroutine"):
        sl.function(numbers)


def injects(f):
    @functools.wraps(f)
    def around(*args, **kwargs):
        return f(*args, scale=3, **kwargs)

    return around


def swaps(f):
    @functools.wraps(f)
    def around(b, a):
        return f(a, b)

    return around


def takes_more(f):
    @functools.wraps(f)
    def around(x, more=0):
        return f(x) + more

    return around


class Counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.n = f, 0

    def __call__(self, *args):
        self.n += 1
        return self.f(*args) * self.n

    def __get__(self, owner, cls=None):
        return types.MethodType(self, owner)


# The arguments were bound as those of the function inside: errors, and in silence
# one for the other.
def test_a_decorator_that_has_other_arguments_than_the_function():
    @injects
    def scaled(x, scale):
        return x * scale

    @swaps
    def difference(a, b):
        return a - b

    @takes_more
    def doubled(x):
        return x * 2

    class Owner:
        @injects
        def scaled(self, x, scale):
            return x * scale

    x, y = sl.tensor([1.0, 2.0]), sl.tensor([5.0, 7.0])
    for f, args, kwargs in (
        (scaled, (x,), {}),
        (Owner().scaled, (x,), {}),
        (functools.partial(scaled, x), (), {}),
        (difference, (x, y), {}),
        (difference, (), {"a": x, "b": y}),
        (doubled, (x, 4), {}),
        (doubled, (x,), {"more": y}),
    ):
        captured = sl.function(f)
        assert captured(*args, **kwargs).tolist() == f(*args, **kwargs).tolist()


def test_a_method_that_a_decorating_object_has_bound():
    found = []
    for capture in (lambda f: f, sl.function):

        class Owner:
            @Counted
            def doubled(self, x):
                return x * 2 if x.sum() > 0 else x

        f = capture(Owner().doubled)
        values = [f(sl.tensor([v])).tolist() for v in (1.0, -1.0, 2.0)]
        found.append((values, Owner.__dict__["doubled"].n))
    assert found[0] == found[1]
