"""Failures of steps say the user's line; wrong arguments say what was wanted."""

import numpy as np
import pytest

import sluice as sl
from sluice import _ops


def line_of(text):
    """The line of this file that holds `text`, as messages have it."""
    with open(__file__) as file:
        for number, line in enumerate(file, 1):
            if text in line and "line_of" not in line:
                return f"test_deferred_errors.py:{number}"
    raise LookupError(text)


@pytest.fixture(scope="module")
def program():
    with sl.Graph("g") as g:
        x = sl.placeholder(sl.float32, [None, 3], name="x")
        w = sl.placeholder(sl.float32, [None, None], name="w")
        i = sl.placeholder(sl.int64, [None], name="i")
        table = sl.constant(np.ones((4, 2), np.float32), name="table")
        found = _ops.gather(table, i, name="lookup")  # the lookup
        product = _ops.matmul(x, w, name="product")  # the product
        inside = []

        def body(k, total):
            inside.append(total * 2)
            return k + 1, total + sl.sum(_ops.gather(table, k))  # in the loop

        loop = sl.while_loop(  # the loop
            lambda k, total: k < 10, body, sl.constant(0, sl.int64), sl.constant(0.0)
        )
    with sl.Session(g) as s:
        yield s, dict(x=x, w=w, i=i, found=found, product=product, loop=loop), inside


def test_a_failing_op_names_its_line_and_operands(program):
    s, t, _ = program
    with pytest.raises((ValueError, IndexError)) as e:
        s.run(t["found"], {t["i"]: [1, 9]})
    first, second = str(e.value).split("\n")[:2]
    assert first == "[Gather] indices[1] is 9; wanted 0 <= index < 4"
    assert line_of("# the lookup") in second
    assert 'params = "table" f32[4,2]' in second
    # The session works on.
    assert s.run(t["found"], {t["i"]: [1]}).shape == (1, 2)


def test_shapes_that_are_known_only_in_the_step(program):
    s, t, _ = program
    with pytest.raises(ValueError, match="inner sizes differ") as e:
        s.run(t["product"], {t["x"]: np.ones((2, 3)), t["w"]: np.ones((2, 2))})
    assert line_of("# the product") in str(e.value)


def test_a_loop_says_its_iteration(program):
    s, t, _ = program
    for executor in ["tape", "tokens"]:
        with pytest.raises((ValueError, IndexError), match=r"indices\[0\] is 4") as e:
            s.run(t["loop"], options=sl.RunOptions(executor=executor))
        assert line_of("# in the loop") in str(e.value)
        assert f"in iteration 4 of the loop at {line_of('# the loop')}" in str(e.value)


def test_values_inside_a_loop_cannot_be_fetched_or_fed(program):
    s, t, inside = program
    for call in [
        lambda: s.run(inside[0]),
        lambda: s.run(inside[0].op),
        lambda: s.run(t["found"], {inside[0]: 1.0}),
    ]:
        with pytest.raises(ValueError, match='inside the region "body" of While'):
            call()


def test_what_was_not_fed(program):
    s, t, _ = program
    with pytest.raises(ValueError, match='"w" was not fed') as e:
        s.run(t["product"], {t["x"]: np.ones((2, 3))})
    assert "test_deferred_errors.py" in str(e.value)


def test_other_graphs(program):
    s, t, _ = program
    with sl.Graph("other") as other:
        y = sl.constant(1.0) + 1
        v = sl.Variable(1.0)
    for fetch in [y, y.op, v, [t["x"], y]]:
        with pytest.raises(ValueError, match='graph "other"'):
            s.run(fetch)
    for feed in [y, v]:
        with pytest.raises(ValueError, match='graph "other"'):
            s.run(t["found"], {feed: 1.0})
    assert len(other) > 0


@pytest.mark.parametrize(
    "fetch, error, text",
    [
        (None, TypeError, "fetches is None"),
        (3, TypeError, "fetch 0 is a int"),
        (["x", [3]], TypeError, "fetch 1 is a int"),
        (sl.tensor(1.0), TypeError, "fetch 0 was made imperatively"),
        ("nothing", LookupError, 'no value "nothing"'),
        ("x:7", LookupError, "x"),
        ("", ValueError, "empty name"),
        ("\ud800", ValueError, "surrogates"),
        (b"x", TypeError, "fetch 0 is a bytes"),
    ],
)
def test_fetches(program, fetch, error, text):
    with pytest.raises(error, match=text):
        program[0].run(fetch)


def test_lists_inside_themselves(program):
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested"):
        program[0].run(endless)
    with pytest.raises(ValueError, match="nested"):
        program[0].run({"a": endless})


@pytest.mark.parametrize(
    "value, error",
    [
        ([[1, 2], [3]], ValueError),
        (object(), TypeError),
        (np.array(["a"]), (TypeError, ValueError)),
        (np.zeros((1,) * 20), ValueError),
        (np.zeros((2, 3), dtype=[("a", "f4")]), TypeError),
        (np.zeros((2, 4)), ValueError),
        (np.zeros((2, 3), complex), (TypeError, ValueError)),
        ("text", ValueError),
        (None, TypeError),
        (float("nan"), ValueError),
    ],
)
def test_values_that_cannot_be_fed(program, value, error):
    s, t, _ = program
    with pytest.raises(error, match="feed|axes|sluice|rank"):
        s.run(t["x"], {t["x"]: value})


def test_symbolic_values_cannot_be_fed(program):
    s, t, _ = program
    for value in [t["w"], [t["w"]]]:
        with pytest.raises((TypeError, ValueError), match="part of a graph"):
            s.run(t["x"], {t["x"]: value})


@pytest.mark.parametrize(
    "feeds, error",
    [([1], TypeError), ({3: 1}, TypeError), ({"nothing": 1}, LookupError)],
)
def test_feeds(program, feeds, error):
    with pytest.raises(error):
        program[0].run("x", feeds)


def test_feeds_given_twice(program):
    s, t, _ = program
    one = np.ones((1, 3))
    with pytest.raises(ValueError, match="fed twice"):
        s.run("x", {"x": one, "x:0": one})
    with pytest.raises(TypeError, match="both given"):
        s.run("x", {"x": one}, feeds={"x": one})
    with pytest.raises(TypeError, match="gives no value"):
        with sl.Graph() as g:
            done = sl.Variable(1.0).assign(1.0)
        sl.Session(g).run([], {done: 1})


def test_options_of_the_wrong_kind(program):
    s, t, _ = program
    with pytest.raises(TypeError, match="options is a int"):
        s.run("x", options=3)
    with pytest.raises(TypeError, match="run_metadata is a int"):
        s.run("x", run_metadata=3)


def test_objects_that_were_never_made():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError, match="holds nothing"):
            sl.Variable.__new__(sl.Variable) + 1
        for use in [
            lambda: sl.Session.__new__(sl.Session).run("x"),
            lambda: sl.Graph.__new__(sl.Graph).operations(),
            lambda: sl.FIFOQueue.__new__(sl.FIFOQueue).size(),
        ]:
            with pytest.raises(TypeError):
                use()


def test_building_says_the_line():
    with sl.Graph():
        x = sl.placeholder(sl.float32, [2, 3], name="x")
        with pytest.raises(ValueError, match="inner sizes differ") as e:
            _ops.matmul(x, x)  # at building
    assert line_of("# at building") in str(e.value)
