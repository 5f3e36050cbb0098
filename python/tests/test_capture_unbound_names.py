"""Variables without a value: the class and text of the error are those of the code as
it is written, wherever it is handled."""

import contextlib
import unittest
from typing import Any

import sluice as sl


def told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def outcome(function: Any, *args: Any) -> Any:
    try:
        result = function(*args)
    except NameError as error:
        return told(error)
    return result.tolist() if isinstance(result, sl.Tensor) else result


def read_in_a_branch(x: sl.Tensor, deep: bool) -> Any:
    if x.shape[0] == 7:
        late = x
    if deep:
        return late + 1
    return x


def read_in_a_thunk(x: sl.Tensor, deep: bool) -> Any:
    if x.shape[0] == 7:
        late = 1
    return (late if deep else 2) * x


def handled_as_its_class(x: sl.Tensor, deep: bool) -> Any:
    y = x
    if deep:
        with contextlib.suppress(ZeroDivisionError):
            try:
                for _ in range(2):
                    y = y + late
            except UnboundLocalError as error:
                y = y + 10 if "local variable 'late'" in str(error) else y + 20
            except NameError:
                y = y + 100
    late = y * 2
    return late


def handled_around_a_with(x: sl.Tensor, deep: bool) -> Any:
    found = "none"
    try:
        with contextlib.suppress(UnboundLocalError):
            found = "inside"
            if deep:
                x = x + late
            found = "all"
    except NameError:
        found = "outside"
    late = x
    return found, late.sum()


def read_by_a_generator(x: sl.Tensor, deep: bool) -> Any:
    if deep:
        try:
            return x + sum(late for _ in range(2))
        except UnboundLocalError:
            return x + 5
        except NameError:
            return x + 7
    late = 1
    return x * late


def read_by_a_list(x: sl.Tensor, deep: bool) -> Any:
    if deep:
        x = x + sum([late for _ in range(2)])
    late = 1
    return x * late


def read_by_a_function_inside(x: sl.Tensor, deep: bool) -> Any:
    def inner(y: Any) -> Any:
        if y.shape[0] > 1:
            y = y + late
        return y

    if deep:
        x = inner(x)
    late = 3
    return inner(x)


def an_error_that_is_gone(x: sl.Tensor, deep: bool) -> Any:
    try:
        if deep:
            raise ValueError("gone")
    except ValueError as error:
        x = x + len(str(error))
    if deep:
        print(error)
    return x


def assigned_behind_a_raise(x: sl.Tensor, deep: bool) -> Any:
    try:
        pass
    except ValueError:
        raise
        late = x
    else:
        if deep:
            return late + 1
    return x


PROGRAMS = [
    assigned_behind_a_raise,
    read_in_a_branch,
    read_in_a_thunk,
    handled_as_its_class,
    handled_around_a_with,
    read_by_a_generator,
    read_by_a_list,
    read_by_a_function_inside,
    an_error_that_is_gone,
]


class UnboundNames(unittest.TestCase):
    def test_the_error_is_that_of_the_code_as_written(self) -> None:
        failed = 0
        for program in PROGRAMS:
            captured = sl.function(program)
            for deep in (True, False, True):
                with self.subTest(program=program.__name__, deep=deep):
                    x = sl.tensor([1.0, 2.0])
                    wanted = outcome(program, x, deep)
                    failed += isinstance(wanted, str) and "Error" in wanted
                    got = outcome(captured, x, deep)
                    self.assertEqual(str(got), str(wanted))
        self.assertGreaterEqual(failed, 8)  # the rest handle it themselves

    def test_values_decide_which_way_reads_it(self) -> None:
        def by_value(x: sl.Tensor) -> Any:
            if x.sum() > 10:
                late = x
            try:
                return late * 2
            except UnboundLocalError:
                return x * 0
            except NameError:
                return x * 3

        captured = sl.function(by_value)
        for value in (1.0, 20.0, 2.0):
            x = sl.tensor([value, value])
            self.assertEqual(captured(x).tolist(), by_value(x).tolist())


if __name__ == "__main__":
    unittest.main()
