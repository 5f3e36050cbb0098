"""type(), isinstance() and `is` of numbers in captured code are Python's."""

import functools

import sluice as sl


def same(f, *calls):
    captured = sl.function(f)
    for x in calls:
        assert repr(captured(x)) == repr(f(x))


def test_the_class_of_a_size_is_int():
    def f(x):
        n = x.shape[0]
        return (
            type(n) is int, type(n) == int, type(n).__name__, isinstance(n, int),
            type(n / 2) is float, type(n > 2) is bool,
        )  # fmt: skip

    same(f, sl.ones(2), sl.ones(3), sl.ones(2))


def test_a_comparison_of_sizes_is_true_or_is_not():
    def f(x):
        n = x.shape[0]
        return (n > 2) is True, (n > 2) is not False, bool(x.sum() > 2) is True

    same(f, sl.ones(2), sl.ones(3), sl.ones(2))


def test_the_class_of_what_a_tensor_makes_is_that_of_the_number():
    def f(x):
        n = int(x.sum())
        return type(n) is int, type(n + 0.5), isinstance(x.sum().item(), float)

    same(f, sl.ones(2), sl.ones(3))


def test_which_tensor_a_branch_chose_decides_what_is_it():
    def f(x):
        y = x if x.sum() > 2 else x * 2
        return y is x, y

    same(f, sl.ones(2), sl.ones(3), sl.ones(2))


@functools.singledispatch
def kind(value):
    return "object"


kind.register(int, lambda value: "int")
kind.register(float, lambda value: "float")
kind.register(bool, lambda value: "bool")
kind.register(sl.Tensor, lambda value: value * 2 if value.sum() > 2 else value * 3)


# Numbers of the graph were dispatched as the tensors that stand for them.
def test_singledispatch_goes_by_the_class_of_the_number():
    def f(x):
        n = x.sum().item()
        return kind(n), kind(int(n)), kind(n > 2), kind(x), kind(x.shape[0]), kind("a")

    same(f, sl.ones(2), sl.ones(3), sl.ones(2))


def test_singledispatch_of_a_function_that_is_registered_later():
    @functools.singledispatch
    def scaled(value, x):
        return x

    f = sl.function(lambda x: scaled(x.sum().item(), x))
    assert f(sl.ones(2)).tolist() == [1.0, 1.0]
    scaled.register(float, lambda value, x: x * value)
    assert f(sl.ones(2)).tolist() == [2.0, 2.0]


class Counts:
    def __init__(self):
        self.seen = []

    @functools.singledispatchmethod
    def see(self, value):
        self.seen.append("object")
        return value

    @see.register
    def _(self, value: float):
        self.seen.append("float")
        return value * 2

    @see.register
    def _(self, value: sl.Tensor):
        self.seen.append("tensor")
        return value * 3 if value.sum() > 2 else value


def test_singledispatchmethod_goes_by_the_class_of_the_number():
    seen = []
    for wrap in (lambda f: f, sl.function):
        counts = Counts()
        f = wrap(lambda x: (counts.see(x.sum().item()), counts.see(x), counts.see("a")))
        results = [repr(f(x)) for x in (sl.ones(2), sl.ones(3), sl.ones(2))]
        seen.append((results, counts.seen))
    assert seen[0] == seen[1]
