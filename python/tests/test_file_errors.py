"""What the system refuses is told as what it is."""

import errno
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import sluice as sl
from sluice import data, io


PACKAGE = str(pathlib.Path(sl.__file__).parents[1])


def run(code, tmp_path):
    program = "import errno, os, resource, sys\nimport sluice as sl\n" \
        "from sluice import data, io\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, text=True,
                          capture_output=True,
                          env={**os.environ, "PYTHONPATH": PACKAGE})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


NO_FILES = """
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
def told(f):
    kept = []
    try:
        while True:
            kept.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    try:
        f()
        print("nothing", end=" ")
    except Exception as error:
        print(type(error).__name__, errno.errorcode.get(getattr(error, "errno", 0)),
              end=" ")
    finally:
        for fd in kept:
            os.close(fd)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, limit[1]))
"""


def test_too_many_open_files_are_no_full_disk(tmp_path):
    said = run(NO_FILES + """
x = {"x": sl.ones(3)}
sl.save(x, "a.safetensors")
manager = io.CheckpointManager("runs", background=False)
manager.save(1, model=sl.nn.Linear(1, 1))
for f in [lambda: sl.save(x, "b.safetensors"), lambda: sl.load("a.safetensors"),
          lambda: list(data.text_lines(["a.safetensors"])), manager.steps,
          lambda: io.load_checkpoint("runs")]:
    told(f)
""", tmp_path)
    assert said == ["OSError", "EMFILE"] * 5


def test_full_disk_is_no_lack_of_memory(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    said = run("""
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    sl.save({"x": sl.ones(10000)}, "b.safetensors")
except Exception as error:
    print(type(error).__name__, errno.errorcode.get(error.errno))
""", tmp_path)
    assert said == ["OSError", "EFBIG"]


@pytest.mark.parametrize(("make", "kind", "number"), [
    (lambda p: sl.load(p / "none.npy"), FileNotFoundError, errno.ENOENT),
    (lambda p: sl.load(p / "folder.npy"), IsADirectoryError, errno.EISDIR),
    (lambda p: sl.save({"x": sl.ones(1)}, p / "file" / "a.npz"), NotADirectoryError,
     errno.ENOTDIR),
    (lambda p: list(data.text_lines([str(p / "none.txt")])), FileNotFoundError,
     errno.ENOENT),
], ids=["missing", "folder", "file as a folder", "lines"])
def test_classes_are_those_python_has(tmp_path, make, kind, number):
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(kind) as told:
        make(tmp_path)
    assert told.value.errno == number


def test_steps_of_a_folder_that_cannot_be_read(tmp_path):
    assert io.CheckpointManager(tmp_path / "none").steps() == []
    (tmp_path / "file").write_text("x")
    manager = io.CheckpointManager(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        manager.steps()
    with pytest.raises(NotADirectoryError):
        manager.load()


def test_no_memory_stays_a_memory_error():
    with pytest.raises(MemoryError):
        sl.zeros((1 << 45,))
