"""docs/python/differences.md is what the list of differences says."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is Python 3.11's")
def test_page_is_written_from_the_list():
    tool = ROOT / "python" / "fuzz" / "values" / "differences_page.py"
    made = subprocess.run(
        [sys.executable, str(tool)], capture_output=True, text=True, check=True
    )
    page = ROOT / "docs" / "python" / "differences.md"
    assert made.stdout == page.read_text(encoding="utf-8")
