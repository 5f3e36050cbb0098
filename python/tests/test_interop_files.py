"""Files of other libraries, and ours read by them."""

import numpy as np
import pytest

import sluice as sl


def array(tensor):
    return np.asarray(tensor)


def test_numpy_reads_ours(tmp_path):
    values = {"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": np.array(2.5)}
    sl.save(values, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as read:
        assert set(read.files) == {"a", "b"}
        np.testing.assert_array_equal(read["a"], values["a"])
        assert read["b"].dtype == np.float64 and read["b"].shape == ()
    sl.save(np.array([1 + 2j], np.complex64), tmp_path / "a.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), [1 + 2j])


def test_ours_reads_numpys(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(5.0), y=np.array([True]))
    read = sl.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(array(read["x"]), np.arange(5.0))
    assert read["x"].dtype == sl.float64 and read["y"].dtype == sl.bool
    np.save(tmp_path / "f.npy", np.asfortranarray(np.arange(6).reshape(2, 3)))
    np.testing.assert_array_equal(
        array(sl.load(tmp_path / "f.npy")), np.arange(6).reshape(2, 3)
    )
    np.save(tmp_path / "big.npy", np.arange(3, dtype=">i4"))
    assert array(sl.load(tmp_path / "big.npy")).tolist() == [0, 1, 2]


def test_safetensors_reads_ours(tmp_path):
    safetensors = pytest.importorskip("safetensors")
    numpy = pytest.importorskip("safetensors.numpy")
    path = str(tmp_path / "a.safetensors")
    values = {
        "w": np.arange(6, dtype=np.float32).reshape(2, 3),
        "n": np.array([1, 2], np.int64),
        "b": np.array([True]),
        "h": np.array([0.5], np.float16),
        "empty": np.zeros((0, 2), np.float32),
    }
    sl.save(values, path, metadata={"format": "pt"})
    read = numpy.load_file(path)
    assert read.keys() == values.keys()
    for name, value in values.items():
        np.testing.assert_array_equal(read[name], value)
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata() == {"format": "pt"}


def test_ours_reads_safetensors(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    path = str(tmp_path / "a.safetensors")
    values = {"w": np.arange(6.0).reshape(2, 3), "u": np.array([255], np.uint8)}
    numpy.save_file(values, path)
    read = sl.load(path)
    for name, value in values.items():
        np.testing.assert_array_equal(array(read[name]), value)


def test_torch_tensors_through_safetensors(tmp_path):
    torch = pytest.importorskip("torch")
    files = pytest.importorskip("safetensors.torch")
    path = str(tmp_path / "a.safetensors")
    files.save_file({"x": torch.tensor([1.5, -2.0], dtype=torch.bfloat16)}, path)
    read = sl.load(path)["x"]
    assert read.dtype == sl.bfloat16
    assert sl.cast(read, sl.float32).tolist() == [1.5, -2.0]
    sl.save({"x": read}, path)
    assert files.load_file(path)["x"].tolist() == [1.5, -2.0]
