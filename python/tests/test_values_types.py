"""Types of results, and numbers that types do not hold: issue by issue."""

import numpy as np
import pytest

import sluice as sl


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bitwise_of_bools_are_bools(name):
    a, b = sl.tensor([True, True, False]), sl.tensor([True, False, False])
    made = getattr(sl, name)(a, b)
    wanted = getattr(np, name)(a.numpy(), b.numpy())
    assert made.dtype == sl.bool
    assert made.tolist() == wanted.tolist()
    assert getattr(a, name)(b).dtype == sl.bool
    # With other kinds of operands, too.
    assert getattr(sl, name)(a, True).dtype == sl.bool
    assert getattr(sl, name)(a, [True, False, True]).dtype == sl.bool
    assert getattr(sl, name)(a, np.array([True, False, True])).dtype == sl.bool


def test_bitwise_not_of_bools_is_a_mask():
    mask = sl.tensor([True, False, True])
    assert sl.bitwise_not(mask).tolist() == [False, True, False]
    # As a mask, not as the indices 0 and 1.
    assert sl.tensor([1.0, 2.0, 3.0])[sl.bitwise_not(mask)].tolist() == [2.0]
    assert sl.bitwise_not(sl.tensor([0, 1])).tolist() == [-1, -2]


def test_comparisons_with_numbers_a_type_does_not_hold():
    u8 = sl.tensor([1, 200], dtype=sl.uint8)
    assert (u8 < 300).tolist() == [True, True]
    assert (u8 == 256 + 1).tolist() == [False, False]
    assert (u8 > -1).tolist() == [True, True]
    assert (300 > u8).tolist() == [True, True]
    i32 = sl.tensor([5, -5], dtype=sl.int32)
    assert (i32 == 2**32 + 5).tolist() == [False, False]
    assert (i32 != 2**32 + 5).tolist() == [True, True]
    assert sl.less(u8, [300, 0]).tolist() == [True, False]
    # Neither of the types holds both.
    with pytest.raises(ValueError, match="does not hold"):
        sl.tensor([1], dtype=sl.uint64) == -1  # noqa: B015


def test_comparisons_with_single_tensors_of_wider_types():
    u8 = sl.tensor([1, 44, 200], dtype=sl.uint8)
    assert (u8 == sl.tensor(300)).tolist() == [False, False, False]
    assert (u8 < sl.tensor(300)).tolist() == [True, True, True]
    assert (sl.tensor(-1) >= u8).tolist() == [False, False, False]
    assert sl.function(lambda a, b: a < b)(u8, sl.tensor(300)).tolist() == [True] * 3
    assert (sl.tensor([5], dtype=sl.int8) != sl.tensor(261)).tolist() == [True]
    # Elsewhere it gives way, as in PyTorch.
    assert (u8 + sl.tensor(1)).dtype == sl.uint8


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + 300,
        lambda x: 300 - x,
        lambda x: x * -1,
        lambda x: sl.maximum(x, 1000),
        lambda x: x & 256,
        lambda x: sl.where(x > 1, x, 256),
    ],
)
def test_arithmetic_with_numbers_a_type_does_not_hold_is_refused(call):
    with pytest.raises(ValueError, match="uint8 does not hold"):
        call(sl.tensor([1, 2], dtype=sl.uint8))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sl.constant(300, dtype=sl.uint8),
        lambda x: sl.constant([1, -1], dtype=sl.uint8),
        lambda x: sl.Variable(300, dtype=sl.uint8),
        lambda x: sl.arange(250, 300, dtype=sl.uint8),
        lambda x: sl.arange(250.5, 300, dtype=sl.uint8),
        lambda x: sl.arange(-1, 3, dtype=sl.uint8),
        lambda x: sl.arange(0, -200, -1, dtype=sl.int8),
        lambda x: sl.linspace(0, 300, 3, dtype=sl.uint8),
        lambda x: sl.randperm(300, dtype=sl.uint8),
        lambda x: sl.randint(250, 300, (4,), dtype=sl.uint8),
        lambda x: sl.randint_like(x, 300),
        lambda x: x.random_(250, 300),
        lambda x: sl.add(x, x, alpha=300),
        lambda x: sl.sub(x, x, alpha=300),
        lambda x: sl.nn.functional.pad(x, (1, 1), value=300),
    ],
)
def test_numbers_a_type_does_not_hold_are_refused_where_tensors_are_made(call):
    with pytest.raises(ValueError):
        call(sl.tensor([1, 2], dtype=sl.uint8))


def test_counts_and_borders_that_a_type_holds():
    assert sl.arange(252, 256, dtype=sl.uint8).tolist() == [252, 253, 254, 255]
    assert sl.arange(5, -1, -2, dtype=sl.int8).tolist() == [5, 3, 1]
    assert sl.arange(0, dtype=sl.uint8).tolist() == []
    x = sl.tensor([1], dtype=sl.uint8)
    assert sl.add(x, x, alpha=254).tolist() == [255]
    assert sl.add(sl.tensor([1]), sl.tensor([2.5]), alpha=2).tolist() == [6.0]
    border = sl.nn.functional.pad(sl.tensor([1]), (1, 0), value=2**53 + 1)
    assert border.tolist() == [2**53 + 1, 1]  # a double has no such number


def test_relu_of_large_unsigned_integers():
    big = sl.tensor([2**63 + 7, 0, 2**64 - 1], dtype=sl.uint64)
    for made in (sl.relu(big), big.relu(), sl.nn.functional.relu(big)):
        assert made.dtype == sl.uint64
        assert made.tolist() == [2**63 + 7, 0, 2**64 - 1]


def test_nanmean_of_integers_is_a_float():
    made = sl.nanmean(sl.tensor([1, 2]))
    assert made.dtype == sl.float32 and made.item() == 1.5


def test_numbers_at_the_edge_are_held():
    assert (sl.tensor([1], dtype=sl.uint8) + 255).tolist() == [0]
    assert (sl.tensor([1], dtype=sl.int8) * -128).tolist() == [-128]
    assert (sl.tensor([1], dtype=sl.uint64) * (2**64 - 1)).tolist() == [2**64 - 1]
    assert (sl.tensor([1]) * -(2**63)).tolist() == [-(2**63)]


def test_bools_added_and_multiplied_are_bools():
    a, b = sl.tensor([True, True, False]), sl.tensor([True, False, False])
    for made, wanted in [
        (a + b, [True, True, False]),
        (a * b, [True, False, False]),
        (a + True, [True, True, True]),
        (sl.maximum(a, b), [True, True, False]),
        (sl.minimum(a, b), [True, False, False]),
        (sl.sign(a), [True, True, False]),
    ]:
        assert made.dtype == sl.bool
        assert made.tolist() == wanted
    assert (a + 1).dtype == sl.int64
    assert (a + 1).tolist() == [2, 2, 1]
    assert a.sum().tolist() == 2


def test_tensors_without_axes_give_way():
    x, y = sl.tensor([1.0, 2.0]), sl.tensor(2.0, dtype=sl.float64)
    assert (x * y).dtype == sl.float32
    assert (y * x).dtype == sl.float32
    assert sl.where(x > 1, x, y).dtype == sl.float32
    assert (sl.tensor([1, 2], dtype=sl.int32) + sl.tensor(2)).dtype == sl.int32
    # But not to a lower kind of numbers.
    assert (sl.tensor([1, 2]) * y).dtype == sl.float64
    assert (sl.tensor(1.0) * y).dtype == sl.float64
    assert sl.result_type(x, y) == sl.float32
    assert sl.result_type(sl.tensor([1]), y) == sl.float64


def test_tensors_without_axes_give_way_in_captured_functions():
    @sl.function
    def f(x, y):
        return x * y

    made = f(sl.tensor([1.0, 2.0]), sl.tensor(2.0, dtype=sl.float64))
    assert made.dtype == sl.float32


def test_abs_and_sign_of_unsigned_integers():
    big = sl.tensor([2**63 + 7, 0], dtype=sl.uint64)
    for made, wanted in [
        (sl.abs(big), [2**63 + 7, 0]),
        (big.abs(), [2**63 + 7, 0]),
        (abs(big), [2**63 + 7, 0]),
        (sl.sign(big), [1, 0]),
        (-sl.tensor([1, 0], dtype=sl.uint8), [255, 0]),
        (sl.abs(sl.tensor([200], dtype=sl.uint8)), [200]),
    ]:
        assert made.tolist() == wanted
        assert made.dtype in (sl.uint64, sl.uint8)


def test_linspace_of_integers():
    made = sl.linspace(0, 10, 5, dtype=sl.int64)
    assert made.dtype == sl.int64
    assert made.tolist() == [0, 2, 5, 7, 10]


def test_products_of_small_integers_keep_their_type():
    x = sl.tensor([[200, 100]], dtype=sl.uint8)
    made = x @ x.T
    assert made.dtype == sl.uint8
    assert made.tolist() == [[(200 * 200 + 100 * 100) % 256]]
    assert sl.outer(x[0], x[0]).dtype == sl.uint8
    assert sl.dot(x[0], x[0]).dtype == sl.uint8
    # Sums do not.
    assert sl.trace(sl.eye(2, dtype=sl.uint8) * 200).item() == 400


def _convolved(x, w, stride, dilation, groups):
    """[N, C, L] and [out, C / groups, K] of plain integers, written out."""
    places = (len(x[0][0]) - dilation * (len(w[0][0]) - 1) - 1) // stride + 1
    depth, per_group = len(w[0]), len(w) // groups
    return [
        [
            [
                sum(
                    w[o][c][k]
                    * row[o // per_group * depth + c][p * stride + k * dilation]
                    for c in range(depth)
                    for k in range(len(w[o][c]))
                )
                for p in range(places)
            ]
            for o in range(len(w))
        ]
        for row in x
    ]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_convolutions_of_integers_are_exact_integers(stride, dilation, groups):
    x = [[[(1 << 40) * (c + 1) + i * i for i in range(9)] for c in range(4)]] * 2
    w = [[[o - c + k for k in range(3)] for c in range(4 // groups)] for o in range(6)]
    options = {"stride": stride, "dilation": dilation, "groups": groups}
    wanted = _convolved(x, w, **options)
    made = sl.conv1d(sl.tensor(x), sl.tensor(w), **options)
    assert made.dtype == sl.int64
    assert made.tolist() == wanted
    one = sl.conv1d(sl.tensor(x[0]), sl.tensor(w), sl.tensor([5] * 6), **options)
    assert one.tolist() == [[v + 5 for v in row] for row in wanted[0]]
    # Images of one line, and captured.
    x2, w2 = sl.tensor(x).unsqueeze(2), sl.tensor(w).unsqueeze(2)
    options["stride"], options["dilation"] = (1, stride), (1, dilation)
    image = sl.function(lambda a, b: sl.conv2d(a, b, **options))(x2, w2)
    assert image.squeeze(2).tolist() == wanted


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 2)])
def test_transposed_convolutions_of_integers_are_what_floats_give(stride, dilation):
    x = sl.arange(2 * 4 * 5).reshape(2, 4, 5)
    w = sl.arange(4 * 3 * 3).reshape(4, 3, 3) - 7
    options = {"stride": stride, "dilation": dilation, "groups": 2, "padding": 1}
    made = sl.conv_transpose1d(x, w, **options)
    wanted = sl.conv_transpose1d(x.double(), w.double(), **options)
    assert made.dtype == sl.int64
    assert made.tolist() == wanted.tolist()


def test_convolutions_of_integers_refuse_what_does_not_fit():
    x, w = sl.ones(1, 4, 5, dtype=sl.int64), sl.ones(2, 3, 3, dtype=sl.int64)
    with pytest.raises(ValueError, match="channels differ"):
        sl.conv1d(x, w)
