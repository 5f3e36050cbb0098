"""List: tensors in order, as a value."""

from __future__ import annotations

import numpy as np
import pytest

import sluice as sl


def test_every_call_gives_a_new_list():
    empty = sl.List(sl.int64)
    one = empty.append(3)
    two = one.append(sl.tensor(4))
    assert [len(empty), len(one), len(two)] == [0, 1, 2]
    assert two.size().item() == 2
    assert two.stack().tolist() == [3, 4]
    rest, last = two.pop()
    assert last.item() == 4 and rest.stack().tolist() == [3]
    assert two.set(0, 9).stack().tolist() == [9, 4]
    assert two.stack().tolist() == [3, 4]
    assert two.dtype is sl.int64


def test_elements_are_found_from_both_ends():
    values = sl.List.of(sl.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert values[0].tolist() == [1.0, 2.0]
    assert values[-1].tolist() == [3.0, 4.0]
    assert values.get(sl.tensor(1)).tolist() == [3.0, 4.0]
    assert [row.tolist() for row in values] == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(IndexError):
        values[2]
    with pytest.raises(IndexError):
        values[-3]


def test_pieces_of_different_lengths():
    pieces = sl.List.split(sl.tensor([1, 2, 3, 4]), [1, 3])
    values, lengths = pieces.concat()
    assert values.tolist() == [1, 2, 3, 4] and lengths.tolist() == [1, 3]
    assert pieces[1].tolist() == [2, 3, 4]


def test_unwritten_elements_are_zeros_where_the_shape_is_known():
    made = sl.List.sized(sl.float32, 3, shape=[2]).set(1, [1.0, 2.0])
    assert made.stack().tolist() == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    assert made.gather([1, 1]).tolist() == [[1.0, 2.0]] * 2
    assert len(made.resize(5)) == 5
    assert made.scatter([0, 2], [[5.0, 5.0], [6.0, 6.0]])[2].tolist() == [6.0, 6.0]


def test_numbers_take_the_type_of_the_list():
    assert sl.List(sl.float64).append(1).append(2.5).stack().dtype is sl.float64
    with pytest.raises(ValueError):
        sl.List(sl.int64).append(sl.tensor(1.5))
    with pytest.raises(ValueError):
        sl.List(sl.float32, shape=[2]).append([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        sl.List("nonsense")


def test_loops_carry_lists_and_functions_return_them():
    @sl.function
    def squares(n):
        _, out = sl.while_loop(
            lambda i, out: i < n,
            lambda i, out: (i + 1, out.append(i * i)),
            0,
            sl.List(sl.int64),
        )
        return out

    out = squares(sl.tensor(5))
    assert isinstance(out, sl.List)
    assert out.stack().tolist() == [0, 1, 4, 9, 16]
    # And takes them.
    last = sl.function(lambda values: values[-1] + values.size())
    assert last(out).item() == 21
    assert last(out.append(1)).item() == 7
    assert len(last.traces()) == 1


def test_a_branch_returns_a_list():
    @sl.function
    def grown(x, values):
        return sl.cond(x > 0, lambda: values.append(x), lambda: values)

    some = sl.List(sl.float32).append(1.0)
    assert len(grown(sl.tensor(2.0), some)) == 2
    assert len(grown(sl.tensor(-2.0), some)) == 1


def test_gradients_pass_through_lists():
    x = sl.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def total(x):
        values = sl.List.of(x)
        return (values[0] * values[2]).sum() + values.append(x.sum())[-1]

    total(x).backward()
    assert x.grad.tolist() == [4.0, 1.0, 2.0]
    x.grad = None
    sl.function(total)(x).backward()
    assert x.grad.tolist() == [4.0, 1.0, 2.0]


def test_the_length_in_a_graph_is_a_tensor():
    @sl.function(autoconvert=False)
    def f(values):
        return len(values)

    with pytest.raises(TypeError, match=r"wanted size\(\)"):
        f(sl.List(sl.float32))


def test_it_says_what_it_is():
    assert repr(sl.List(sl.float32, shape=[None, 3])).startswith("List(float32, shape=")
    assert "size=0" in repr(sl.List(sl.float32))
    assert np.asarray(sl.List(sl.int64).append(1).stack()).tolist() == [1]
