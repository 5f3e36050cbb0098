"""Names that docs/python/coverage.md says are there are there, and the page is true."""

import pathlib
import sys

import pytest

import sluice as sl

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "fuzz" / "values"))
import coverage_page  # noqa: E402

PARTS = coverage_page.read()


@pytest.mark.parametrize("title", PARTS)
def test_names_stay(title):
    there = [e for e in PARTS[title] if e.at]
    assert [e.at for e in there if not e.found(sl)] == []


def test_a_name_that_is_gone_is_found_out():
    assert not coverage_page.Entry("add", "added_no_more", "").found(sl)


def test_page_is_written_from_the_list():
    page = ROOT / "docs" / "python" / "coverage.md"
    assert coverage_page.page() == page.read_text(encoding="utf-8")


def test_shares_are_as_wanted():
    def share(title):
        return sum(bool(e.at) for e in PARTS[title]) / len(PARTS[title])

    assert share("operators") >= 0.85
    assert share("array standard") >= 0.98
