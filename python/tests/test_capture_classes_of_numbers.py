"""type(), isinstance() and `is` of numbers in captured code are Python's."""

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
