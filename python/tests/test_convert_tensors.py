"""What converted functions do with state, lists, modules, gradients and effects."""

import linecache

import numpy as np
import pytest

import sluice as sl
from sluice import nn

EOS = 0


def t(x):
    return sl.tensor(x)


def array(x):
    return x.numpy().tolist()


# The program of the tour: a decoder whose length the tokens decide.


def cell(state, token):
    state = (state * 3 + token) % 7
    return state, sl.stack([state < 0, *(state == k for k in (6, 5, 1))]) * 1.0


def decode(state, token):
    out = sl.List(sl.int64)
    while token != EOS and out.size() < 200:
        state, logits = cell(state, token)
        token = logits.argmax(-1)
        out = out.append(token)
    return out.stack()


def test_decode():
    wanted = array(decode(t(4), t(3)))
    f = sl.function(decode)
    assert array(f(t(4), t(3))) == wanted
    assert wanted == [3, 1, 2, 0]
    assert len(f.traces()) == 1


def test_beam_search():
    table = np.random.RandomState(3).randn(5, 5).astype("f")
    scores = sl.tensor(table)

    def search(start, width_bias):
        # Two hypotheses, extended until both end in token 0 or there are 6.
        best, second = start, start + width_bias
        tokens = [t(1), t(2)]
        length = 0
        while length < 6:
            rows = [scores[tokens[0]], scores[tokens[1]]]
            picks = [row.argmax(-1) for row in rows]
            gains = [rows[0][picks[0]], rows[1][picks[1]]]
            if best + gains[0] < second + gains[1]:
                best, second = second + gains[1], best + gains[0]
                tokens = [picks[1], picks[0]]
            else:
                best, second = best + gains[0], second + gains[1]
                tokens = picks
            length += 1
            if tokens[0] == 0 and tokens[1] == 0:
                break
        return best, second, tokens[0], length

    for bias in (0.5, -3.0):
        wanted = search(t(0.0), t(bias))
        got = sl.function(search)(t(0.0), t(bias))
        for a, b in zip(got, wanted):
            assert float(a) == pytest.approx(float(b), rel=1e-5)


# Gradients.


def test_gradient_through_a_loop_and_a_branch():
    def f(a, x):
        y = x
        n = 0
        while n < 5:
            if y > 1:
                y = y * a
            else:
                y = y + a * a
            n += 1
            if y > 20:
                return y * a
        return y

    for x in (0.1, 2.0, 9.0):
        a = sl.tensor(1.5, requires_grad=True)
        b = sl.tensor(1.5, requires_grad=True)
        wanted = f(a, t(x))
        wanted.backward()
        got = sl.function(f)(b, t(x))
        got.backward()
        assert got.item() == pytest.approx(wanted.item(), rel=1e-5)
        assert b.grad.item() == pytest.approx(a.grad.item(), rel=1e-5)


# Lists.


def test_a_list_that_grows_becomes_a_list_of_the_graph():
    @sl.function
    def f(xs):
        out = []
        for x in xs:
            if x > 0:
                out.append(x * 2)
        return sl.stack(out)

    assert array(f(t([1.0, -2.0, 3.0]))) == [2.0, 6.0]
    assert array(f(t([1.0, 2.0, 3.0, 4.0]))) == [2.0, 4.0, 6.0, 8.0]
    assert len(f.traces()) == 1


def test_a_list_of_the_graph_is_appended_to_in_place():
    @sl.function
    def f(n):
        out = sl.List(sl.int64)
        for i in range(n):
            out.append(i * i)
        return out.stack()

    assert array(f(t(4))) == [0, 1, 4, 9]


def test_lists_of_python_stay_lists():
    @sl.function
    def f(x):
        out = []
        for i in range(3):
            out.append(x * i)
        return sl.stack(out), out[1:]

    stacked, plus = f(t([1.0, 2.0]))
    assert stacked.shape == (3, 2) and len(plus) == 2


def test_comprehensions():
    @sl.function
    def f(xs, n):
        squares = [x * x for x in xs]
        plain = [xs.sum() * k for k in (1, 2)]
        return sl.stack(squares), sl.stack(plain), sl.stack([i * 2 for i in range(n)])

    squares, plain, even = f(t([1.0, 2.0, 3.0]), t(4))
    assert array(squares) == [1.0, 4.0, 9.0]
    assert array(plain) == [6.0, 12.0]
    assert array(even) == [0, 2, 4, 6]


# State.


class Counter:
    def __init__(self):
        self.total = 0.0

    def add(self, x):
        if x > 0:
            self.total = self.total + x
        return self


def test_attributes_are_state():
    def f(x, y):
        counter = Counter()
        for _ in range(2):
            counter.add(x)
        while counter.total < y:
            counter.total = counter.total * 2
        return counter.total

    g = sl.function(f)
    for x, y in ((1.0, 9.0), (5.0, 9.0)):
        assert g(t(x), t(y)).item() == f(t(x), t(y)).item()


def test_tensors_around_the_function_decide_at_every_call():
    switch = t(1.0)

    @sl.function
    def f(x):
        if switch:
            return x
        return -x

    assert f(t(2.0)).item() == 2.0
    switch.zero_()
    assert f(t(2.0)).item() == -2.0
    assert len(f.traces()) == 1


def test_elements_assigned_on_one_way():
    @sl.function
    def f(x, n):
        y = x * 1
        if x.sum() > 0:
            y[0] = 5.0
        for i in range(n):
            y[i] = y[i] * 2
        return y

    assert array(f(t([1.0, 2.0, 3.0]), t(2))) == [10.0, 4.0, 3.0]
    assert array(f(t([-1.0, 2.0, -3.0]), t(1))) == [-2.0, 2.0, -3.0]


def test_tensors_around_the_function_written_in_a_loop():
    kept = sl.zeros([3])

    @sl.function
    def f(n):
        for i in range(n):
            if i != 1:
                kept[i] = 7.0
        return n

    f(t(3))
    assert array(kept) == [7.0, 0.0, 7.0]


class Grow(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        while x.sum() < 10:
            x = x + abs(self.fc(x)) + 1
        return x


def test_modules():
    net = nn.Sequential(Grow(), Grow()).requires_grad_(False)
    x = sl.ones([2])
    wanted = net(x)
    for f in (sl.function(net), sl.function(lambda x: net(x))):
        np.testing.assert_allclose(f(x).numpy(), wanted.numpy(), rtol=1e-5)
        assert "While" in f.graph(x)


def test_functions_passed_to_sluice_are_converted():
    def step(total, x):
        if x > 0:
            total = total + x
        return total, total

    @sl.function
    def f(xs):
        return sl.scan(step, t(0.0), xs)

    sums, last = f(t([1.0, -2.0, 3.0]))
    assert array(sums) == [1.0, 1.0, 4.0] and last.item() == 4.0


def test_a_tensor_of_numbers_is_a_loop():
    @sl.function
    def f(x):
        for i in sl.arange(1000):
            x = x + i
        return x

    assert f(t(0)).item() == 499500
    assert len(f.graph(t(0)).splitlines()) < 60


def test_return_inside_with():
    @sl.function
    def f(x):
        with sl.no_grad():
            if x > 0:
                return x * 2
        return x * 3

    assert f(t(1.0)).item() == 2.0 and f(t(-1.0)).item() == -3.0


def test_only_the_branch_taken_runs():
    seen = sl.zeros([])

    @sl.function
    def f(x):
        if x > 0 and check(x):
            seen.add_(1)
        return x

    def check(x):
        seen.add_(10)
        return x > 5

    f(t(-1.0))
    assert seen.item() == 0
    f(t(1.0))
    assert seen.item() == 10
    f(t(6.0))
    assert seen.item() == 21


def test_conditions_run_as_often_as_pythons():
    asked = sl.zeros([])

    def more(n):
        asked.add_(1)
        return n < 3

    @sl.function
    def f(n):
        while more(n):
            n = n + 1
        return n

    f(t(0))
    assert asked.item() == 4


def test_a_short_circuit_guards_an_index():
    @sl.function
    def f(xs, limit):
        i = 0
        while i < len(xs) and xs[i] < limit:
            i += 1
        return i

    assert f(t([1.0, 2.0, 3.0]), t(2.5)) == 2
    assert f(t([1.0, 2.0, 3.0]), t(9.0)) == 3


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def test_recursion_that_python_ends():
    @sl.function
    def f(x):
        return power(x, 3)

    assert f(t(2.0)).item() == 8.0


# Failures of the graph.


def test_a_raise_fails_when_its_branch_is_taken():
    @sl.function
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x * 2

    assert f(t(1.0)).item() == 2.0
    with pytest.raises(ValueError, match="^negative"):
        f(t(-1.0))


def test_assert_is_checked_when_the_graph_runs():
    @sl.function
    def f(x):
        assert x > 0, "must be positive"
        return x

    assert f(t(1.0)).item() == 1.0
    with pytest.raises(Exception, match="must be positive"):
        f(t(-1.0))


def test_a_variable_that_only_the_loop_gives_a_value():
    @sl.function
    def f(n):
        for i in range(n):
            last = i * 2
        return last

    assert f(t(3)) == 4
    with pytest.raises(UnboundLocalError, match="last"):
        f(t(0))


def test_a_failing_op_in_a_loop_names_its_line():
    @sl.function
    def f(xs, n):
        i = 0
        total = 0.0
        while i < n:
            total = total + xs[i]  # here
            i += 1
        return total

    with pytest.raises(Exception) as error:
        f(sl.ones([3]), t(5))
    own = [entry for entry in error.traceback if entry.name == "f"]
    assert str(own[-1].statement).endswith("xs[i]  # here")


def test_a_failure_while_recording_has_the_frames_of_the_source():
    @sl.function
    def f(x):
        while x.sum() < 3:
            x = x + [1][3]  # here
        return x

    with pytest.raises(IndexError) as error:
        f(sl.zeros([2, 2]))
    last = error.traceback[-1]
    assert str(last.path) == __file__ and last.name == "f"
    assert str(last.statement).endswith("# here")
