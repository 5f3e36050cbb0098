"""No argument whatever to a public function ends the process."""

import os
import pathlib
import subprocess
import sys

import pytest

import sluice as sl

CHILD = pathlib.Path(__file__).with_name("fuzz_child.py")


@pytest.mark.parametrize("seed", [1, 2])
def test_public_functions_survive_any_arguments(seed, tmp_path):
    log = tmp_path / "log"
    package = pathlib.Path(sl.__file__).absolute().parent.parent
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-X", "faulthandler", str(CHILD),
         str(seed), str(log)],
        cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(package)},
    )
    lines = log.read_text().splitlines() if log.exists() else ["(nothing)"]
    assert done.returncode == 0, (
        f"ended by {done.returncode} in: {lines[-1]}\n{done.stderr[-3000:]}"
    )
    word, count = lines[-1].split()
    assert word == "done" and int(count) > 500
