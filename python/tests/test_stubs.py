"""Types: stubs are current and complete, and mypy --strict accepts their use."""

import ast
import importlib
import importlib.util
import inspect
import keyword
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import sluice as sl

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
PACKAGE = pathlib.Path(sl.__file__).absolute().parent


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public_modules():
    """sluice and all of its modules whose names have no underscore in front."""
    found = ["sluice"]
    for module in pkgutil.walk_packages([str(PACKAGE)], "sluice."):
        if module.name.startswith("sluice.lib"):
            continue  # a library that stands beside the extension
        if not any(part.startswith("_") for part in module.name.split(".")):
            found.append(module.name)
    return sorted(found)


def public_names(module):
    names = getattr(module, "__all__", None) or [
        n for n in dir(module) if not n.startswith("_")]
    return sorted(n for n in names if not keyword.iskeyword(n))


WRONG = """import sluice as sl
sl.relu(3.0, no_such=1)
y: int = sl.matmul([[1.0]], [[2.0]])
sl.no_such_function
t: sl.Tensor = sl.relu([1.0]) + 2
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What mypy --strict says of all: {file name: [line]}. Run once: it takes
    seconds, and a cache would outlive modules."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("types")
    lines = ["import sluice"]
    for name in public_modules():
        lines += [f"import {name}"] + [
            f"{name}.{n}" for n in public_names(importlib.import_module(name))]
    # That one is for programs older than types.
    lines = [line for line in lines if "sluice.compat" not in line]
    (folder / "names.py").write_text("\n".join(lines) + "\n")
    (folder / "wrong.py").write_text(WRONG)
    done = subprocess.run(
        # Calls of modules give Any, as PyTorch's do.
        [sys.executable, "-m", "mypy", "--strict", "--no-warn-return-any",
         "--cache-dir", os.devnull,
         # Of the package, the stubs are checked, and how its modules look from
         # outside: what a user of it sees.
         "--follow-imports", "silent", "--no-error-summary", "names.py", "wrong.py",
         *map(str, EXAMPLES), str(PACKAGE / "_core.pyi"), str(PACKAGE / "_ops.pyi")],
        cwd=folder, text=True, capture_output=True,
        env=os.environ | {"MYPYPATH": str(PACKAGE.parent)})
    assert done.stderr == ""
    found = {}
    for line in done.stdout.splitlines():
        if ": error:" in line:
            found.setdefault(pathlib.Path(line.split(":")[0]).name, []).append(line)
    return found


def test_stubs_are_current():
    tool = load_tool("python_stubs")
    records = sl._core.op_records()
    assert (PACKAGE / "_ops.pyi").read_text() == tool.ops_text(records, tool.is_public)
    if importlib.util.find_spec("nanobind"):
        # In a process of its own: tests may have given classes new members.
        code = ("import sys; sys.path.insert(0, sys.argv[1]); "
                "import sluice, python_stubs as tool; core = sluice._core; "
                "sys.stdout.write(tool.core_text(core, core.op_records()))")
        done = subprocess.run([sys.executable, "-c", code, str(ROOT / "tools")],
                              text=True, capture_output=True, check=True)
        assert (PACKAGE / "_core.pyi").read_text() == done.stdout


def test_every_op_has_a_typed_stub():
    tree = ast.parse((PACKAGE / "_ops.pyi").read_text())
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert set(functions) == set(sl._core.op_names())
    listed = ast.literal_eval(next(n.value for n in tree.body
                                   if isinstance(n, ast.Assign)))
    assert "matmul" not in listed or sl.matmul is sl._ops.matmul
    for function in functions.values():
        assert function.returns is not None
        assert ast.get_docstring(function), function.name
        a = function.args
        assert all(p.annotation for p in a.posonlyargs + a.args + a.kwonlyargs)


def test_stub_defaults_are_those_of_the_records():
    tree = ast.parse((PACKAGE / "_ops.pyi").read_text())
    softmax = next(n for n in tree.body
                   if isinstance(n, ast.FunctionDef) and n.name == "softmax")
    text = ast.unparse(softmax.args)
    assert text == ("x: TensorLike, axis: int | None=-1, *, dim: int | None=..., "
                    "name: str | None=None")


def test_every_public_name_has_a_type(complaints):
    """mypy finds each name that the running package has."""
    assert complaints.get("names.py", []) == []


def test_wrong_use_is_found(complaints):
    assert [line.split(":")[1] for line in complaints["wrong.py"]] == ["2", "3", "4"]


def test_stubs_and_examples_pass_mypy_strict(complaints):
    rest = {k: v for k, v in complaints.items() if k not in ("names.py", "wrong.py")}
    assert rest == {}


def test_every_public_python_function_is_annotated():
    missing = []
    for name in public_modules():
        module = importlib.import_module(name)
        for n in public_names(module):
            value = getattr(module, n)
            if not inspect.isfunction(value):
                continue
            given = inspect.signature(value)
            kinds = [p.annotation for p in given.parameters.values()]
            if inspect.Signature.empty in [*kinds, given.return_annotation]:
                missing.append(f"{name}.{n}")
    assert missing == []


def test_every_public_function_is_documented():
    missing = []
    for name in public_modules():
        module = importlib.import_module(name)
        assert module.__doc__, name
        for n in public_names(module):
            value = getattr(module, n)
            if callable(value) and not getattr(value, "__doc__", None):
                missing.append(f"{name}.{n}")
    assert missing == []
