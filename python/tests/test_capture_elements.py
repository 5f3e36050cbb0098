"""Elements of tensors that captured code takes for Python: numbers and texts."""

import dataclasses
import math

import pytest
import sluice as sl
import sluice.nn as nn
from sluice._convert import do_not_convert


def same_as_imperative(make, *calls):
    """Both do the same in each of the calls: values, their classes, what is kept."""
    found = []
    for capture in (lambda f: f, sl.function):
        kept = []
        f = capture(make(kept))
        made = []
        for args in calls:
            given = [sl.tensor(a) for a in args]
            made.append((repr(f(*given)), repr(kept)))
        found.append(made)
    assert found[0] == found[1]


VECTORS = ([[1.0, 2.0]], [[3.0, 4.0, 5.0]], [[-1.0, -2.0]])
SCALARS = ([1.5], [-2.5], [3.0])


@dataclasses.dataclass
class Made:
    x: object
    n: int


def test_numbers_that_are_returned_are_numbers():
    def make(kept):
        def f(x):
            kept.append(int(x.sum()))
            return Made(x, int(x.sum())), [float(x[0]), {"big": bool(x.sum() > 3)}]

        return f

    same_as_imperative(make, *VECTORS)


def test_arithmetic_of_numbers_gives_numbers():
    def make(kept):
        def f(x):
            n, m = int(x.sum()), x.max().item()
            return n / 2, n % 2, -n, n == 3, m + n, m ** 2, abs(m), not x[0] > 0

        return f

    same_as_imperative(make, *VECTORS)


def test_a_count_of_iterations_is_a_number():
    def make(kept):
        def f(x):
            n, total = 0, 0.0
            while x.sum() > 1:
                x = x / 2
                n += 1
            for v in x:
                total += float(v)
            return n, total, x

        return f

    same_as_imperative(make, *VECTORS)


def test_early_returns_of_numbers_are_numbers():
    def make(kept):
        def f(x):
            if x > 0:
                return int(x)
            return int(-x) + 1

        return f

    same_as_imperative(make, *SCALARS)


def test_a_number_on_one_way_and_a_tensor_on_the_other_are_both():
    def make(kept):
        def f(x):
            y = 0
            if x > 0:
                y = x
            return y, (1 if x > 0 else 0.5)

        return f

    same_as_imperative(make, *SCALARS)


def test_whether_something_is_in_a_list_is_a_bool():
    def make(kept):
        def f(x):
            return x in [sl.tensor(1.5), sl.tensor(3.0)], x not in (1.5, 2.0), not x

        return f

    same_as_imperative(make, *SCALARS)


def test_items_are_numbers_that_python_may_look_up_by():
    def make(kept):
        names = ["a", "b", "c"]

        def f(x):
            i = x.argmax().item()
            kept.append(names[i])
            return names[i], {0: "zero", 1: "one"}.get(i), names[:i], i in {1}, x[i]

        return f

    same_as_imperative(make, *VECTORS)


def test_functions_of_numbers_get_elements():
    def make(kept):
        def f(x):
            m = x.mean().item()
            return (
                math.sqrt(abs(m)), round(m, 1), round(m), math.floor(m),
                divmod(int(x.sum()), 2), math.isnan(x.sum()),
            )  # fmt: skip

        return f

    same_as_imperative(make, *VECTORS)


def test_a_list_of_elements_is_a_list_of_numbers():
    def make(kept):
        def f(x):
            items = x.tolist()
            return items, sum(items), max(items), sorted(items), [v.item() for v in x]

        return f

    same_as_imperative(make, *VECTORS)


def test_texts_of_tensors_are_made_by_every_call():
    def make(kept):
        def f(x):
            total = x.sum().item()
            kept.append(f"max {x.max().item():.2f} of {x}")
            parts = ", ".join(f"{v.item():.1f}" for v in x)
            return str(x), "%.1f" % total, "{:.3f}".format(total), parts, f"{[x]}"

        return f

    same_as_imperative(make, *VECTORS)


def test_code_that_looks_at_a_text_of_an_element_sees_that_of_the_call():
    def make(kept):
        def f(x):
            text = str(int(x.sum()))
            return x * 2 if text == "3" else x, text.zfill(3), len(text)

        return f

    same_as_imperative(make, *VECTORS)


def test_what_is_printed_is_not_what_is_written_later(capsys):
    net = nn.Linear(1, 1, bias=False)
    w = sl.tensor([1.0])

    def f(x):
        y = x * 2
        print(y, f"{y}", [y], w, net.weight)
        y.add_(1)
        w.add_(1)
        with sl.no_grad():
            net.weight.add_(1)
        return y

    texts = []
    for code in (f, sl.function(f)):
        w.fill_(1.0)
        with sl.no_grad():
            net.weight.fill_(1.0)
        for k in range(3):
            code(sl.tensor([1.0, 2.0]) + k)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_print_in_a_branch_prints_as_elsewhere(capsys):
    def f(x):
        if x.sum() > 0:
            print("positive", x)
        return x

    texts = []
    for code in (f, sl.function(f)):
        for v in VECTORS:
            code(sl.tensor(v[0]))
        texts.append(capsys.readouterr())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "take",
    [
        lambda w: w.item(),
        lambda w: w.tolist(),
        lambda w: math.sqrt(w),
        lambda w: str(w),
        lambda w: f"{w:.1f}",
        lambda w: sl.allclose(w, sl.tensor(4.0)),
    ],
)
def test_elements_of_tensors_around_are_those_of_the_call(take):
    found = []
    for capture in (lambda f: f, sl.function):
        w = sl.tensor(4.0)

        def f(x):
            return x, take(w)

        code = capture(f)
        made = []
        for _ in range(3):
            made.append(repr(code(sl.ones(2))))
            w.add_(1)
        found.append(made)
    assert found[0] == found[1]


def test_memory_of_tensors_around_is_refused():
    w = sl.tensor([4.0])

    @sl.function
    def f(x):
        return x * float(w.numpy()[0])

    with pytest.raises(TypeError, match=r"elements.py:\d+: numpy\(\) of a tensor"):
        f(sl.ones(1))


@pytest.mark.parametrize("take", [lambda t: t.item(), float, int, bool])
def test_what_is_said_of_a_tensor_of_many_elements_is_the_same(take):
    def f(x):
        return take(x)

    said = []
    for code in (f, sl.function(f)):
        with pytest.raises(ValueError) as error:
            code(sl.ones(2, 3))
        said.append(str(error.value))
    assert said[0] == said[1]


def test_an_error_holds_the_size_as_a_number():
    @sl.function
    def f(x):
        assert x.shape[0] < 3, ("size", x.shape[0])
        return x

    with pytest.raises(AssertionError) as error:
        f(sl.ones(4))
    assert repr(error.value.args) == "(('size', 4),)"


def test_libraries_get_numbers():
    import json

    def f(x):
        return json.dumps({"n": x.shape[0], "loss": [x.sum().item()]})

    captured = sl.function(f)
    for n in (2, 3, 2):
        assert captured(sl.ones(n)) == f(sl.ones(n))


def test_a_tensor_of_a_graph_has_a_grad_fn_where_it_has_a_history():
    def f(x):
        y = x.clone().requires_grad_()
        return [(t * 2).grad_fn is None for t in (x, y)], y.grad_fn is not None

    assert sl.function(f)(sl.ones(1)) == f(sl.ones(1)) == ([True, False], False)


def test_elements_that_unconverted_code_reads_are_a_guard():
    w = sl.tensor(2.0)

    @do_not_convert
    def scaled(x):
        return x * w.item()

    f = sl.function(lambda x: scaled(x))
    x = sl.tensor(1.0)
    assert [f(x).item(), f(x).item()] == [2, 2]
    assert len(f.traces()) == 1
    w.fill_(5.0)
    assert f(x).item() == 5
    assert "elements that code has read" in "".join(t.why for t in f.traces())
