"""Messages that blamed the wrong thing, or spoke of C++: one test for each."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import sluice as sl
import sluice.nn as nn
from sluice import report

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("x", "got"), [
    (sl.tensor([[1, 2]]), r"i64\[1,2\]"),
    (sl.tensor([[1.0, 2.0]], dtype=sl.float64), r"f64\[1,2\]"),
], ids=["int", "f64"])
def test_input_of_linear_is_blamed_and_not_its_weight(x, got):
    with pytest.raises(ValueError, match=rf"linear: x is {got}; wanted f32") as told:
        nn.Linear(2, 2)(x)
    assert "test_messages.py:" in str(told.value)


def test_messages_do_not_speak_of_cpp():
    """No text of the library names what only C++ programs have."""
    found = []
    for path in sorted((ROOT / "src").rglob("*.cc")):
        if path.name.endswith("_test.cc") or "ops_header" in path.name:
            continue
        if path.name in ("ops_markdown.cc",):  # the page of ops is of C++, too
            continue
        for i, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code):
                if re.search(r"\b(sl|sluice)::", text):
                    found.append(f"{path.name}:{i}: {text}")
    assert found == []


def test_write_to_a_leaf_asks_for_no_grad():
    w = sl.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="wanted no_grad around it"):
        w.mul_(2.0)


def test_graphs_of_one_name_are_told_apart():
    with sl.Graph():
        a = sl.placeholder(sl.float32, [2], name="a")
    with sl.Graph() as other, pytest.raises(ValueError) as told:
        a + 1
    text = str(told.value)
    assert '"a", made at test_messages.py:' in text
    assert "belongs to another graph" in text and 'wanted graph "main"' not in text
    with sl.Session(other) as session, pytest.raises(ValueError) as told:
        session.run(a, {a: [1.0, 2.0]})
    assert 'made at test_messages.py:' in str(told.value)


def test_smaller_of_two_tensors():
    assert sl.min(sl.tensor([1.0, 5.0]), sl.tensor([3.0, 2.0])).tolist() == [1.0, 2.0]


def test_closed_session_says_that_it_is():
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, [None])
        y = x * sl.ones(3)
    session = sl.Session(graph)
    session.close()
    with pytest.raises(sl.CancelledError, match="the session is closed"):
        session.run(y, {x: [1.0, 2.0]})


def test_lines_of_plots_take_x_before_y():
    usual = report.Plot().line("a", [0, 3], [1, 2])
    named = report.Plot().line("a", x=[0, 3], y=[1, 2])
    mixed = report.Plot().line("a", [1, 2], x=[0, 3])
    assert usual.png() == named.png() == mixed.png()
    assert usual.png() != report.Plot().line("a", [1, 2], [0, 3]).png()
    assert report.Plot().line("a", [5, 6]).png() == \
        report.Plot().line("a", [0, 1], [5, 6]).png()
    for wrong in [lambda p: p.line("a"), lambda p: p.line("a", [1], [2], [3]),
                  lambda p: p.line("a", [1], [2], x=[3])]:
        with pytest.raises(TypeError, match=r"line\(name, "):
            wrong(report.Plot())


# ---- Environment and installation ----


def test_environment_is_documented():
    """Every variable the library reads is in docs/install.md."""
    read = set()
    for folder in ("src", "python/src", "python/sluice"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cc", ".h", ".py") and "_test" not in path.name:
                text = path.read_text()
                read |= set(re.findall(r'getenv\("(SLUICE_\w+)"\)', text))
                read |= set(re.findall(r'environ[^\n]*"(SLUICE_\w+)"', text))
    assert read >= {"SLUICE_THREADS", "SLUICE_DATA"}
    page = (ROOT / "docs" / "install.md").read_text()
    assert [name for name in sorted(read) if f"`{name}`" not in page] == []


def test_installed_mnist_is_found(tmp_path):
    """share/sluice above the package, as an installation has it."""
    package = pathlib.Path(sl.__file__).parent
    site = tmp_path / "lib" / "python" / "site-packages"
    (site / "sluice").mkdir(parents=True)
    for path in package.iterdir():
        (site / "sluice" / path.name).symlink_to(path.resolve())
    share = tmp_path / "share" / "sluice"
    share.mkdir(parents=True)
    shutil.copytree(ROOT / "data" / "mnist", share / "mnist")
    work = tmp_path / "work"
    work.mkdir()
    code = "from sluice import data; x, y = next(iter(data.mnist())); print(x.shape)"
    env = {k: v for k, v in os.environ.items() if not k.startswith("SLUICE_")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=work, text=True, capture_output=True,
        env={**env, "PYTHONPATH": str(site)})
    assert done.stdout.strip() == "(784,)", done.stderr


def test_demo_installs_no_emulator_and_cross_compiler():
    makefile = (ROOT / "Makefile").read_text()
    demo = makefile[makefile.index("\ndemo:"):].split("\n\n")[0]
    assert "install_deps.sh --demo" in demo and "deps" not in demo.splitlines()[1]
    env = {"PATH": "/nowhere:/usr/bin:/bin", "SLUICE_NO_INSTALL": "1"}
    # Commands that a machine may have are hidden from the script.
    script = (ROOT / "tools" / "install_deps.sh").read_text().replace(
        'have() { command -v "$1" >/dev/null 2>&1; }',
        'have() { case $1 in qemu*|*linux-gnu*) return 1;; '
        '*) command -v "$1" >/dev/null 2>&1;; esac; }')
    for how, wanted in [("--demo", False), ("", True)]:
        done = subprocess.run(["bash", "-s", how], input=script, text=True,
                              capture_output=True, env=env, cwd=ROOT)
        said = "qemu" in done.stderr or "linux-gnu" in done.stderr
        assert said == wanted, done.stderr
