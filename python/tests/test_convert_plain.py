"""Converted code without tensors does what Python does."""

import functools
import gc
import inspect
import traceback
import weakref

import pytest

from sluice._convert import ConversionWarning, convert, do_not_convert

LIMIT = 100


def same(f, *args):
    """Converted and not, f gives or raises the same."""

    def outcome(g):
        try:
            return "gave", g(*args)
        except Exception as error:
            return "raised", type(error), str(error)

    wanted = outcome(f)
    assert outcome(convert(f)) == wanted
    return wanted


def branches(x):
    if x > 10:
        y = "big"
    elif x > 5:
        y = "middle"
    else:
        if x == 3:
            return "three"
        y = "small"
    return y, x


def loops(n):
    seen = []
    for i in range(n):
        for j in range(i):
            if j == 3:
                break
            if (i + j) % 2:
                continue
            seen.append((i, j))
        else:
            seen.append("else")
            continue
        seen.append("broken")
        if i == 7:
            return seen, "seven"
    else:
        seen.append("end")
    return seen


def while_else(n):
    k = 0
    while k < n:
        k += 1
        if k == 5:
            break
    else:
        k = -k
    return k


def returns_in_loops(rows, wanted):
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value == wanted:
                return i, j


def unreachable(x):
    while True:
        x += 1
        if x > 3:
            return x
    return None  # never


@pytest.mark.parametrize("x", [1, 3, 6, 20])
def test_branches(x):
    same(branches, x)


@pytest.mark.parametrize("n", [0, 1, 4, 7, 9])
def test_loops(n):
    same(loops, n)
    same(while_else, n)


def test_return_from_inner_loops():
    rows = [[1, 2], [3, 4]]
    assert same(returns_in_loops, rows, 3) == ("gave", (1, 0))
    assert same(returns_in_loops, rows, 9) == ("gave", None)
    same(unreachable, 0)


def test_order_and_truth_of_boolean_operators():
    def program(a, b, c):
        seen = []

        def say(x):
            seen.append(x)
            return x

        x = say(a) and say(b) or say(c)
        y = not say(a)
        z = say(a) if say(b) else say(c)
        w = say(1) < say(b) < say(c) != say(a)
        v = say(2) in say([1, 2]), say(3) not in (1, 3)
        return x, y, z, w, v, seen

    for a in (0, 2, [], "s", None):
        for b in (0, 3):
            for c in (1, 9):
                same(program, a, b, c)


def test_unbound_variables_say_so():
    def program(x):
        if x:
            y = 1
        return y

    assert same(program, 1) == ("gave", 1)
    kind, error, text = same(program, 0)
    assert error is UnboundLocalError and "'y'" in text


def test_closures_share_their_cells():
    count = 0

    def outer():
        def bump(by):
            nonlocal count
            if by > 0:
                count += by
            return count

        return bump

    bump = convert(convert(outer)())
    assert bump(2) == 2 and bump(-1) == 2 and count == 2

    def local(n):
        total = 0

        def add(k):
            nonlocal total
            while k > 0:
                total += k
                k -= 1

        for i in range(n):
            add(i)
        return total, [f() for f in [lambda i=i: i * total for i in range(2)]]

    same(local, 5)

    def late(n):
        fs = [lambda: i for i in range(n)]
        for j in range(n):
            fs.append(lambda: j)
        return [f() for f in fs]

    same(late, 3)


_changed = 0


def sets_a_global(x):
    global _changed
    if x > 0:
        _changed = x
    return _changed


def test_globals_are_those_of_the_module():
    f = convert(sets_a_global)
    assert f.__globals__ is globals()
    assert f(5) == 5 and _changed == 5
    assert f(-5) == 5


class Base:
    def scaled(self, x):
        return x * 2


class Derived(Base):
    __factor = 3

    def scaled(self, x):
        if x > 2:
            return super().scaled(x) * self.__factor
        for _ in range(2):
            x = super().scaled(x)
        self.__seen = x
        return x + self.__seen

    @staticmethod
    def twice(x):
        return x + x if x else None

    @classmethod
    def named(cls, x):
        if x:
            return cls.__name__
        return "nothing"


@pytest.mark.parametrize("x", [0, 1, 3])
def test_methods(x):
    thing = Derived()
    assert convert(thing.scaled)(x) == thing.scaled(x)
    assert convert(Derived.twice)(x) == Derived.twice(x)
    assert convert(Derived.named)(x) == Derived.named(x)


def test_name_doc_defaults_annotations():
    def f(a, b=2, *args, c: int = 3, **kwargs) -> float:
        """What it does."""
        if a:
            return a, b, args, c, kwargs
        return None

    f.mark = "kept"
    g = convert(f)
    assert (g.__name__, g.__qualname__, g.__doc__) == (
        f.__name__,
        f.__qualname__,
        f.__doc__,
    )
    assert g.__defaults__ == f.__defaults__ and g.__kwdefaults__ == f.__kwdefaults__
    assert g.__annotations__ == f.__annotations__ and g.mark == "kept"
    assert inspect.signature(g) == inspect.signature(f)
    assert g(1, 5, 6, c=7, d=8) == f(1, 5, 6, c=7, d=8)
    assert convert(g) is g or convert(g)(1) == f(1)


def test_with_and_try():
    log = []

    class Noted:
        def __init__(self, name, swallow=False):
            self.name, self.swallow = name, swallow

        def __enter__(self):
            log.append("in " + self.name)
            return self.name

        def __exit__(self, kind, error, trace):
            log.append(f"out {self.name} {kind and kind.__name__}")
            return self.swallow

    def program(x):
        log.clear()
        for i in range(5):
            with Noted("a") as name, Noted("b", swallow=x == 4):
                if i == x:
                    return name, list(log)
                if i == 2 and x == 9:
                    break
                if i == 1 and x >= 4:
                    raise KeyError(i)
            try:
                if i == 3:
                    continue
                if i > 3:
                    return "late", list(log)
                1 // (i - 2)
            except ZeroDivisionError as error:
                log.append(type(error).__name__)
                if x == 8:
                    break
            else:
                log.append("fine")
            finally:
                log.append("finally")
                if x == 7 and i == 2:
                    return "from finally"
        return "end", list(log)

    for x in range(10):
        same(program, x)


def test_match_and_walrus():
    def program(x):
        seen = []
        while (x := x - 1) > 0:
            match x:
                case 3:
                    continue
                case 5:
                    break
                case [a, *rest]:
                    return a, rest
                case _ if x % 2:
                    seen.append(x)
            if (y := x * 2) > 10 and (z := y) > 14:
                seen.append(z)
        else:
            seen.append("end")
        return seen, [w := v for v in range(3)], w

    for x in range(12):
        same(program, x)


def test_deleted_and_annotated_variables():
    def program(n):
        x: int = 3
        y: str
        for i in range(n):
            tmp = i
            if i == 1:
                del tmp
                continue
            x += tmp
        if n > 2:
            del x
        return x

    for n in range(5):
        same(program, n)


def decorator(f):
    @functools.wraps(f)
    def inner(*args):
        if args[0] > 5:
            return "refused"
        return f(*args)

    return inner


@decorator
def decorated(x):
    while x < 4:
        x += 1
    return x


def test_decorators_are_run_through():
    for x in (1, 5, 6):
        same(decorated, x)


@decorator
@decorator
def decorated_twice(x):
    return x + 1 if x else x


def test_copied_attributes_are_not_taken_for_the_function():
    for x in (0, 1, 6):
        same(decorated_twice, x)
        same(decorated_twice.__wrapped__, x)


def test_converted_functions_go_with_their_functions():
    class Held:
        pass

    def make():
        held = Held()

        def f(x):
            held.last = f
            return held if x else None

        convert(f)(1)
        return weakref.ref(held)

    ref = make()
    gc.collect()
    assert ref() is None


def test_lambdas_of_one_line():
    fs = [lambda x: 1 if x else 2, lambda x: 3 if x else 4, lambda y: y and 5]
    fs += [lambda x: (lambda y: y or 7)(x), lambda x: (lambda x: x and 8)(x)]
    for f in fs:
        for x in (0, 1):
            same(f, x)
    f, g = (lambda x: len(str(x))) if fs else None, (lambda x: [x, None][0])
    same(f, 12), same(g, 12)


def test_partial_and_callables():
    class Callable:
        def __call__(self, x):
            return "yes" if x else "no"

    assert convert(Callable())(1) == "yes"
    assert convert(functools.partial(branches, 20))() == ("big", 20)
    with pytest.raises(TypeError, match="convert: f is a int; wanted a function"):
        convert(3)


def test_the_traceback_is_that_of_the_source():
    def program(xs):
        total = 0
        for x in xs:
            while x:
                total += 1 / (x - 2)  # here
                x -= 1
        return total

    try:
        convert(program)([1, 3])
    except ZeroDivisionError as error:
        frames = traceback.extract_tb(error.__traceback__)
        # Operators are calls; captured functions end the traceback before them.
        last = [f for f in frames if not f.filename.endswith("handed.py")][-1]
        assert last.filename == __file__ and last.line.endswith("# here")
        assert last.name == "program"
    else:
        raise AssertionError("no error")


def test_called_functions_are_converted_and_libraries_are_not():
    from sluice._convert import for_call
    from sluice._convert.build import is_converted
    from sluice._convert.calls import callee

    assert is_converted(for_call(branches))
    assert callee(branches) is callee(branches)
    assert callee(functools.reduce) is functools.reduce
    assert callee(inspect.getsource) is inspect.getsource
    assert callee(print) is print


def test_do_not_convert():
    @do_not_convert
    def program(x):
        return x if x else 1

    assert convert(program) is program


def test_what_cannot_be_converted_runs_as_it_is():
    def generator(n):
        for i in range(n):
            yield i

    with pytest.warns(ConversionWarning, match="it is a generator; return a list"):
        f = convert(generator)
    assert list(f(3)) == [0, 1, 2]

    def sees_itself(x):
        if x:
            y = 2
        return locals()

    with pytest.warns(ConversionWarning, match=r"it calls locals\(\)"):
        f = convert(sees_itself)
    assert f(1) == {"x": 1, "y": 2}

    space = {}
    exec("def made(x):\n  return 1 if x else 2\n", space)
    with pytest.warns(ConversionWarning, match="its source is not there"):
        f = convert(space["made"])
    assert f(0) == 2


def test_it_is_warned_of_once():
    async def later(x):
        if x:
            return 1

    with pytest.warns(ConversionWarning, match="it is async") as seen:
        convert(later)
        convert(later)
    assert len(seen) == 1


def test_no_warning_where_there_is_nothing_to_convert(recwarn):
    space = {}
    exec("f = lambda x: x * 2", space)
    assert convert(space["f"])(2) == 4
    assert not recwarn
