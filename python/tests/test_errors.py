"""What failures look like: class, op, the user's line, operands, iteration."""

import threading

import numpy as np
import pytest
from error_programs import PROGRAMS

import sluice as sl


def run(program, filename):
    code = compile(program, filename, "exec")
    exec(code, {"sl": sl, "np": np, "__name__": "model"})


def line_of(program, mark):
    for number, line in enumerate(program.splitlines(), 1):
        if line.endswith("# " + mark):
            return number
    return None


def check(program, filename, error, wanted):
    with pytest.raises(error) as caught:
        run(program, filename)
    text = str(caught.value)
    shown = filename.rsplit("/", 1)[-1]
    lines = text.splitlines()
    at = 0
    for k, part in enumerate(wanted):
        for mark in ("here", "there"):
            part = part.replace("{%s}" % mark, f"{shown}:{line_of(program, mark)}")
        if k == 0:
            assert lines[0].startswith(part), text
            continue
        while at < len(lines) and part not in lines[at]:
            at += 1
        assert at < len(lines), f"no {part!r} in:\n{text}"
    return caught.value


@pytest.mark.parametrize("name", [p[0] for p in PROGRAMS])
def test_message(name):
    _, program, error, wanted = next(p for p in PROGRAMS if p[0] == name)
    found = check(program, "/home/me/model.py", error, wanted)
    assert "sluice/_" not in str(found), "a line of the package"


@pytest.mark.parametrize("filename", ["<stdin>", "<cell 3>", "<string>", "näme.py"])
def test_other_kinds_of_files(filename):
    program = "\n\nsl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3]))  # here\n"
    check(program, filename, ValueError, ["[MatMul]", "at {here}"])


def test_the_code_is_an_attribute():
    with pytest.raises(ValueError) as e:
        sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3]))
    assert e.value.sluice_code
    with pytest.raises(IndexError) as e:
        sl.gather(sl.zeros([3]), sl.tensor([7]))
    assert e.value.sluice_code


def test_the_traceback_leads_to_the_lambda_in_a_loop():
    def body(i, s):
        return i + 1, s + sl.gather(sl.zeros([2]), i)

    with pytest.raises(IndexError) as e:
        sl.while_loop(lambda i, s: i < 5, body, (0, 0.0))
    assert any(entry.name == "body" for entry in e.traceback)


def test_a_cancelled_step_is_a_runtime_error():
    assert issubclass(sl.CancelledError, RuntimeError)
    with sl.Graph().as_default() as graph:
        x = sl.placeholder(sl.float32, [])
        forever = sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, x)
    session = sl.Session(graph)
    seen = []

    def work():
        try:
            session.run(forever, {x: 1.0})
        except BaseException as e:
            seen.append(e)

    thread = threading.Thread(target=work)
    thread.start()
    session.close()
    thread.join()
    assert isinstance(seen[0], RuntimeError)
    assert "closed" in str(seen[0])


def test_what_the_program_raises_in_a_loop_is_left_alone():
    class Mine(ValueError):
        pass

    def body(i):
        raise Mine("text")

    with pytest.raises(Mine) as e:
        sl.while_loop(lambda i: i < 5, body, 0)
    assert str(e.value) == "text"


def test_methods_called_on_what_is_no_tensor():
    for method in (sl.Tensor.detach_, sl.Tensor.requires_grad_, sl.Tensor.backward):
        with pytest.raises(TypeError):
            method(3)
