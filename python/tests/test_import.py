"""Importing the package: quiet, quick by what it leaves alone."""

import os
import subprocess
import sys

import pytest

# Loading any of these takes longer than the package itself may.
HEAVY = [
    "numpy", "torch", "jax", "tensorflow", "tensorboard", "ml_dtypes", "safetensors",
    "scipy", "pandas", "asyncio", "concurrent.futures", "multiprocessing", "unittest",
    "email", "http", "ssl", "socket",
]


def run(code, *flags):
    done = subprocess.run([sys.executable, *flags, "-c", code], text=True,
                          capture_output=True, check=True, env=dict(os.environ))
    return done.stdout, done.stderr


def test_import_prints_nothing():
    assert run("import sluice", "-W", "error") == ("", "")


def test_import_leaves_heavy_modules_alone():
    out, _ = run("import sys; before = set(sys.modules); import sluice; "
                 "print(*sorted(set(sys.modules) - before))")
    loaded = set(out.split())
    assert "sluice._core" in loaded
    assert not loaded & set(HEAVY)


def test_import_starts_no_threads():
    out, _ = run("import sluice, os; print(len(os.listdir('/proc/self/task')))")
    assert int(out) == 1


def test_import_knows_its_version():
    import sluice as sl

    assert sl.__version__.count(".") == 2
    assert "__version__" in dir(sl)


def test_unknown_names_are_refused():
    import sluice as sl

    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        sl.no_such_name


def test_two_imports_in_one_process_are_one():
    out, err = run("import sluice, importlib; a = sluice.Tensor; "
                   "importlib.reload(sluice); print(a is sluice.Tensor)")
    assert (out, err) == ("True\n", "")
