"""What cannot be part of a graph is refused by name and line."""

import re

import pytest

import sluice as sl
from sluice._convert import ConversionWarning, StagingError


def t(x):
    return sl.tensor(x)


def refused(f, *args, match):
    """As one graph f is refused, with the place of the construct."""
    with pytest.raises(StagingError, match=match) as error:
        sl.function(f, one_graph=True)(*args)
    assert isinstance(error.value, TypeError)
    return str(error.value)


def test_a_value_on_one_way_only():
    def f(x):
        if x > 0:
            y = x
        return y

    text = refused(f, t(1.0), match="'y' is a tensor of float32.* and undefined where")
    line = f.__code__.co_firstlineno + 1
    assert f"test_convert_errors.py:{line}: this if depends on a tensor" in text
    assert f"where it holds (line {line + 1})" in text

    def g(x):
        if x > 0:
            y = x
        else:
            z = x
        return y, z

    text = refused(g, t(1.0), match="'y' is")
    line = g.__code__.co_firstlineno + 1
    assert f"(line {line + 1})" in text and f"(line {line + 3})" in text


def test_what_nobody_reads_may_lack_a_value():
    @sl.function
    def f(x):
        if x > 0:
            y = x
            x = y * 2
        return x

    assert f(t(1.0)).item() == 2.0


def test_none_and_a_tensor():
    def f(x):
        y = None
        if x > 0:
            y = x
        return y

    refused(f, t(1.0), match=r"'y' is a tensor of float32\[\] .* and None")


def test_none_on_both_ways():
    @sl.function
    def f(x):
        y = None
        if x > 0:
            y = None
            x = x + 1
        return x, y

    assert f(t(1.0))[1] is None


def test_the_end_of_a_function_returns_none():
    def f(x):
        if x > 0:
            return x

    refused(f, t(1.0), match="returns a value or reaches its end")


def test_texts_cannot_be_chosen():
    def f(x):
        name = "a" if x > 0 else "b"
        return x, name

    refused(f, t(1.0), match="conditional expression depends on a tensor.*'a'.*'b'")


def test_types_of_two_ways():
    def f(x, n):
        if n > 0:
            y = x
        else:
            y = n
        return y

    refused(f, t(1.0), t(1), match=r"'y' is a tensor of float32\[\] .*int64\[\]")


def test_a_number_takes_the_type_of_the_other_way():
    def f(x):
        if x > 0:
            y = 0
        else:
            y = x
        return y, (1 if x > 0 else 0.5)

    y, z = sl.function(f)(t(-1.5))
    assert y.dtype == sl.float32 and y.item() == -1.5 and z == 0.5


def test_a_type_that_changes_from_one_iteration_to_the_next():
    def f(n):
        while n < 10:
            n = n * 1.5
        return n

    text = refused(f, t(1), match="'n' is a tensor of int64.* before an iteration")
    assert "a tensor of float32[] after it" in text
    assert f"test_convert_errors.py:{f.__code__.co_firstlineno + 1}: this while" in text


def test_a_python_value_that_a_loop_changes():
    def f(x):
        name = "a"
        while x < 10:
            x = x + 1
            name = name + "b"
        return x

    refused(f, t(1), match="'name' is 'a' .* 'ab' .*; iterations of a graph change")


def test_a_variable_an_iteration_reads_before_it_has_a_value():
    def f(n):
        total = 0
        for i in range(n):
            if i > 0:
                total += last
            last = i
        return total

    refused(f, t(3), match="'last' has no value before it, while an iteration may")


_setting = 0


def test_a_global_of_two_kinds_is_not_assigned_by_a_graph():
    def f(x):
        global _setting
        if x > 0:
            _setting = "on"
        return x

    refused(f, t(1.0), match="'_setting' is 'on' .* and 0 ")
    assert _setting == 0


def test_leaving_a_try_by_a_tensor():
    def f(x):
        try:
            if x > 0:
                return x
        finally:
            pass
        return -x

    refused(f, t(1.0), match="inside of try or match; move it out")


def test_branches_inside_try():
    @sl.function
    def f(x):
        try:
            if x > 0:
                x = x * 2
        except ZeroDivisionError:
            x = x + 1
        return x

    assert f(t(1.0)).item() == 2.0 and f(t(-1.0)).item() == -1.0


def test_the_truth_of_several_elements():
    def f(x):
        if x > 0:
            return x
        return -x

    words = r"shape \[3\] has no one answer.*any\(\) or all"
    with pytest.raises(ValueError, match=words):
        sl.function(lambda: f(sl.ones([3]) * 1))()


def test_conditions_of_comprehensions():
    def f(xs):
        return [x for x in (xs.sum(), xs.mean()) if x > 0]

    refused(f, t([1.0]), match="the if of a comprehension depends on a tensor")


def test_zip_of_a_tensor_and_a_python_list_goes_over_the_rows():
    def f(xs):
        found = {}
        for x, name in zip(xs, ["a", "b", "c"]):
            found[name] = x * 2
        return found, dict(enumerate(xs))

    captured = sl.function(f)
    for given in ([1.0, 2.0], [3.0, 4.0, 5.0, 6.0], [1.0]):
        assert repr(captured(t(given))) == repr(f(t(given)))


def test_an_unconverted_function_says_why_where_it_fails():
    def f(x):
        def positive():
            if x > 0:
                yield x

        return list(positive())

    captured = sl.function(f)  # values decide
    for x in (t(1.0), t(-1.0), t(2.0)):
        assert repr(captured(x)) == repr(f(x))
    with pytest.raises(TypeError, match="part of a graph") as error:
        sl.function(f, one_graph=True)(t(1.0))
    assert any(
        re.search("positive .* is not converted into a graph: it is a generator", note)
        for note in error.value.__notes__
    )


def test_code_without_source_says_why_where_it_fails():
    space = {}
    exec("def made(x):\n    return x if x > 0 else -x\n", space)
    with pytest.warns(ConversionWarning, match="its source is not there"):
        captured = sl.function(space["made"])  # values decide
        for x in (1.0, -2.0, 3.0):
            assert float(captured(t(x))) == abs(x)
    f = sl.function(space["made"], one_graph=True)
    with pytest.raises(TypeError, match="part of a graph") as error:
        f(t(1.0))
    assert "its source is not there" in error.value.__notes__[0]


def test_a_refused_function_leaves_its_variables_alone():
    kept = [1, 2]

    def f(x):
        items = kept
        if x > 0:
            items.append(x)
            name = "a"
        else:
            name = "b"
        return x, name

    refused(f, t(1.0), match="'name'")
    assert kept == [1, 2]


def endless(n):
    return 1 if n <= 1 else n * endless(n - 1)


def deep(n):
    if n <= 1:
        return n * 0
    return deep(n - 1) + 1


def test_recursion_that_a_tensor_ends():
    assert sl.function(lambda n: endless(n))(t(5)).item() == 120
    assert sl.function(lambda n: deep(n))(t(5)).item() == 4
    with pytest.raises(RecursionError):
        sl.function(lambda n: endless(n), one_graph=True)(t(5))
    with pytest.raises(RecursionError) as error:
        sl.function(lambda n: deep(n), one_graph=True)(t(5))
    assert any("so that a recursion that a tensor ends" in n
               for n in error.value.__notes__)
