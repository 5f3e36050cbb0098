"""Files, the process and the machine around it: what captured code reads of them or
does to them is done by every call, or refused; never once, at the recording."""

from __future__ import annotations

import concurrent.futures
import contextlib
import csv
import decimal
import gc
import glob
import io
import itertools
import json
import multiprocessing
import os
import os.path
import pathlib
import pickle
import pprint
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import warnings

import numpy as np
import pytest

import sluice as sl

HERE = r"outside_world\.py:\d+: "
FILE = "reads a file, which may be another in every call; wanted it read outside"
PROCESS = "reads what the process keeps, which may be another in every call"
EFFECT = "has an effect outside of the graph, which would be there once"
NAME = "nowhere/file.npy"  # nothing is read: the call itself is refused
PATH = pathlib.Path(NAME)


def refused(code, words):
    with pytest.raises(TypeError, match=HERE + ".*" + words):
        sl.function(code)(sl.ones(1))


READERS = {
    "sl.load": lambda x: x * sl.load(NAME),
    "np.load": lambda x: x * np.load(NAME),
    "np.load of a path": lambda x: x * np.load(PATH),
    "np.loadtxt": lambda x: x * np.loadtxt(NAME),
    "np.genfromtxt": lambda x: x * np.genfromtxt(NAME),
    "np.fromfile": lambda x: x * np.fromfile(NAME),
    "np.memmap": lambda x: x * np.memmap(NAME),
    "open": lambda x: x * len(open(NAME).read()),
    "read_text": lambda x: x * len(PATH.read_text()),
    "read_text of the class": lambda x: x * len(pathlib.Path.read_text(PATH)),
    "read_bytes": lambda x: x * len(PATH.read_bytes()),
    "Path.open": lambda x: x * len(PATH.open().read()),
    "Path.exists": lambda x: x * PATH.exists(),
    "is_file": lambda x: x * PATH.is_file(),
    "is_dir": lambda x: x * PATH.is_dir(),
    "stat": lambda x: x * PATH.stat().st_size,
    "iterdir": lambda x: x * len(list(PATH.iterdir())),
    "Path.glob": lambda x: x * len(list(PATH.glob("*"))),
    "exists": lambda x: x * os.path.exists(NAME),
    "isfile": lambda x: x * os.path.isfile(NAME),
    "isdir": lambda x: x * os.path.isdir(NAME),
    "getsize": lambda x: x * os.path.getsize(NAME),
    "getmtime": lambda x: x * os.path.getmtime(NAME),
    "glob.glob": lambda x: x * len(glob.glob("*")),
    "os.walk": lambda x: x * len(list(os.walk("."))),
    "os.listdir": lambda x: x * len(os.listdir(".")),
    "map": lambda x: x * sum(map(os.path.getsize, [NAME])),
    "map of a function of C": lambda x: x * len(list(map(os.stat, [NAME]))),
    "key": lambda x: x * len(sorted([NAME], key=os.path.getmtime)),
}


@pytest.mark.parametrize("code", READERS.values(), ids=READERS)
def test_what_reads_a_file_is_refused(code):
    refused(code, FILE)


FROM_FILES = {
    "json.load": lambda x, f: x * len(json.load(f)),
    "pickle.load": lambda x, f: x * len(pickle.load(f)),
    "csv.reader": lambda x, f: x * sum(len(row) for row in csv.reader(f)),
    "for": lambda x, f: x * sum([len(line) for line in f]),
    "json.dump": lambda x, f: (json.dump([1], f), x)[1],
    "csv.writer": lambda x, f: (csv.writer(f).writerow([1]), x)[1],
}


@pytest.mark.parametrize("code", FROM_FILES.values(), ids=FROM_FILES)
def test_files_from_outside_in_the_hands_of_libraries_are_refused(code):
    file = io.StringIO("[1, 2]")
    refused(lambda x: code(x, file), "is a file from outside .* reads a file or writes")
    assert file.getvalue() == "[1, 2]" and file.tell() == 0


EFFECTS = {
    "np.save": lambda x: np.save(NAME, np.ones(1)),
    "np.savetxt": lambda x: np.savetxt(NAME, np.ones(1)),
    "np.savez": lambda x: np.savez(NAME, np.ones(1)),
    "tofile": lambda x: np.ones(1).tofile(NAME),
    "write_text": lambda x: PATH.write_text("a"),
    "write_bytes": lambda x: PATH.write_bytes(b"a"),
    "touch": lambda x: PATH.touch(),
    "mkdir": lambda x: PATH.mkdir(),
    "unlink": lambda x: PATH.unlink(),
    "rename": lambda x: PATH.rename(NAME),
    "os.remove": lambda x: os.remove(NAME),
    "os.unlink": lambda x: os.unlink(NAME),
    "os.rename": lambda x: os.rename(NAME, NAME),
    "os.mkdir": lambda x: os.mkdir(NAME),
    "os.makedirs": lambda x: os.makedirs(NAME),
    "os.rmdir": lambda x: os.rmdir(NAME),
    "os.chdir": lambda x: os.chdir(NAME),
    "os.system": lambda x: os.system("true"),
    "os.putenv": lambda x: os.putenv("SLUICE_TEST_NONE", "1"),
    "shutil.copy": lambda x: shutil.copy(NAME, NAME),
    "subprocess.run": lambda x: subprocess.run(["true"]),
    "subprocess.Popen": lambda x: subprocess.Popen(["true"]),
    "tempfile.mkdtemp": lambda x: tempfile.mkdtemp(),
    "tempfile.NamedTemporaryFile": lambda x: tempfile.NamedTemporaryFile(),
    "sqlite3": lambda x: sqlite3.connect(":memory:"),
    "socket": lambda x: socket.socket(),
    "urllib": lambda x: urllib.request.urlopen("file:///"),
    "np.random.seed": lambda x: np.random.seed(3),
    "np.set_printoptions": lambda x: np.set_printoptions(precision=4),
    "matmul precision": lambda x: sl.set_float32_matmul_precision("high"),
    "sl.set_printoptions": lambda x: sl.set_printoptions(precision=4),
    "sl.save": lambda x: sl.save(x, NAME),
    "gc.collect": lambda x: gc.collect(),
    "gc.disable": lambda x: gc.disable(),
    "thread": lambda x: threading.Thread(target=int).start(),
    "executor": lambda x: concurrent.futures.ThreadPoolExecutor(1),
    "multiprocessing": lambda x: multiprocessing.Process(target=int),
    "recursion": lambda x: sys.setrecursionlimit(2000),
    "catch_warnings": lambda x: warnings.catch_warnings(),
    "simplefilter": lambda x: warnings.simplefilter("ignore"),
    "filterwarnings": lambda x: warnings.filterwarnings("ignore"),
}


@pytest.mark.parametrize("code", EFFECTS.values(), ids=EFFECTS)
def test_effects_on_the_world_are_refused(code):
    refused(lambda x: (code(x), x)[1], EFFECT)


PROCESS_STATE = {
    "getcwd": lambda x: x * len(os.getcwd()),
    "abspath": lambda x: x * len(os.path.abspath("a")),
    "cwd": lambda x: x * len(str(pathlib.Path.cwd())),
    "gc.isenabled": lambda x: x * gc.isenabled(),
    "current_thread": lambda x: x * len(threading.current_thread().name),
    "getcontext": lambda x: x * decimal.getcontext().prec,
    "precision": lambda x: x * len(sl.get_float32_matmul_precision()),
    "printoptions": lambda x: x * np.get_printoptions()["precision"],
    "recursion": lambda x: x * sys.getrecursionlimit(),
}


@pytest.mark.parametrize("code", PROCESS_STATE.values(), ids=PROCESS_STATE)
def test_what_the_process_keeps_is_refused(code):
    refused(code, PROCESS)


def test_names_of_files_are_texts_like_others():
    @sl.function
    def code(x):
        name = os.path.join("a", PATH.with_suffix(".b").name)
        return x * len(str(PATH / name)) + (PATH.suffix == ".npy")

    assert [code(sl.ones(1)).item() for _ in range(2)] == [26.0, 26.0]


def test_files_in_memory_that_the_function_makes_are_its_own():
    @sl.function
    def code(x):
        kept, text = io.BytesIO(), io.StringIO()
        np.save(kept, np.ones(3))
        kept.seek(0)
        json.dump([1, 2], text)
        csv.writer(text).writerow([1, 2])
        y = np.loadtxt(["1 2", "3 4"]).sum() + len(text.getvalue())
        return x * np.load(kept) * y

    assert [code(sl.ones(1)).sum().item() for _ in range(2)] == [63.0, 63.0]


def test_the_argument_list_is_a_guard(monkeypatch):
    code = sl.function(lambda x: x * len(sys.argv))
    monkeypatch.setattr(sys, "argv", ["a", "b"])
    assert code(sl.ones(1)).item() == 2.0
    sys.argv.append("c")
    assert code(sl.ones(1)).item() == 3.0


class Lines:
    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)


def printed(code, at_once):
    """What calls give, and leave in an object that they print to."""
    where = Lines()
    f = (lambda x: code(x, where)) if at_once else sl.function(lambda x: code(x, where))
    given = [f(sl.tensor([v])).item() for v in (1.0, -1.0, 3.0)]
    return given, where.lines


def counted(x, where):
    print("a", 1, file=where)
    return x * len(where.lines)


def elements(x, where):
    print(x.sum(), "of", x.sum().item(), sep="-", end="!", file=where)
    return x * len(where.lines)


def in_branch(x, where):
    if x.sum() > 0:
        print("more", file=where)
    return x * len(where.lines)


@pytest.mark.parametrize("code", [counted, elements, in_branch])
def test_print_to_an_object_that_writes(code):
    assert printed(code, False) == printed(code, True)


def test_streams_that_are_assigned_are_refused():
    where, stdout = Lines(), sys.stdout

    def assigned(x):
        sys.stdout = where
        return x

    def by_name(x):
        setattr(sys, "stderr", where)
        return x

    refused(assigned, "sys.stdout is assigned by code that is recorded")
    refused(by_name, "sys.stderr is assigned by code that is recorded")
    assert sys.stdout is stdout


@pytest.mark.parametrize("where", [io.StringIO(), Lines()])
def test_output_that_is_redirected_to_an_object_from_outside_is_refused(where):
    def code(x):
        with contextlib.redirect_stdout(where):
            print("hi")
        return x

    refused(code, "sends what is printed to an object from outside")


def test_output_that_is_redirected_to_a_text_of_the_functions_own():
    @sl.function
    def code(x):
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            print("a")
            print("b", file=text)
        return x * len(text.getvalue())

    assert [code(sl.ones(1)).item() for _ in range(3)] == [4.0, 4.0, 4.0]


def test_managers_from_outside_are_refused(tmp_path):
    with open(tmp_path / "f", "w") as file:
        for manager in (file, contextlib.redirect_stdout(file)):

            def code(x, manager=manager):
                with manager:
                    return x

            refused(code, EFFECT)
        assert not file.closed


def test_rows_of_a_csv_writer_from_outside_are_refused():
    file = io.StringIO()
    rows, named = csv.writer(file), csv.DictWriter(file, ["a"])
    refused(lambda x: (rows.writerow([1]), x)[1], "writes to a file from outside")
    refused(lambda x: (named.writerow({"a": 1}), x)[1], "writes to a file from outside")
    refused(lambda x: (named.writeheader(), x)[1], "writes to a file from outside")
    assert file.getvalue() == ""


def test_rows_of_elements_in_a_text_of_the_functions_own():
    def code(x):
        text = io.StringIO()
        csv.writer(text).writerow([x.sum().item(), 2])
        named = csv.DictWriter(text, ["a"])
        named.writeheader()
        named.writerow({"a": x.sum().item()})
        return x * len(text.getvalue())

    f = sl.function(code)
    for v in (1.0, 100.0, 1.0):
        assert f(sl.tensor([v])).item() == code(sl.tensor([v])).item()


@pytest.mark.parametrize("show", [pprint.pprint, pprint.pp])
def test_pprint_is_done_by_every_call(show, capsys):
    code = sl.function(lambda x: (show({"a": x, "b": [1]}), x)[1])
    for k in range(3):
        code(sl.ones(1) * k)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{{'a': tensor([{k}.]), 'b': [1]}}" for k in range(3)]


MAPS = {
    "map": lambda x: (list(map(print, ["a", x])), x)[1],
    "starmap": lambda x: (list(itertools.starmap(print, [("a",), (x,)])), x)[1],
}


@pytest.mark.parametrize("code", MAPS.values(), ids=MAPS)
def test_map_of_print_is_done_by_every_call(code, capsys):
    code = sl.function(code)
    for k in range(3):
        code(sl.ones(1) * k)
    shown = "".join(f"a\ntensor([{k}.])\n" for k in range(3))
    assert capsys.readouterr().out == shown


def test_a_file_is_flushed_by_every_call(tmp_path):
    sizes = []
    with open(tmp_path / "f", "w") as file:

        @sl.function
        def code(x):
            file.write("ab")
            file.flush()
            return x

        for _ in range(3):
            code(sl.ones(1))
            sizes.append((tmp_path / "f").stat().st_size)
    assert sizes == [2, 4, 6]


AS_IT_IS = {
    "eval": lambda x: x * eval("1"),
    "exec": lambda x: (exec("1"), x)[1],
}


@pytest.mark.parametrize("code", AS_IT_IS.values(), ids=AS_IT_IS)
def test_code_that_is_a_text_is_refused(code):
    refused(code, "runs code that is a text")


def test_generators_that_read_files_or_clocks_are_refused():
    def lines():
        yield 1
        yield open(NAME).read()

    def times():
        yield time.time()

    refused(lambda x: x * len(list(lines())), FILE)
    refused(lambda x: x * sum(times()), "gives another value in every call")


class Part:
    __slots__ = ("k",)

    def __init__(self):
        self.k = 0


class Owner:
    def __init__(self):
        self.k, self.part, self.parts, self.table = 0, Part(), [Part()], {}

    def count(self):
        self.k += 1


STORES = {
    "by a name": "o.k = o.k + 1",
    "in place": "o.k += 1",
    "setattr": "setattr(o, 'k', o.k + 1)",
    "object.__setattr__": "object.__setattr__(o, 'k', o.k + 1)",
    "__dict__": "o.__dict__['k'] = o.k + 1",
    "a new one": "setattr(o, 'new', o.k + 3)",
    "of a part": "p = o.part; p.k = p.k + 1",
    "of an element": "o.parts[0].k += 1",
    "of a dict": "t = o.table; t['a'] = t.get('a', 0) + 1",
    "by a method": "o.count()",
}


@pytest.mark.parametrize("branch", [True, False])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_code_without_source_that_assigns_attributes(store, branch):
    names = {}
    exec(f"def change(o, x):\n    {store}\n    return x * 2\n", names)
    change = names["change"]

    def calls(capture):
        owner = Owner()

        def code(x):
            if not branch:
                x = change(owner, x)
            elif x.sum() > 0:
                x = change(owner, x)
            return x + owner.k + owner.part.k

        f, seen = (sl.function(code) if capture else code), []
        for v in (-1.0, 1.0, -1.0, 1.0, 2.0):
            given = f(sl.tensor([v])).item()
            kept = [getattr(owner, "new", 0), owner.table.get("a"), owner.parts[0].k]
            seen.append((given, owner.k, owner.part.k, *kept))
        return seen

    assert calls(True) == calls(False)


def drawn(x):
    r = random.Random(3)
    items = [1, 2, 3]
    r.shuffle(items)
    return x * r.random() + r.gauss(0, 1) + items[0]


def drawn_in_a_branch(x):
    r = random.Random("seed")
    if x.sum() > 0:
        y = r.random()
    else:
        y = r.random() * 2
    return x * y + r.random()


def drawn_in_a_loop(x):
    r = random.Random(3)
    while x.sum() < 5:
        x = x.abs() + r.random()
    return x


def drawn_by_the_values(x):
    return x * random.Random(x.sum().item()).random()


@pytest.mark.parametrize(
    "code", [drawn, drawn_in_a_branch, drawn_in_a_loop, drawn_by_the_values]
)
def test_a_seeded_generator_of_the_functions_own(code):
    f = sl.function(code)
    for v in (1.0, -1.0, 2.0, 1.0):
        assert f(sl.tensor([v])).item() == code(sl.tensor([v])).item()


def test_other_generators_are_refused():
    class Box:
        pass

    box, outside = Box(), random.Random(3)

    def kept(x):
        box.r = random.Random(3)
        return x

    def returned(x):
        return x, random.Random(3)

    def unseeded(x):
        return x * random.Random().random()

    def seeded_again(x):
        r = random.Random(3)
        r.seed()
        return x * r.random()

    def draws(r):
        yield r.random()

    refused(kept, "this random.Random is kept after the call")
    refused(returned, "this random.Random is kept after the call")
    refused(unseeded, "random.Random gives other numbers in every call; wanted a seed")
    refused(seeded_again, "gives another value in every call")
    refused(lambda x: x * outside.random(), "gives another value in every call")
    refused(lambda x: x * sum(draws(outside)), "gives another value in every call")


MEMORY = {
    "element": lambda x, view: x * view[0],
    "slice": lambda x, view: x * view[:2][0],
    "sum": lambda x, view: x * sum(view),
    "tolist": lambda x, view: x * view.tolist()[0],
    "bytes": lambda x, view: x * bytes(view)[0],
    "array": lambda x, view: x * np.asarray(view).sum(),
}


@pytest.mark.parametrize("code", MEMORY.values(), ids=MEMORY)
def test_the_elements_of_a_memoryview_are_guards(code):
    memory = bytearray(b"abc")
    view = memoryview(memory)
    f = sl.function(lambda x: code(x, view))
    for _ in range(3):
        assert f(sl.ones(1)).item() == code(sl.ones(1), view).item()
        memory[0] += 1
