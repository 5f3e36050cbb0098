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
