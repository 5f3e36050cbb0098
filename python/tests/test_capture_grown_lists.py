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
