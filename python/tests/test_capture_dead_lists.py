"""A list of a recording that is over, met again, is an error of Python's."""

import sluice as sl


def collatz(x):
    n = int(x.abs().sum())
    count, seen = 0, [n]
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seen.append(n)
        count += 1
    return count, seen


def within(x):
    if x.sum() > -1:
        return collatz(x)
    return x


def test_a_list_that_grows_in_a_loop_of_a_branch():
    # The process ended: such a list was made a Python object of where no error
    # may be raised.
    step = sl.function(within)
    for values in ([3.0, 4.0, -2.5], [1.0, 2.0, 9.0], [-5.0, 1.0, 1.0]):
        x = sl.tensor(values)
        wanted, got = within(x), step(x)
        if isinstance(wanted, tuple):
            assert (got[0], list(got[1])) == wanted
        else:
            assert got.tolist() == wanted.tolist()
