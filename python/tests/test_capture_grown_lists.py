"""A list that grows where a tensor decides is a list of Python's, whatever is done
with it."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl

CODES = {
    "class": lambda made: (isinstance(made, list), type(made).__name__),
    "text": lambda made: (str(made), f"{made}", repr([made])),
    "empty": lambda made: (made == [], not made),
    "pop": lambda made: (made.pop().item() if made else None, len(made)),
    "append": lambda made: (made.append(3), len(made)),
    "numbers": lambda made: [v.item() for v in made],
    "mean": lambda made: sum(v.item() for v in made) / max(len(made), 1),
    "stack": lambda made: sl.stack(made).tolist(),
}


@pytest.mark.parametrize("name", CODES)
def test_of_rows_that_a_branch_takes(name):
    def program(wrap):
        @wrap
        def step(x):
            made = []
            for v in x:
                if v > 0:
                    made.append(v * 2)
            return CODES[name](made)

        found = []
        for values in ([1.0, -2.0], [1.0, 2.0, 3.0], [-1.0, -1.0], [1.0]):
            try:
                found.append(step(sl.tensor(values)))
            except ValueError as error:
                found.append(str(error).splitlines()[0])
        return found

    both(program)


def test_what_is_printed(capsys):
    @sl.function
    def step(x):
        made = []
        while x.sum() < 20:
            x = x * 2
            made.append(x.sum())
        print("seen", made)
        return x

    step(sl.tensor([1.0, 2.0]))
    assert capsys.readouterr().out == "seen [tensor(6.), tensor(12.), tensor(24.)]\n"


def written_after_the_loop(x):
    h, out, i = x * 1, [], x.sum() * 0
    while i < 3:
        h = h + 1
        out.append(h)
        i = i + 1
    h += 10
    return sl.stack(out)


def written_in_the_iteration(x):
    h, out, i = x * 1, [], x.sum() * 0
    while i < 3:
        h = h + 1
        out.append(h)
        h += 1
        i = i + 1
    return out


def written_in_each(x):
    h, out = x * 1, []
    for v in x:
        h += v
        out.append(h)
    return sl.stack(out)


def rows_of_what_is_written(x):
    out, y = [], x * 1
    for v in y:
        out.append(v)
    y += 5
    return out


def written_after_a_branch(x):
    h = x * 1
    out = [h]
    if x.sum() > 0:
        out.append(x * 2)
    h += 10
    return sl.stack(out)


def written_in_the_loop_it_was_before(x):
    h, i = x * 1, x.sum() * 0
    out = [h]
    while i < 3:
        out.append(x * i)
        h += 1
        i = i + 1
    return out


@pytest.mark.parametrize(
    "program",
    [written_after_the_loop, written_in_the_iteration, written_in_each,
     rows_of_what_is_written, written_after_a_branch,
     written_in_the_loop_it_was_before],
)  # fmt: skip
def test_a_list_shows_what_is_written_to_its_elements_later(program):
    step = sl.function(program)
    for values in ([1.0, 2.0, 3.0], [0.0, -1.0, 0.5]):
        wanted, got = program(sl.tensor(values)), step(sl.tensor(values))
        assert str(got) == str(wanted)


def test_a_list_of_states_is_one_graph():
    def states(x, n):
        h, out, i = x * 1, [], n * 0
        while i < n:
            h = sl.tanh(h * 0.5 + 1)
            out.append(h)
            i = i + 1
        return sl.stack(out), h

    step = sl.function(states, one_graph=True)
    for n in (1, 3, 5):
        x = sl.tensor([1.0, 2.0])
        assert str(step(x, sl.tensor(n))) == str(states(x, sl.tensor(n)))
    assert len(step.traces()) == 1
