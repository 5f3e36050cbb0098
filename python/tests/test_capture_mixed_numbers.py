"""Numbers that branches and loops of captured code leave: what they are, and their
digits, where they change from call to call or are tensors on the other way."""

import itertools

import pytest

import sluice as sl

X32, X64 = sl.tensor([1.0, 2.0]), sl.tensor([1.0, 2.0], dtype=sl.float64)
TENTHS = (0.1, 0.2, 0.3, 0.7, 0.1)


def exact(value):
    """All that can be seen of it."""
    if isinstance(value, sl.Tensor):
        return "tensor", str(value.dtype), value.tolist()
    if isinstance(value, (tuple, list)):
        return [exact(v) for v in value]
    return type(value), value


def outcome(f, args):
    try:
        return exact(f(*args))
    except Exception as error:
        return type(error), str(error).splitlines()[0]


def same(f, *calls):
    captured = sl.function(f)
    for args in calls:
        assert outcome(captured, args) == outcome(f, args), args


def scaled_in_a_branch(x, r):
    s = r * 0.1 if x.sum() > 0 else r
    return x * s, s


def scaled_in_an_if(x, r):
    if x.sum() > 0:
        r = r * 0.1
    return x * r, r


def scaled_in_a_loop(x, r):
    i = 0
    while x.sum() * i < 10:
        r = r * 0.1
        i += 1
    return x * r, r, i


@pytest.mark.parametrize(
    "f", [scaled_in_a_branch, scaled_in_an_if, scaled_in_a_loop]
)
def test_a_number_that_changes_with_each_call_keeps_its_digits(f):
    same(f, *((X64, r) for r in TENTHS))
    same(f, *((X32, r) for r in TENTHS))
    same(f, *((X64, n) for n in (3, 5, 8, 13)))


def test_a_number_in_a_dict_stays_one():
    def step(x, d):
        if x[0] < 0.36:
            d["f"] = d["f"] * 0.5
        elif x[1] < 2:
            x = x * 2
        return x.sum()

    kept, plain = {"f": 0.7}, {"f": 0.7}
    captured = sl.function(step)
    for v in (0.1, 0.1, 0.5, 0.1, 0.7, 0.2):
        x = sl.tensor([v, 1.0])
        captured(x, kept)
        step(x, plain)
        assert exact(kept["f"]) == exact(plain["f"])


def number_or_tensor(x):
    return x[0] if x[0] < 4 else 7.1


def mean_or_tenth(x, y):
    s = y.mean() if y.sum() > 0 else 0.1
    return x * s


def given_or_mean(x, r):
    s = r if x[0] < 4 else x.mean()
    return x * s


@pytest.mark.parametrize("x", [X32, X64])
@pytest.mark.parametrize("y", [X32, X64])
def test_beside_a_tensor_no_digits_are_lost(x, y):
    same(mean_or_tenth, (x, y), (x, -y), (x, y), (x, -y))
    same(given_or_mean, *((x + 9 * (i % 2), r) for i, r in enumerate(TENTHS)))


USES = {
    "printed": lambda k: f"{k} {k!r}",
    "text": lambda k: str(k),
    "class": lambda k: type(k) is float,
    "instance": lambda k: isinstance(k, float),
    "attribute": lambda k: k.sum(),
    "missing attribute": lambda k: k.is_integer(),
    "negative": lambda k: -k,
    "absolute": lambda k: abs(k),
    "compared": lambda k: k < 3,
    "equal": lambda k: k == 7.1,
    "float": lambda k: float(k),
    "quotient": lambda k: k / 3,
    "sum": lambda k: k + 1,
    "largest": lambda k: max(k, 3.0),
    "condition": lambda k: 1 if k > 3 else 2,
    "tensor": lambda k: sl.tensor(k),
    "in a list": lambda k: [k, 1],
    "of a function": lambda k: sl.exp(k),
}


@pytest.mark.parametrize("use", USES)
def test_what_is_a_number_on_one_way_is_one_there(use):
    used = USES[use]

    def f(x):
        k = x[0] if x[0] < 4 else 7.1
        return used(k)

    same(f, (X32,), (X32 + 9,), (X32,), (X32 + 9,))


def test_or_gives_its_last_operand(capsys):
    @sl.function
    def f(x):
        print(x[0] < 4 or True)
        return x

    f(X32)
    f(X32 + 9)
    assert capsys.readouterr().out == "tensor(True)\nTrue\n"


def test_as_a_condition_the_graph_decides():
    """No value needs to: one recording serves both ways."""

    @sl.function
    def f(x):
        k = x[0] if x[0] < 4 else 7.0
        return x * 2 if k > 3 else x

    for x in (X32, X32 + 9, X32 + 2):
        f(x)
    assert len(f.traces()) == 1


def both(x, flag):
    a = x > 2 and flag
    print(a)
    return x if a else -x


def either(x, flag):
    a = x > 2 or flag
    print(a)
    return x if a else -x


def both_tensors(x, flag):
    print(x > 2 and x.sum() > 1, x.sum() > 2 and x > 1)
    return x


def number_or_text(x, flag):
    print(x[0] and 7.5 or "none")
    return x


@pytest.mark.parametrize("flag", [True, False, 3, None])
@pytest.mark.parametrize("f", [both, either, both_tensors, number_or_text])
def test_the_value_of_and_and_or_is_one_of_their_operands(f, flag, capsys):
    calls = [(sl.tensor([v]), flag) for v in (-2.0, 3.0, 0.0, 1.5)]
    same(f, *calls)
    lines = capsys.readouterr().out.splitlines()
    assert lines[::2] == lines[1::2]  # what was printed captured, and not
    assert len(lines) == 2 * len(calls)


def near_a_literal(x):
    a = 0.1 if x.sum() > 0 else x[0]
    return 1 if a < 0.1000000001 else 2


def of_more_digits_than_the_tensor(x):
    a = 16777217 if x.sum() > 0 else x[0]
    return 1 if a == 16777216 else 2


def of_more_digits_than_floats(x):
    a = 2**53 + 1 if x.sum() > 0 else 0.5
    return 1 if a == 2.0**53 else 2


def two_of_them(x):
    a = 0.1 if x.sum() > 0 else x[0]
    b = 0.10000000001 if x[1] > 0 else x[1]
    return 1 if a < b else 2


def computed_in_the_graph(x):
    a = float(x[1])
    b = a / 3 if x.sum() > 0 else x[0]
    return 1 if b == a / 3 else 2


def one_of_two_of_them(x):
    a = 1.5 if x.sum() > 0 else x[0]
    b = 2.5 if x[1] > 0 else x[1]
    c = a if x[0] > 0 else b
    return type(c).__name__


@pytest.mark.parametrize("program", [
    near_a_literal, of_more_digits_than_the_tensor, of_more_digits_than_floats,
    two_of_them, computed_in_the_graph, one_of_two_of_them], ids=lambda f: f.__name__)
def test_comparisons_have_all_digits(program):
    captured = sl.function(program)
    for values in itertools.product((1.0, -1.0, 0.1), repeat=2):
        x = sl.tensor([*values, 0.3])
        assert captured(x) == program(x), values


def _shifted(x):
    a, b = 1, 2
    for q in x:
        a, b = b, q
    return a, b


def _shifted_in_a_list(x):
    both = [1, 1]
    for q, _ in zip(x, x):
        both[0], both[1] = both[1], q * 2
    return both


def _before_last(x):
    before = last = 0
    while x.sum() < 3:
        before, last, x = last, x.sum(), x + 1
    return before, last


@pytest.mark.parametrize("f", [_shifted, _shifted_in_a_list, _before_last])
def test_one_iteration_hands_on_a_number_and_two_a_tensor(f):
    captured = sl.function(f)
    for n in (1, 2, 3, 1, 5):
        assert repr(captured(sl.ones(n))) == repr(f(sl.ones(n)))
