"""Results of a branch or loop that are one tensor on some way: who writes to one
writes to the other."""

import pytest

import sluice as sl


def returned_and_kept():
    kept = sl.tensor([-0.5])

    def step(x):
        nonlocal kept
        if x > 0:
            pass
        else:
            return x
        kept = x * 0.5
        return kept

    return step, lambda: kept


def on_an_attribute():
    class Box:
        value = sl.tensor([-0.5])

    box = Box()

    def step(x):
        if x > 0:
            box.value = x * 0.5
            return box.value
        return x * 1

    return step, lambda: box.value


def two_results():
    def step(x):
        y, z = x * 1, x + 1
        if x > 0:
            z = y = x * 0.5
        return y, z

    return step, None


def on_all_ways():
    def step(x):
        if x > 0:
            z = y = x * 0.5
        else:
            y = z = x * 2
        y += 1
        return z * 1

    return step, None


def written_inside():
    def step(x):
        y, z = x * 1, x + 1
        if x > 0:
            z = y
        y += 1
        return z * 1

    return step, None


def one_from_outside():
    def step(x):
        a, b = x * 3, x * 4
        y, z = x * 1, x * 2
        if x > 0:
            y = z = a
        y += 1
        return z * 1 + a + b

    return step, None


def by_a_loop():
    def step(x):
        y, z = x * 1, x + 1
        while y.sum() < 3:
            z = y = y + 2
        y += 1
        return z * 1

    return step, None


def before_a_loop():
    def step(x):
        y = x * 1
        z = y
        while y.sum() < 3:
            y += 1
            x = x + z
        return x * 1

    return step, None


def carried_by_a_loop():
    def step(x):
        y, z = x * 1, x + 1
        k = 0
        while k < 3 and x.sum() < 9:
            k += 1
            y += 1
            x = x + z
            z = y = y * 2
        return x * 1

    return step, None


@pytest.mark.parametrize(
    "make",
    [returned_and_kept, on_an_attribute, two_results, on_all_ways, written_inside,
     one_from_outside, by_a_loop, before_a_loop, carried_by_a_loop],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("value", [0.5, -0.5, 5.0])
def test_writes_are_seen_through_both(make, value):
    told = []
    for wrap in (lambda f: f), sl.function:
        step, also = make()
        r = wrap(step)(sl.tensor([value]))
        first = r[0] if isinstance(r, tuple) else r
        first *= 0.5
        seen = [first.tolist()]
        if isinstance(r, tuple):
            seen.append(r[1].tolist())
        if also:
            seen.append(also().tolist())
        told.append(seen)
    assert told[0] == told[1]
