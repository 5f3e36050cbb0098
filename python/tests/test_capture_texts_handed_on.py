"""Texts and numbers of elements in the hands of Python's own functions, which read
what is inside: those of each call."""

from __future__ import annotations

import collections
import csv
import enum
import io
import json
import logging
import os
import warnings

import numpy as np
import pytest
from both_ways import both

import sluice as sl
from sluice._convert import StagingError


class Box:
    k1 = "one"


class Kind(enum.Enum):
    A = 1
    B = 2


def rows_of_csv(x):
    out = io.StringIO()
    csv.writer(out).writerow([f"{x[0]:.1f}", x[1].item(), len(x)])
    return out.getvalue()


CODES = {
    "json": lambda x: json.dumps({"a": f"{x.sum():.1f}", "b": [(f"{x[0]:.0f}", 1)]}),
    "csv": rows_of_csv,
    "startswith": lambda x: "1abc".startswith((f"{int(x[0])}", "z")),
    "getattr": lambda x: getattr(Box, f"k{int(x[0])}", "none"),
    "hasattr": lambda x: hasattr(Box, f"k{int(x[0])}"),
    "map": lambda x: list(map(int, ["4", f"{int(x[0])}"])),
    "counter": lambda x: dict(collections.Counter(f"{int(v)}" for v in x.tolist())),
    "enum": lambda x: Kind(abs(int(x[0])) % 2 + 1).name,
    "numpy": lambda x: float(np.mean([v.item() for v in x]) + np.float32(x[0].item())),
    "a number that a branch makes": lambda x: str(
        sl.tensor(3 if x.sum() > 0 else 4.0).dtype
    ),
}


@pytest.mark.parametrize("name", CODES)
def test_of_each_call(name):
    def program(wrap):
        captured = wrap(CODES[name])
        rows = ([1.0, 2.0], [-1.0, 0.5], [1.0, 2.0], [3.0, 4.0])
        return [captured(sl.tensor(row)) for row in rows]

    both(program)


def test_an_attribute_that_a_text_names():
    def program(wrap):
        box = Box()

        @wrap
        def step(x):
            setattr(box, f"n{int(x[0])}", x.sum().item())
            return sorted(vars(box))

        return [step(sl.tensor([v])) for v in (1.0, 2.0, 1.0)] + [dict(vars(box))]

    both(program)


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        place = os.path.basename(record.pathname), record.lineno, record.funcName
        self.records.append((record.getMessage(), record.levelname, *place))


@pytest.fixture
def log():
    logger, handler = logging.getLogger("captured"), Kept()
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    yield logger, handler
    logger.removeHandler(handler)


def test_a_log_names_the_line_that_told_it(log):
    logger, handler = log

    def program(wrap):
        handler.records = []

        @wrap
        def step(x):
            logger.info("sum %.1f", x.sum().item())
            if x.sum() > 0:
                logger.warning("positive")
            return x

        for v in (1.0, -1.0):
            step(sl.tensor([v]))
        return handler.records

    found = both(program)
    assert found[0][2] == "test_capture_texts_handed_on.py" and found[0][4] == "step"


def test_a_log_of_an_error_is_refused(log):
    @sl.function
    def step(x):
        try:
            raise ValueError("x")
        except ValueError:
            log[0].exception("failed")
        return x

    with pytest.raises(StagingError, match="where an error came from"):
        step(sl.ones(1))


def test_a_warning_names_the_line_that_told_it():
    def program(wrap):
        @wrap
        def step(x):
            warnings.warn(f"sum {x.sum():.1f}")
            if x.sum() > 0:
                warnings.warn("positive", RuntimeWarning)
            return x

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for v in (1.0, -1.0):
                step(sl.tensor([v]))
        return [
            (str(w.message), w.category, os.path.basename(w.filename), w.lineno)
            for w in told
        ]

    assert both(program)[0][2] == "test_capture_texts_handed_on.py"
