"""The programs of examples/python print what docs/python/gallery.md says."""

import os
import pathlib
import platform
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "python" / "gallery.md"
ENTRY = re.compile(
    r"^## \[(\w+\.py)\]\(\.\./\.\./examples/python/\1\)\n(.*?)^```text\n(.*?)^```$",
    re.M | re.S)
PROGRAMS = {name: output for name, _, output in ENTRY.findall(GALLERY.read_text())}


def run(name):
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths)),
        "SLUICE_DATA": str(ROOT / "data")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "python" / name)], text=True,
        capture_output=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program_prints_what_the_gallery_says(name):
    said = run(name)
    if platform.machine() == "aarch64":
        assert said == PROGRAMS[name]
    else:
        # Kernels of another processor add in another order: words are the same.
        words = re.compile(r"[a-z]{3,}")
        assert len(said.splitlines()) == len(PROGRAMS[name].splitlines())
        assert words.findall(said)[:10] == words.findall(PROGRAMS[name])[:10]


def test_gallery_has_every_program():
    files = {p.name for p in (ROOT / "examples" / "python").glob("*.py")
             if "def main() -> None:" in p.read_text()}
    assert files == set(PROGRAMS)


if __name__ == "__main__":  # writes what the programs print into the page
    text = GALLERY.read_text()
    for name in sys.argv[1:] or sorted(PROGRAMS):
        head, _, tail = text.partition(f"## [{name}]")
        body, _, rest = tail.partition("```text\n")
        _, _, after = rest.partition("```\n")
        text = f"{head}## [{name}]{body}```text\n{run(name)}```\n{after}"
    GALLERY.write_text(text)
