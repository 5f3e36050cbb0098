"""python -m sluice.info: what it reports."""

import json
import subprocess
import sys

import sluice as sl
from sluice import info


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "sluice.info", *arguments],
                          text=True, capture_output=True)


def test_text_names_what_was_found():
    done = run()
    assert done.returncode == 0 and done.stderr == ""
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert sl.__version__ in lines["sluice"]
    assert sys.version.split()[0] in lines["python"]
    assert "cpu:0" in lines["devices"]
    # Why there is none, not only that there is none.
    assert "not used: " in lines["gpu"]
    assert {"compiler", "cpu", "threads", "lapack", "numpy", "ops"} <= set(lines)


def test_json_is_the_report():
    found = json.loads(run("--json").stdout)
    here = info.report()
    assert found == here
    assert found["ops"] >= len(sl._core.op_names()) > 300
    assert found["threads"] >= 1
    assert set(found["packages"]) >= {"ml_dtypes", "safetensors", "torch"}


def test_what_was_not_found_is_said():
    found = info.report() | {"lapack": None, "numpy": None}
    text = "\n".join(info._lines(found))
    assert "libopenblas" in text
    assert ".numpy() raises" in text


def test_unknown_options_are_refused():
    done = run("--xml")
    assert done.returncode == 2
    assert "unrecognized arguments: --xml" in done.stderr


def test_threads_are_those_asked_for():
    code = "from sluice import info; print(info.report()['threads'])"
    done = subprocess.run([sys.executable, "-c", code], text=True,
                          capture_output=True, env={"SLUICE_THREADS": "3"} | _paths())
    assert done.stdout == "3\n", done.stderr


def _paths():
    import os

    kept = ("PYTHONPATH", "PATH", "LD_PRELOAD", "ASAN_OPTIONS")
    return {k: v for k, v in os.environ.items() if k in kept}
