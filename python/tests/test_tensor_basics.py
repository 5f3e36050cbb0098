"""The class Tensor: properties, Python's protocols, printing, in-place operators."""

import numpy as np
import pytest
import sluice as sl


def test_properties():
    x = sl.tensor([[1, 2.5, 3], [4, 5, 6]])
    assert x.shape == (2, 3)
    assert x.dtype == sl.float32 and x.dtype == "float32" and x.dtype == np.float32
    assert x.ndim == 2 and x.dim() == 2
    assert x.size == 6 and x.numel() == 6
    assert x.itemsize == 4 and x.nbytes == 24
    assert x.strides == (12, 4) and x.stride() == (3, 1) and x.stride(0) == 3
    assert x.is_contiguous() and not x[:, 1].is_contiguous()
    assert x.device == "cpu" and x.device.type == "cpu" and x.device.index is None
    assert len(x) == 2


@pytest.mark.parametrize(
    "data, dtype",
    [
        (1, "int64"),
        (1.0, "float32"),
        (True, "bool"),
        (1j, "complex64"),
        ("text", "string"),
        ([1, 2.0], "float32"),
        ([True, 2], "int64"),
        (np.float64(1), "float32"),  # a float as any other
        (np.zeros(2, np.int8), "int8"),
        ([], "float32"),
    ],
)
def test_type_of_data(data, dtype):
    assert sl.tensor(data).dtype == dtype


def test_items():
    x = sl.tensor([[1, 2], [3, 4]])
    assert x.tolist() == [[1, 2], [3, 4]]
    assert x[1, 0].item() == 3 and x.item(1, 0) == 3 and x.item(3) == 4
    assert sl.tensor(2.5).tolist() == 2.5
    assert sl.tensor(b"ab").item() == b"ab"
    assert x[:, ::-1].tolist() == [[2, 1], [4, 3]]
    with pytest.raises(ValueError, match="one element"):
        x.item()


def test_python_numbers():
    x = sl.tensor(3)
    assert int(x) == 3 and float(x) == 3.0 and complex(x) == 3
    assert [10, 11, 12, 13][x] == 13
    assert f"{sl.tensor(0.12345):.2f}" == "0.12"
    assert f"{sl.tensor([1, 2])}" == "tensor([1, 2])"
    with pytest.raises(TypeError, match="one integer"):
        [1][sl.tensor(0.0)]
    with pytest.raises(TypeError, match="format"):
        f"{sl.tensor([1, 2]):.2f}"


def test_truth():
    assert sl.tensor(1) and not sl.tensor([0.0])
    with pytest.raises(ValueError, match=r"any\(\) or all\(\)"):
        bool(sl.tensor([1, 2]))


def test_iterate_and_contain():
    x = sl.tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    for row in x:
        row[:] = 0  # rows are views
    assert x.tolist() == [[0, 0], [0, 0]]
    assert 0 in x and 5 not in x
    with pytest.raises(TypeError, match="without axes"):
        len(sl.tensor(1))
    with pytest.raises(TypeError):
        iter(sl.tensor(1))


@pytest.mark.parametrize(
    "tensor, text",
    [
        (sl.tensor([1.0, 2.5]), "tensor([1.0, 2.5])"),
        (sl.tensor([[1.0], [10.0]]), "tensor([[ 1.],\n        [10.]])"),
        (sl.tensor([1, -2]), "tensor([ 1, -2])"),
        (sl.tensor(1.5, "float64"), "tensor(1.5, dtype=float64)"),
        (sl.tensor([True]), "tensor([True])"),
        (sl.zeros(0, 3), "tensor([], shape=(0, 3))"),
        (sl.tensor([1e-8, 1]), "tensor([1.0000e-08, 1.0000e+00])"),
        (sl.tensor([float("nan"), float("-inf")]), "tensor([ nan, -inf])"),
        (sl.tensor(1j), "tensor(0.+1.j, dtype=complex64)"),
        (sl.tensor(["a'b"]), "tensor(['a\\'b'])"),
        (sl.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
        (
            sl.arange(2000),
            "tensor([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))",
        ),
    ],
)
def test_repr(tensor, text):
    assert repr(tensor) == text


def test_long_lines_are_broken():
    lines = repr(sl.arange(100)).splitlines()
    assert len(lines) > 3 and max(map(len, lines)) <= 80


def test_in_place_operators():
    x = sl.tensor([1.0, 2.0])
    y = x
    x += 1
    x *= sl.tensor([2.0, 3.0], "float64")
    x -= [1, 1]
    x /= 2
    assert y is x and x.dtype == sl.float32
    assert y.tolist() == [1.5, 4.0]
    x.add_(1, alpha=2).sub_(0.5).mul_(2).div_(2).copy_(x + 1)
    assert y.tolist() == [4.0, 6.5]
    assert x.fill_(3).tolist() == [3, 3] and x.zero_().tolist() == [0, 0]


def test_in_place_keeps_the_type():
    n = sl.tensor([1, 2])
    with pytest.raises(TypeError, match="another type than the int64"):
        n += 0.5
    with pytest.raises(TypeError, match="another type"):
        n /= 2
    with pytest.raises(ValueError, match="write it in place"):
        n += sl.ones((2, 2), dtype="int64")
    assert n.tolist() == [1, 2]


def test_numpy_shares():
    x = sl.tensor([[1.0, 2.0], [3.0, 4.0]])
    a = x.numpy()
    a[0, 0] = 7
    x[1, 1] = 8
    assert x[0, 0].item() == 7 and a[1, 1] == 8
    back = x[::-1, ::2].numpy()
    assert back.tolist() == [[3], [7]] and np.shares_memory(back, a)
    with pytest.raises(RuntimeError, match="detach"):
        sl.tensor([1.0], requires_grad=True).numpy()
    product = np.ones((2, 2), np.float32) * x
    assert isinstance(product, sl.Tensor)
    assert np.asarray(x, dtype=np.float64).dtype == np.float64


def test_numpy_outlives_its_tensor():
    a = sl.arange(1000).numpy()
    for _ in range(10):
        sl.ones(1000, dtype="int64")
    assert a.sum() == 499500
