"""PyTorch's files of weights: written and read, and nothing in them executed."""

import io
import os
import pickle
import random
import zipfile

import numpy as np
import pytest
import sluice as sl

TYPES = (sl.float64, sl.float32, sl.float16, sl.bfloat16, sl.int64, sl.int32, sl.int16,
         sl.int8, sl.uint8, sl.bool, sl.complex64)  # fmt: skip


def _everything():
    w = sl.arange(6.0).reshape(2, 3)
    return {
        "model": {"w": w, "tied": w, "none": sl.zeros(0, 3)},
        "types": {t.name: sl.arange(4).to(t) for t in TYPES},
        "epoch": 3, "lr": 1e-3, "big": -(2**40), "name": "größe",
        "flags": [True, None, (1, 2.5)], "scalar": sl.tensor(1.5), 7: "seven",
    }  # fmt: skip


@pytest.mark.parametrize("suffix", [".pt", ".pth"])
def test_what_is_saved_is_read(tmp_path, suffix):
    saved = _everything()
    sl.save(saved, tmp_path / ("all" + suffix))
    made = sl.load(tmp_path / ("all" + suffix), map_location="cpu")
    assert list(made) == list(saved)
    for key in ("epoch", "lr", "big", "name", "flags", 7):
        assert made[key] == saved[key] and type(made[key]) is type(saved[key])
    for name, t in saved["types"].items():
        assert made["types"][name].dtype == t.dtype
        assert made["types"][name].tolist() == t.tolist()
    assert made["model"]["w"].tolist() == saved["model"]["w"].tolist()
    assert made["model"]["none"].shape == (0, 3) and made["scalar"].item() == 1.5
    tied = sl.load(tmp_path / ("all" + suffix))["model"]
    assert tied["w"] is tied["tied"]


def test_modules_and_file_objects(tmp_path):
    net = sl.nn.Sequential(sl.nn.Linear(3, 4), sl.nn.BatchNorm1d(4))
    sl.save(net, tmp_path / "net.pt")
    other = sl.nn.Sequential(sl.nn.Linear(3, 4), sl.nn.BatchNorm1d(4))
    with open(tmp_path / "net.pt", "rb") as file:
        other.load_state_dict(sl.load(file))
    np.testing.assert_array_equal(other[0].weight.detach(), net[0].weight.detach())


def _zip(path, pickled, **data):
    with zipfile.ZipFile(path, "w") as whole:
        whole.writestr("a/data.pkl", pickled)
        for key, value in data.items():
            whole.writestr("a/data/" + key, value)


def test_views_of_a_storage_and_parameters(tmp_path):
    # As PyTorch writes x.t()[1:] of a 3 x 4 matrix, inside a Parameter.
    tensor = (b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storage"
              b"ctorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x0ctQ"
              b"K\x01K\x03K\x03\x86K\x01K\x04\x86\x89ccollections\nOrderedDict\n)RtR")
    whole = (b"\x80\x02ctorch._utils\n_rebuild_parameter\n(" + tensor
             + b"\x88ccollections\nOrderedDict\n)RtR.")
    _zip(tmp_path / "v.pt", whole, **{"0": np.arange(12, dtype="<f4").tobytes()})
    wanted = np.arange(12.0).reshape(3, 4).T[1:]
    assert sl.load(tmp_path / "v.pt").tolist() == wanted.tolist()
    # One that reaches over the end of its storage.
    _zip(tmp_path / "d.pt", whole, **{"0": np.arange(11, dtype="<f4").tobytes()})
    with pytest.raises(ValueError, match="storage 0 has 44 bytes; wanted 48"):
        sl.load(tmp_path / "d.pt")
    _zip(tmp_path / "d.pt", whole.replace(b"K\x01K\x03K\x03", b"K\x09K\x03K\x03"),
         **{"0": np.arange(12, dtype="<f4").tobytes()})  # fmt: skip
    with pytest.raises(ValueError, match="is damaged: a tensor of"):
        sl.load(tmp_path / "d.pt")


def test_small_files_claim_no_large_tensors(tmp_path):
    tensor = (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storage"
              b"ctorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQ"
              b"K\x00J\x00\x00\x00\x7fK\x64\x86K\x00K\x00\x86\x89"
              b"ccollections\nOrderedDict\n)RtR.")
    _zip(tmp_path / "e.pt", tensor, **{"0": np.ones(1, "<f4").tobytes()})
    with pytest.raises(ValueError, match="claims a tensor of"):
        sl.load(tmp_path / "e.pt")
    with zipfile.ZipFile(tmp_path / "z.pt", "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("a/data.pkl", b"\x80\x02" + b"N0" * (150 << 20) + b"N.")
    with pytest.raises(ValueError, match="would expand"):
        sl.load(tmp_path / "z.pt")


class _Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_nothing_is_executed(tmp_path):
    made = str(tmp_path / "made")
    _zip(tmp_path / "bad.pt", pickle.dumps({"a": _Evil(made)}, 2))
    with pytest.raises(ValueError, match="nothing that a file names is executed"):
        sl.load(tmp_path / "bad.pt")
    assert not os.path.exists(made)
    for call in (b"cbuiltins\neval\n", b"cbuiltins\ngetattr\n", b"c__main__\nx\n"):
        _zip(tmp_path / "bad.pt", b"\x80\x02" + call + b"(X\x01\x00\x00\x001tR.")
        with pytest.raises(ValueError, match="names "):
            sl.load(tmp_path / "bad.pt")
    with pytest.raises(ValueError, match="weights_only is False"):
        sl.load(tmp_path / "bad.pt", weights_only=False)


def test_damaged_files_are_refused(tmp_path):
    sl.save(_everything(), tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    draw = random.Random(4)
    for i in range(200):
        bad = bytearray(data[: draw.randrange(len(data))] if i % 5 == 0 else data)
        for _ in range(draw.randint(1, 4)):
            if bad:
                bad[draw.randrange(len(bad))] = draw.randrange(256)
        (tmp_path / "b.pt").write_bytes(bytes(bad))
        try:
            sl.load(tmp_path / "b.pt")
        except ValueError as error:
            assert "load: " in str(error)


def test_what_does_not_fit_says_why(tmp_path):
    with pytest.raises(TypeError, match="model.f is a .*; wanted tensors"):
        sl.save({"model": {"f": sl.function(lambda x: x).__call__}}, tmp_path / "a.pt")
    assert not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="for which PyTorch has no storage"):
        sl.save({"x": sl.zeros(2, dtype=sl.uint32)}, tmp_path / "a.pt")
    (tmp_path / "old.pt").write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
    with pytest.raises(ValueError, match="is no zip"):
        sl.load(tmp_path / "old.pt")
    with pytest.raises(FileNotFoundError):
        sl.load(tmp_path / "none.pt")
    kept = io.BytesIO()
    sl.save({"x": sl.ones(2)}, kept)  # a file object gets safetensors
    kept.seek(0)
    assert sl.load(kept)["x"].tolist() == [1, 1]
