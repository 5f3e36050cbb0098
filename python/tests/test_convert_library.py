"""Modules of Python itself, converted, do what they did."""

import colorsys
import difflib
import fractions
import importlib
import inspect
import json
import pprint
import random
import shlex
import statistics
import textwrap
import types

import pytest

from sluice._convert import _make
from sluice._convert.errors import Unconvertible

TEXT = inspect.getsource(textwrap)


def wrapped():
    wrapper = textwrap.TextWrapper(width=31, initial_indent="* ", max_lines=40)
    return [wrapper.wrap(TEXT), textwrap.dedent(TEXT[:900]), textwrap.shorten(TEXT, 60)]


def compared():
    a, b = TEXT.splitlines()[:60], TEXT.splitlines()[7:70:2]
    matcher = difflib.SequenceMatcher(None, a, b)
    return [
        list(difflib.unified_diff(a, b)),
        matcher.get_opcodes(),
        matcher.ratio(),
        difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]),
    ]


def counted():
    third, x = fractions.Fraction(1, 3), fractions.Fraction("3.75")
    return [third + x, x**3, x // third, round(x, 1), third < x, hash(x), -x % third]


def split():
    lines = ["a 'b c' d", 'x="y z"# no', "echo \\'it\\' && 'q'"]
    return [shlex.split(line, comments=True) for line in lines]


def printed():
    value = {"k": [list(range(40)), {"deep": ("text " * 30, None)}], "z": {1, 2, 3}}
    return [pprint.pformat(value, width=50), pprint.pformat(value, depth=1)]


def measured():
    draw = random.Random(3)
    xs = [draw.gauss(0, 1) for _ in range(50)]
    return [
        statistics.stdev(xs),
        statistics.median(xs),
        statistics.quantiles(xs, n=7),
        statistics.mode([1, 2, 2, 3]),
        statistics.linear_regression(xs, xs[::-1]),
    ]


def decoded():
    text = json.dumps({"a": [1, 2.5, None, "\u00e9\n"], "b": {"c": True}})
    return [json.JSONDecoder(strict=False).decode(text), json.loads(text)]


def coloured():
    return [colorsys.rgb_to_hls(0.2, 0.4, 0.4), colorsys.hsv_to_rgb(0.3, 0.7, 0.9)]


def convert_in_place(owner, name, monkeypatch):
    """Puts converted functions in the places of those there are; how many."""
    done = 0
    for key, value in list(vars(owner).items()):
        if isinstance(value, types.FunctionType) and value.__module__ == name:
            try:
                monkeypatch.setattr(owner, key, _make(value))
                done += 1
            except Unconvertible:
                pass
        elif isinstance(value, type) and value.__module__ == name:
            if value.__qualname__ == key:
                done += convert_in_place(value, name, monkeypatch)
    return done


@pytest.mark.parametrize(
    "name, use",
    [
        ("textwrap", wrapped),
        ("difflib", compared),
        ("fractions", counted),
        ("shlex", split),
        ("pprint", printed),
        ("statistics", measured),
        ("json.decoder", decoded),
        ("colorsys", coloured),
    ],
)
def test_module(name, use, monkeypatch):
    wanted = use()
    module = importlib.import_module(name)
    assert convert_in_place(module, name, monkeypatch) > 2
    got = use()
    monkeypatch.undo()
    assert got == wanted
