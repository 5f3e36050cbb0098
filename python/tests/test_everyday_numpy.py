"""Everyday lines of numpy's, with `import sluice.numpy as np` for the import."""

import importlib
import warnings

import everyday_run
import numpy
import pytest

ours = importlib.import_module("sluice.numpy")
LINES = everyday_run.lines("numpy.txt")
REFUSED = everyday_run.refused("numpy_refused.txt")


def _difference(line):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = everyday_run.value(line.text, {"np": numpy})
        made = everyday_run.value(line.text, {"np": ours})
        return everyday_run.difference(made, wanted, line.drawn)


@pytest.mark.parametrize(
    "line", [x for x in LINES if x.text not in REFUSED], ids=lambda x: x.text
)
def test_line_means_the_same(line):
    assert _difference(line) is None


@pytest.mark.parametrize("text", REFUSED)
def test_refused_line_is_in_the_list_and_differs(text):
    line = next(x for x in LINES if x.text == text)
    try:
        assert _difference(line) is not None
    except (AttributeError, TypeError, ValueError, IndexError):
        pass


def test_share_of_lines_that_run_unchanged():
    assert len(LINES) >= 500 and len({x.text for x in LINES}) == len(LINES)
    assert 1 - len(REFUSED) / len(LINES) >= 0.95
