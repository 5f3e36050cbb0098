"""Errors that code raises in a branch or loop which a tensor decides, and that code
around it handles: the way that is not taken raises nothing."""

import contextlib

import pytest

import sluice as sl
from sluice._convert import StagingError


class Record:
    def __init__(self):
        self.n = 0


def unbound(rec, x):
    try:
        if x > 2:
            pass
        else:
            rec.last = x
            rec.n = missing  # noqa: F821
    except Exception:
        pass
    return x


def raised(rec, x):
    try:
        if x > 2:
            pass
        else:
            rec.last = x
            raise ValueError("a")
    except Exception:
        pass
    return x


def returned(rec, x):
    try:
        if x > 2:
            rec.n = 5
        else:
            rec.n = 7
            raise ValueError("a")
    except ValueError:
        return x * 2
    return x


def out_of_range(rec, x):
    y = x
    try:
        if x > 2:
            y = x * 3
        else:
            y = x * 5
            y = y + [1][3]
    except IndexError:
        pass
    return y


def in_a_loop(rec, x):
    y = x
    try:
        for _ in x:
            y = y * 5
            y = y + {}["a"]
    except KeyError:
        pass
    return y


def in_a_while_loop(rec, x):
    y = x
    try:
        while y.sum() < 100:
            y = y * 5
            rec.n += 1
            if y.sum() > 20:
                raise ValueError
    except ValueError:
        y = y + 1
    finally:
        rec.m = 1
    return y


def in_an_expression(rec, x):
    try:
        return x * 2 if x > 2 else x + [][0]
    except IndexError as error:
        return str(error)


def in_and(rec, x):
    try:
        return bool(x > 2 and {}["a"])
    except KeyError:
        rec.n += 1
    return x


def suppressed(rec, x):
    with contextlib.suppress(ZeroDivisionError):
        if x > 2:
            rec.n = 1 // 0
        rec.n = 2
    return rec.n


def by_a_function(rec, x):
    def half(y):
        if y > 2:
            return int("no number")
        return y / 2

    try:
        return half(x)
    except ValueError:
        return -1


PROGRAMS = [
    unbound, raised, returned, out_of_range, in_a_loop, in_a_while_loop,
    in_an_expression, in_and, suppressed, by_a_function,
]  # fmt: skip


def seen(wrap, program):
    rec = Record()
    f = wrap(lambda x: program(rec, x))
    told = []
    for value in (1.5, 3.0, 1.5, 2.5):
        result = f(sl.tensor([value]))
        told.append((repr(result), {k: repr(v) for k, v in vars(rec).items()}))
    return told


@pytest.mark.parametrize("program", PROGRAMS)
def test_handled_errors_are_those_of_the_way_taken(program):
    assert seen(sl.function, program) == seen(lambda f: f, program)


def test_as_one_graph_it_is_refused():
    @sl.function(one_graph=True)
    def f(x):
        try:
            y = x * 2 if x > 2 else x + [][0]
        except IndexError:
            y = x
        return y

    with pytest.raises(TypeError, match="a way through it raises IndexError"):
        f(sl.tensor(1.0))


def test_what_python_says_of_sizes():
    """They are whole numbers, and called so."""
    told = [
        lambda x: [*x.shape[0]],
        lambda x: x.shape[0] + "a",
        lambda x: "a" + x.shape[0],
        lambda x: len(x.shape[0]),
        lambda x: x.shape[0].no_such,
        lambda x: [1][x.shape[0] / 2],
        lambda x: "".join([x.shape[0]]),
    ]
    for f in told:
        messages = []
        for g in (f, sl.function(f)):
            with pytest.raises((TypeError, AttributeError)) as error:
                g(sl.ones(2))
            messages.append(str(error.value))
        assert messages[0] == messages[1]


class Stop(Exception):
    pass


def ended_by_an_error(x):
    n = 0
    try:
        while True:
            x = x * 2
            n += 1
            if x.sum() > 10:
                raise Stop(n)
    except Stop as stop:
        return x, stop.args[0], n


def test_a_loop_that_only_a_handled_error_ends():
    f = sl.function(ended_by_an_error)
    for start in (1.0, 6.0, 1.0, 0.1):
        want, got = ended_by_an_error(sl.tensor([start])), f(sl.tensor([start]))
        assert [*map(type, got)] == [*map(type, want)]
        assert (float(got[0]), *got[1:]) == (float(want[0]), *want[1:])


def test_a_loop_that_only_an_error_ends_is_refused_as_one_graph():
    f = sl.function(ended_by_an_error, one_graph=True)
    with pytest.raises(StagingError, match="only an error ends this while loop"):
        f(sl.tensor([1.0]))


def test_an_endless_loop_that_numbers_end_may_raise():
    def rounds(x):
        n = 0
        while True:
            if x.sum() < 0:
                raise Stop(n)
            x, n = x * 0.5, n + 1
            if n == 4:
                return x

    f = sl.function(rounds, one_graph=True)
    assert float(f(sl.tensor([1.0]))) == 0.0625
    with pytest.raises(Stop):
        f(sl.tensor([-1.0]))


def row_and_write(x, log):
    row = x[sl.tensor(1)]
    try:
        x[0] = 5.0
        return row * 2
    except NotImplementedError:
        log.append("handled")
        return x


def data_of_another_shape(x, log):
    try:
        x.data = sl.ones(2, 2)
    except Exception:
        log.append("handled")
    return x * 2


@pytest.mark.parametrize("code", [row_and_write, data_of_another_shape])
def test_what_is_refused_is_not_handled_by_the_code(code):
    log = []
    with pytest.raises(NotImplementedError, match="wanted"):
        sl.function(lambda x: code(x, log))(sl.tensor([1.0, 2.0]))
    assert log == []
