"""Small files that claim much, deep graphs, and very many tensors: refused, or
as much work as there is input."""

import gzip
import json
import struct

import pytest

import sluice as sl
from sluice import data

HUGE = 2**31 - 1


def idx_bytes(*sizes):
    return b"\0\0\x08" + bytes([len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)


def npy_bytes(shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode()


def safetensors_bytes(shape):
    header = {"x": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text


# Row by row they would never come to an end.
@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("a.idx", idx_bytes(HUGE, 0), lambda p: list(data.idx(p))),
        ("b.idx", idx_bytes(65536, 65536, 0), lambda p: list(data.idx(p))),
        ("a.npy", npy_bytes((2**40, 0)), lambda p: list(data.npy(p))),
        ("b.npy", npy_bytes((2**40, 0)), sl.load),
        ("a.safetensors", safetensors_bytes([2**40, 0]), sl.load),
    ],
)
def test_billions_of_empty_rows_are_refused(tmp_path, name, content, read):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read(tmp_path / name)


def test_few_empty_rows_are_read(tmp_path):
    (tmp_path / "a.idx").write_bytes(idx_bytes(3, 0))
    assert len(list(data.idx(tmp_path / "a.idx"))) == 3
    (tmp_path / "a.npy").write_bytes(npy_bytes((3, 0)))
    assert sl.load(tmp_path / "a.npy").shape == (3, 0)


@pytest.fixture(scope="module")
def packed():
    """Less than a megabyte that would be 300."""
    made = b"".join([gzip.compress(bytes(2**20))] * 300)
    assert len(made) < 2**20
    return made


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a.csv.gz", lambda p: list(data.csv(p))),
        ("a.txt.gz", lambda p: list(data.text_lines(p))),
        ("a.idx.gz", lambda p: list(data.idx(p))),
    ],
)
def test_what_unpacks_to_far_more_is_refused(tmp_path, packed, name, read):
    (tmp_path / name).write_bytes(packed)
    with pytest.raises((MemoryError, ValueError, OSError), match="times its size"):
        read(tmp_path / name)


def nested(depth):
    """`depth` branches in branches."""
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (), name="x")

        def inside(level):
            if level == 0:
                return x + 1.0
            return sl.cond(x > 0, lambda: inside(level - 1), lambda: x)

        y = inside(depth)
    return graph, x, y


def test_graphs_nested_deeply_are_read_back():
    graph, x, y = nested(100)
    assert sl.Session(graph).run(y, {x: 2.0}) == 3.0
    text = graph.text()
    again = sl.Graph.from_bytes(graph.to_bytes())
    assert again.text() == text
    fetched = again.tensor(y.name)
    assert sl.Session(again).run(fetched, {again.tensor(x.name): 2.0}) == 3.0


def test_what_cannot_be_read_back_cannot_be_built():
    with pytest.raises(ValueError, match="nested deeper than 256"):
        nested(300)


# A way that looks at all tensors for each of them would take hours.
def test_very_many_tensors_are_stacked():
    count = 60_000
    many = [sl.tensor(1.0, requires_grad=True)] * count
    total = sl.stack(many).sum()
    total.backward()
    assert total.item() == count and many[0].grad.item() == count
    assert sl.concat([t.reshape(1) for t in many]).shape == (count,)


def test_a_very_long_list_is_filled():
    growing = sl.List(dtype=sl.float32)
    kept = []
    for i in range(20_000):
        growing = growing.append(float(i))
        kept.append(growing)
    assert len(kept[9]) == 10 and growing.stack().sum().item() == sum(range(20_000))
