"""Every block of Python and sh of README.md and docs/ prints what it says."""

import functools
import re
import subprocess
import sys

import doc_page
import pytest

import sluice as sl

PAGES = sorted([doc_page.ROOT / "README.md", *doc_page.ROOT.glob("docs/**/*.md")])
PYTHON_PAGES = [p for p in PAGES if p.name == "README.md" or p.parent.name == "python"]


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda p: p.relative_to(doc_page.ROOT).as_posix())
def test_page(page):
    blocks = doc_page.python_blocks(page.read_text(encoding="utf-8"))
    if not blocks:
        return
    if any(block.language == "sh" for block in blocks) and not (
            doc_page.programs() / "sluice").exists():
        pytest.skip("the program `sluice` is not part of this build")
    assert list(doc_page.problems(page)) == []


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=lambda p: p.name)
def test_names_in_pages_are_there(page):
    """What tables and text call sl.x is found in the package."""
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"\bsl\.([A-Za-z_][\w.]*\w)", text))
    missing = []
    for name in sorted(names):
        try:
            functools.reduce(getattr, name.split("."), sl)
        except AttributeError:
            missing.append(f"sl.{name}")
    # One that is named because there is none.
    assert [m for m in missing if m != "sl.no_such_name"] == []


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_api_page_is_current():
    done = subprocess.run(
        [sys.executable, str(doc_page.ROOT / "tools" / "python_api_pages.py")],
        text=True, capture_output=True, check=True)
    wanted = (doc_page.ROOT / "docs" / "python" / "api.md").read_text(encoding="utf-8")
    assert done.stdout == wanted, "make test refreshes docs/python/api.md"


def test_cpp_api_page_is_current():
    tool = doc_page.ROOT / "tools" / "cpp_api_pages.py"
    done = subprocess.run(
        [sys.executable, str(tool)], text=True, capture_output=True, check=True)
    page = (doc_page.ROOT / "docs" / "cpp" / "api.md").read_text(encoding="utf-8")
    assert done.stdout == page, "make test refreshes docs/cpp/api.md"
    # What a program begins with, and one of every folder.
    for name in ["class Tensor {", "class Session {", "struct TrainerOptions {",
                 "class Adam", "struct DataLoaderOptions {", "Tensor constant("]:
        assert name in page, name
    assert "front_internal" not in re.sub(r"//.*", "", page)


def test_cpp_api_page_has_neither_private_members_nor_bodies():
    # An argument with a value of its own, as Where::current(), was taken for one.
    page = (doc_page.ROOT / "docs" / "cpp" / "api.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S))
    code = re.sub(r"//.*", "", code)
    for wrong in (r"\w_;", r"\breturn\b", r"\bprivate:", r"^\s*_;", r"^\s*\("):
        assert not re.search(wrong, code, re.M), wrong
    assert "const Literal& literal_value() const;" in code


def page_of(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    return page


def test_wrong_output_is_found(tmp_path):
    page = page_of(tmp_path, "```python\nprint(1)\n```\n\n```text\n2\n```\n")
    assert "printed\n1\nand the page says\n2" in list(doc_page.problems(page))[0]


def test_wrong_output_comment_is_found(tmp_path):
    page = page_of(tmp_path, "```python\nprint(1)  # output: 2\n```\n")
    assert len(list(doc_page.problems(page))) == 1


def test_commands_run_beside_python(tmp_path):
    page = page_of(tmp_path, "```python\nopen('a', 'w').write('x')\n```\n\n"
                   "```sh\ncat a\n```\n\n```text\ny\n```\n")
    assert "printed\nx\nand the page says\ny" in list(doc_page.problems(page))[0]


def test_command_that_fails_is_found(tmp_path):
    page = page_of(tmp_path, "```sh\necho one\nfalse | cat\necho two\n```\n")
    assert "one\nexit code 1" in list(doc_page.problems(page))[0]


def test_block_that_raises_is_found(tmp_path):
    page = page_of(tmp_path, "```python\nx = 1\n```\n\n```python\nx.y\n```\n")
    assert ":6: AttributeError" in list(doc_page.problems(page))[0]


def test_exceptions_are_shown_with_lines_of_the_page(tmp_path):
    page = page_of(tmp_path, "Words.\n\n```python\nimport sluice as sl\n"
                   "sl.matmul(sl.constant([[1.0]]), [[1.0, 2.0], [3.0, 4.0]])\n"
                   "```\n\n```text\n?\n```\n")
    page.write_text(doc_page.updated(page))
    assert list(doc_page.problems(page)) == []
    assert "page.py:5" in page.read_text()


def test_the_program_updates_pages(tmp_path):
    page = page_of(tmp_path, "```python\nprint(3)\n```\n\n```text\n```\n")
    subprocess.run([sys.executable, doc_page.__file__, "--update", str(page)],
                   check=True)
    assert "```text\n3\n```" in page.read_text()
