"""Classes, modules imported inside of functions, and super() in captured code: what is
taken of them is compared at every call, and what is changed is changed by each."""

from __future__ import annotations

import sys
import types

import pytest

import sluice as sl
from sluice._convert import StagingError

VALUES = (0.5, 2.0, 0.5, 3.0, 2.0)


def shown(value):
    """Results and states, to be compared."""
    if isinstance(value, sl.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return value


def history(make, captured):
    """What every call gave, and left. make() gives the function, what is done between
    calls, and what to look at after each."""
    step, between, look = make()
    f = sl.function(step) if captured else step
    made = []
    for i, v in enumerate(VALUES):
        try:
            result = f(sl.tensor([v, v]))
        except Exception as error:
            if isinstance(error, StagingError) and captured:
                raise
            result = f"{type(error).__name__}: {error}"
        made.append((shown(result), shown(look())))
        between(i)
    return made


def nothing(*_):
    return None


def module(name="sl_test_cfg"):
    """A module of the user's, new."""
    made = types.ModuleType(name)
    made.__file__ = "/tmp/sl_test_cfg.py"
    made.scale, made.n, made.items = 2.0, 0, []
    sys.modules[name] = made
    return made


def imported():
    cfg = module()

    def step(x):
        import sl_test_cfg

        sl_test_cfg.n += 1
        return x * sl_test_cfg.scale

    def between(i):
        cfg.scale = float(i)

    return step, between, lambda: cfg.n


def imported_by_another_name():
    cfg = module()

    def step(x):
        import sl_test_cfg as c

        if x.sum() > 2:
            c.n += 1
        return x * c.scale

    def between(i):
        cfg.scale = float(i)

    return step, between, lambda: cfg.n


def imported_from():
    cfg = module()

    def step(x):
        from sl_test_cfg import items, scale as s

        items.append(s)
        return x * s

    def between(i):
        cfg.scale = float(i)
        if i == 2:
            cfg.items = []

    return step, between, lambda: list(cfg.items)


def imported_in_a_branch():
    cfg = module()

    def step(x):
        if x.sum() > 2:
            from sl_test_cfg import scale

            x = x * scale
        return x

    def between(i):
        cfg.scale = float(i)

    return step, between, nothing


def module_replaced():
    module()

    def step(x):
        import sl_test_cfg

        return x * sl_test_cfg.scale

    def between(i):
        module().scale = float(i)

    return step, between, nothing


def attribute_that_a_module_has_not():
    cfg = module()

    def step(x):
        import sl_test_cfg

        return x * getattr(sl_test_cfg, "other", 3.0)

    def between(i):
        if i == 1:
            cfg.other = 5.0
        if i == 3:
            del cfg.other

    return step, between, nothing


def from_of_a_package():
    top, inner = module("sl_test_top"), module("sl_test_top.inner")
    top.__path__ = []
    top.inner = inner

    def step(x):
        import sl_test_top.inner
        from sl_test_top import inner as i

        i.n += 1
        return x * sl_test_top.inner.scale

    def between(i):
        inner.scale = float(i)

    return step, between, lambda: inner.n


def type_of_an_object():
    class A:
        k = 2.0
        n = 0

        def f(self, x):
            return x * 2

    a = A()

    def step(x):
        type(a).n += 1
        return type(a).f(a, x) * type(a).k

    def between(i):
        A.k = float(i)
        if i == 2:
            A.f = lambda self, x: x * 7

    return step, between, lambda: A.n


def type_of_self():
    class Base:
        k = 2.0
        n = 0

    class A(Base):
        def f(self, x):
            if x.sum() > 2:
                type(self).n += 1
            return x * type(self).k

    a = A()

    def step(x):
        return a.f(x)

    def between(i):
        Base.k = float(i)

    return step, between, lambda: (A.n, Base.n)


def type_of_a_new_object():
    class A:
        count = 0

        def __init__(self):
            type(self).count += 1

    def step(x):
        return x * type(A()).count

    return step, nothing, lambda: A.count


def super_attribute():
    class Base:
        k = 2.0

        def f(self, x):
            return x

    class A(Base):
        k = 100.0

        def f(self, x):
            return super().f(x) * super().k

    a = A()

    def step(x):
        return a.f(x)

    def between(i):
        Base.k = float(i)
        if i == 2:
            Base.f = lambda self, x: x + 1

    return step, between, nothing


def super_attribute_between():
    class Base:
        k = 2.0

    class Middle(Base):
        pass

    class A(Middle):
        def f(self, x):
            return x * super().k

    a = A()

    def step(x):
        return a.f(x)

    def between(i):
        if i == 1:
            Middle.k = 5.0
        if i == 3:
            del Middle.k

    return step, between, nothing


def super_property():
    class Base:
        n = 0

        @property
        def k(self):
            self.n += 1
            return self.n

    class A(Base):
        def f(self, x):
            return x * super().k

    a = A()

    def step(x):
        return a.f(x)

    return step, nothing, lambda: a.n


def attribute_that_a_class_has_not():
    class A:
        pass

    def step(x):
        return x * 2 if hasattr(A, "fast") else x * 3

    def between(i):
        if i == 1:
            A.fast = True

    return step, between, nothing


def methods_of_a_class_made_inside():
    class Outer:
        n = 0

    a = Outer()

    def step(x):
        class B:
            k = 1

            def f(self, x):
                a.n += 1
                type(self).k += 1
                return x * self.k

        return B().f(x)

    return step, nothing, lambda: a.n


PROGRAMS = [
    imported,
    imported_by_another_name,
    imported_from,
    imported_in_a_branch,
    module_replaced,
    attribute_that_a_module_has_not,
    from_of_a_package,
    type_of_an_object,
    type_of_self,
    type_of_a_new_object,
    super_attribute,
    super_attribute_between,
    super_property,
    attribute_that_a_class_has_not,
    methods_of_a_class_made_inside,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)


def test_a_module_that_is_loaded_by_the_first_call(tmp_path, monkeypatch):
    (tmp_path / "sl_test_loaded.py").write_text(
        "import sluice as sl\nw = sl.ones(2) * 3\nloads = [w.tolist()]\n"
    )
    (tmp_path / "sl_test_pack").mkdir()
    (tmp_path / "sl_test_pack" / "__init__.py").write_text("k = 2.0\n")
    (tmp_path / "sl_test_pack" / "part.py").write_text("from . import k as j\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    @sl.function
    def step(x):
        import sl_test_loaded
        from sl_test_pack import k, part

        return x * sl_test_loaded.w * k + part.j

    assert [step(sl.ones(2)).tolist() for _ in range(3)] == [[8.0, 8.0]] * 3
    module = sys.modules["sl_test_loaded"]
    assert module.loads == [[3.0, 3.0]]
    sys.modules["sl_test_pack"].part.j = 5.0
    module.w = sl.ones(2)
    assert step(sl.ones(2)).tolist() == [7.0, 7.0]


def test_an_import_that_fails_says_what_python_says():
    def step(x):
        try:
            import sl_test_nowhere
        except ImportError as error:
            return x * len(str(error))
        return x * sl_test_nowhere.k

    x = sl.ones(2)
    assert sl.function(step)(x).tolist() == step(x).tolist()
    with pytest.raises(ImportError, match="cannot import name 'nothing_such'"):
        sl.function(lambda x: _from(x))(x)


def _from(x):
    from math import nothing_such  # type: ignore[attr-defined]

    return x * nothing_such
