"""x[i] += y and x[i][j] = y with an i that only a run knows: histograms, tables."""

import pytest

import sluice as sl


def confusion(a, b):
    counts = sl.zeros(3, 3)
    for i, j in zip(a, b):
        counts[i, j] += 1
    return counts


def by_numbers(a, b):
    counts = sl.zeros(3, 3)
    i, j = int(a[0]), int(b[-1])
    counts[i, j] += 1
    counts[i][j] *= 3
    counts[-1, j] -= 0.5
    return counts


def rows(a, b):
    m = sl.ones(3, 2)
    m[a[0]] += sl.tensor([1.0, 2.0])
    m[int(b[0])] *= m[a[1]]
    m[a[1], 0] /= 4
    return m


def through_a_view(a, b):
    m = sl.zeros(3, 3)
    view = m.T[1:]
    view[a[0] % 2, b[0]] += 5
    view[:, int(a[1])] -= 1
    return m, view


def in_a_branch(a, b):
    counts = sl.zeros(3)
    if a.sum() > 3:
        counts[a[0]] += 1
    else:
        counts[int(b[0])] += 2
    return counts


def in_a_while(a, b):
    counts, i = sl.zeros(3), a[0]
    while i < 2:
        counts[i] += i + 1
        i = i + 1
    return counts


def rows_of_rows(a, b):
    m, table = sl.zeros(3, 3), {"m": [sl.zeros(3, 2), sl.ones(2)]}
    m[a[0]][b[0]] = 7.0
    m[int(a[1])][0] += 1
    m[a[2]][1:] -= sl.tensor([1.0, 2.0])
    table["m"][0][b[1]][a[0] % 2] += 3
    table["m"][1][a[1] % 2] *= 5
    return m, *table["m"]


PROGRAMS = [confusion, by_numbers, rows, through_a_view, in_a_branch, in_a_while,
            rows_of_rows]  # fmt: skip
ARGUMENTS = [([0, 1, 2], [0, 2, 2]), ([1, 1, 2], [2, 2, 1]), ([2, 0, 0], [1, 0, 2])]


def numbers(made):
    return [t.tolist() for t in (made if isinstance(made, tuple) else (made,))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_parts_that_a_run_chooses(program):
    step = sl.function(program)
    for a, b in ARGUMENTS:
        wanted = program(sl.tensor(a), sl.tensor(b))
        assert numbers(step(sl.tensor(a), sl.tensor(b))) == numbers(wanted)


def test_a_table_around_the_function():
    def run(wrap):
        table = sl.zeros(2, 3)

        @wrap
        def update(state, action, reward):
            best = table[state].max()
            table[state, action] += 0.5 * (reward + 0.9 * best - table[state, action])
            return best

        made = [update(sl.tensor(s), sl.tensor(a), sl.tensor(r)).item()
                for s, a, r in ((0, 1, 1.0), (0, 2, 3.0), (1, 1, -1.0), (0, 1, 2.0))]
        return made, table.tolist()

    assert run(sl.function) == run(lambda f: f)


def test_gradients_flow_through_the_part():
    def loss(x, i):
        y = x * 2
        y[i] *= x.sum()
        return (y * y).sum()

    x = sl.tensor([1.0, 2.0, 3.0])
    for i in range(3):
        wanted = sl.grad(loss)(x, sl.tensor(i)).tolist()
        assert sl.grad(sl.function(loss))(x, sl.tensor(i)).tolist() == wanted
        assert sl.function(sl.grad(loss))(x, sl.tensor(i)).tolist() == wanted


def test_errors_are_those_of_the_code():
    def fractions(x, i):
        x = x * 1
        x[i] += 0.5
        return x

    for wrap in (lambda f: f, sl.function):
        with pytest.raises((RuntimeError, TypeError)):
            wrap(fractions)(sl.tensor([1, 2]), sl.tensor(0))
        with pytest.raises(IndexError):
            wrap(fractions)(sl.tensor([1.0, 2.0]), sl.tensor(7))
