"""Effects of library functions in captured code, and what code does not do in a graph:
logs, warnings, files, modes."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import types
import warnings

import pytest

import sluice as sl


def test_logs_warnings_and_files_are_written_by_every_call(capsys):
    class Kept(logging.Handler):
        def __init__(self):
            super().__init__()
            self.texts = []

        def emit(self, record):
            self.texts.append(record.getMessage())

    kept = Kept()
    logger = logging.Logger("captured", logging.INFO)
    logger.addHandler(kept)
    file = io.StringIO()

    @sl.function
    def code(x):
        logger.info("sum %s of %d", x.sum(), x.shape[0])
        warnings.warn("careful", stacklevel=2)
        file.write("w")
        sys.stdout.write("out\n")
        return x

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for k in range(3):
            code(sl.ones(2) * k)
    assert kept.texts == [f"sum tensor({2 * k}.) of 2" for k in range(3)]
    assert [str(w.message) for w in seen].count("careful") == 3
    assert file.getvalue() == "www"
    assert capsys.readouterr().out == "out\n" * 3


def test_print_shows_containers_as_they_are_when_it_is_called(capsys):
    items = []

    @sl.function
    def code(x):
        items.append(1)
        print(items)
        items.append(2)
        print({"a": items})
        return x

    for _ in range(2):
        code(sl.ones(1))
    assert capsys.readouterr().out.split("\n")[:4] == [
        "[1]", "{'a': [1, 2]}", "[1, 2, 1]", "{'a': [1, 2, 1, 2]}"
    ]  # fmt: skip


def test_print_into_a_text_of_the_functions_own():
    @sl.function
    def code(x):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            print("hi")
        print("there", file=text)
        return x * len(text.getvalue())

    assert [code(sl.ones(1)).item() for _ in range(2)] == [9.0, 9.0]


def test_files_that_are_opened_or_read_are_refused(tmp_path):
    path, file = str(tmp_path / "f"), io.StringIO("abc")
    with pytest.raises(TypeError, match=r"library_effects.*open\(\)"):
        sl.function(lambda x: open(path, "a") and x)(sl.ones(1))
    with pytest.raises(TypeError, match=r"library_effects.*read\(\)"):
        sl.function(lambda x: x * len(file.read()))(sl.ones(1))


def test_a_gradient_mode_that_outlives_the_call_is_refused():
    @sl.function
    def code(x):
        sl.set_grad_enabled(False)
        return x * 2

    with pytest.raises(TypeError, match="changes the mode of what follows"):
        code(sl.ones(1))
    assert sl.is_grad_enabled()


class Failed(Exception):
    def __init__(self, text, tensor):
        super().__init__(text)
        self.tensor = tensor


def test_an_exception_with_a_tensor_has_its_elements():
    seen = []

    @sl.function
    def code(x):
        seen.append(1)
        raise Failed("no", x * 2)

    for k in (1.0, 2.0):
        with pytest.raises(Failed) as failed:
            code(sl.tensor([k]))
        assert failed.value.tensor.tolist() == [2 * k]
    assert seen == [1, 1]


def test_the_message_of_an_assertion_that_holds_is_not_needed():
    notes = {}

    @sl.function
    def code(x):
        assert x.sum() > 0, notes["missing"]
        return x

    assert code(sl.ones(1)).tolist() == [1.0]
    with pytest.raises(KeyError):
        code(-sl.ones(1))


def test_numbers_of_calls_raise_what_numbers_of_python_do():
    divide = sl.function(lambda x, k: x * (1.0 / k))
    power = sl.function(lambda x, k: x * 10.0**k)
    for k in (1.0, 2.0, 4.0, 8.0):
        assert divide(sl.ones(1), k).tolist() == [1.0 / k]
        assert power(sl.ones(1), k).tolist() == [10.0**k]
    with pytest.raises(ZeroDivisionError):
        divide(sl.ones(1), 0.0)
    with pytest.raises(OverflowError):
        power(sl.ones(1), 400.0)


def test_a_number_that_a_match_looks_at_stays_one():
    def code(x, k):
        match k:
            case int(n) if n > 2:
                return x * n
            case _:
                return -x

    f = sl.function(code)
    assert [f(sl.ones(1), k).item() for k in range(1, 7)] == [-1, -1, 3, 4, 5, 6]


def test_a_closure_given_to_an_optimizer_sees_changed_names():
    def ran(wrap):
        o = types.SimpleNamespace(k=1.0)
        w = sl.nn.Parameter(sl.ones(2))
        optimizer = sl.optim.SGD([w], lr=0.1)

        def closure():
            optimizer.zero_grad()
            loss = (w**2).sum() * o.k
            loss.backward()
            return loss

        f, found = wrap(lambda: optimizer.step(closure)), []
        for k in (1.0, 2.0, 3.0):
            o.k = k
            found.append((round(f().item(), 5), [round(v, 5) for v in w.tolist()]))
        return found

    assert ran(sl.function) == ran(lambda f: f)
