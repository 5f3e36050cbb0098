"""Rows and parts of a tensor are looks into it, also where a loop goes over them:
captured code gives what it gives imperatively, or is refused."""

import pytest
from both_ways import both

import sluice as sl


def writes_rows(x, m):
    for row in m:
        row.add_(x)


def writes_rows_in_place(x, m):
    for row in m:
        row += x


def writes_numbered_rows(x, m):
    for i, row in enumerate(m):
        row.mul_(i + 1)


def writes_rows_of_the_transpose(x, m):
    for row in m.T:
        row += 1


def writes_rows_by_number(x, m):
    for i in range(len(m)):
        row = m[i]
        row += x


def reads_rows_after_a_write(x, m):
    for row in m:
        m.add_(x)
        x = row * 1
    return x


def carries_rows(x, m):
    for row in m:
        m.add_(x)
        x = row
    return x * 1


def hands_out_a_row(x, m):
    for row in m:
        x = row
    return x


def zipped(x, m):
    for a, b in zip(m, m):
        m.add_(x)
        x = a * 1 + b
    return x


def unbound(x, m):
    for row in m.unbind(0):
        row += x
    return m.unbind(1)[0]


def split(x, m):
    a, b = m.split(1)
    a += x
    m.mul_(2)
    return a, b


def chunked(x, m):
    a, b = m.chunk(2, dim=1)
    b += 1
    m.mul_(2)
    return a * 1, b * 1


CODES = [
    writes_rows,
    writes_rows_in_place,
    writes_numbered_rows,
    writes_rows_of_the_transpose,
    writes_rows_by_number,
    reads_rows_after_a_write,
    carries_rows,
    hands_out_a_row,
    zipped,
    unbound,
    split,
    chunked,
]


@pytest.mark.parametrize("code", CODES, ids=lambda f: f.__name__)
def test_rows_are_looks(code):
    def run(wrap):
        f, found = wrap(code), []
        for shift in (0.0, 1.0):
            x = sl.tensor([0.5, 1.0])
            m = sl.tensor([[1.0, 2.0], [3.0, 4.0]]) + shift
            r = f(x, m)
            results = [] if r is None else [r] if isinstance(r, sl.Tensor) else r
            with sl.no_grad():
                for t in results:
                    t.add_(1)
            found.append([t.tolist() for t in (x, m, *results)])
        return found

    both(run)


def test_a_row_that_only_a_run_knows_is_not_written_silently():
    def writes(m, i):
        row = m[i]
        row += 1
        return m * 1

    def reads(m, i):
        row = m[i]
        m += 1
        return row * 1

    for code in (writes, reads):
        m, i = sl.tensor([[1.0], [2.0]]), sl.tensor(1)
        with pytest.raises(NotImplementedError, match="may or may not share"):
            sl.function(code)(m, i)
        assert m.tolist() == [[1.0], [2.0]]


def test_a_row_that_only_a_run_knows_is_read():
    f = sl.function(lambda m, i: (m[i] * 2, m[i, 0] + 1))
    m = sl.tensor([[1.0], [2.0]])
    for i in (0, 1):
        a, b = f(m, sl.tensor(i))
        assert (a.tolist(), b.item()) == ([2.0 * (i + 1)], i + 2.0)
    assert len(f.traces()) == 1


COMPREHENSIONS = {
    "tuples": lambda x: [(row, row.sum()) for row in x],
    "tuples of one size": lambda x: [(row, row * 2) for row in x],
    "lists": lambda x: [[e * 2 for e in row] for row in x],
    "lists of a part": lambda x: [[e * 2 for e in row] for row in x[:2]],
    "dicts": lambda x: [{"a": row, "n": 3} for row in x],
    "None": lambda x: [None for _ in x],
    "nested": lambda x: [[row, [row.sum()]] for row in x],
}


# Tuples were refused, and lists and dicts errors of the graph.
@pytest.mark.parametrize("kind", COMPREHENSIONS)
def test_a_comprehension_over_rows_of_other_things_than_tensors(kind):
    f = COMPREHENSIONS[kind]
    captured = sl.function(f)
    for rows in (3, 3, 2, 5):
        x = sl.arange(rows * 2.0).reshape(rows, 2)
        assert repr(captured(x)) == repr(f(x))


def test_a_tensor_of_a_range_and_of_a_list_that_grows():
    def f(x, n):
        grown = []
        for i in range(n):
            grown.append(i * 2)
        return (
            sl.tensor(range(x.shape[0])), sl.asarray(range(1, x.shape[0], 2)),
            sl.tensor(range(n, 0, -1), dtype=sl.float32), sl.tensor(grown),
        )  # fmt: skip

    captured = sl.function(f)
    for rows, n in ((3, 2), (4, 2), (2, 5)):
        x, count = sl.ones(rows, 1), sl.tensor(n)
        assert repr(captured(x, count)) == repr(f(x, count))


# The list was left with what belongs to the graph.
def test_a_comprehension_whose_elements_do_something_beside():
    def f(x):
        [seen.append(row.sum()) for row in x]
        count = [counter.update(n=counter["n"] + 1) or row * counter["n"] for row in x]
        return sum(seen), count

    found = []
    for g in (f, sl.function(f)):
        seen, counter = [], {"n": 0}
        values = [g(sl.arange(n * 2.0).reshape(n, 2)) for n in (2, 3, 3)]
        found.append(repr((values, seen, counter)))
    assert found[0] == found[1]
