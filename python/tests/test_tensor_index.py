"""Indexing and assignment, by numpy's rules."""

import random

import numpy as np
import pytest
import sluice as sl


def random_key(r: random.Random, shape: tuple[int, ...]):
    """A key for an array of that shape, right most of the time."""
    items = []
    axes = list(shape)
    ellipsis_used = False
    shapes = [r.choice([(2,), (3,), (1,), (2, 3), (1, 3), ()])]
    while axes or r.random() < 0.2:
        what = r.random()
        if what < 0.1:
            items.append(None)
            if len(items) > 8:
                break
            continue
        if what < 0.2 and not ellipsis_used:
            ellipsis_used = True
            items.append(Ellipsis)
            axes = axes[r.randrange(len(axes) + 1):]
            continue
        if not axes:
            break
        size = axes.pop(0)
        if what < 0.45:
            begin, end = (r.choice([None, r.randint(-size - 2, size + 2)])
                          for _ in range(2))  # fmt: skip
            items.append(slice(begin, end, r.choice([None, 1, 2, -1, -2, 7])))
        elif what < 0.6 and size:
            items.append(r.randrange(-size, size))
        elif what < 0.85 and size:
            where = shapes[0] if r.random() < 0.8 else r.choice([(1,), ()])
            items.append(np.array(
                [r.randrange(-size, size) for _ in range(int(np.prod(where)))],
                dtype=r.choice(["int64", "int32"])).reshape(where))
        elif what < 0.95:
            take = min(len(axes), r.randrange(2))
            mask_shape = (size, *axes[:take])
            del axes[:take]
            items.append(np.array(
                [r.random() < 0.5 for _ in range(int(np.prod(mask_shape)))],
                dtype=bool).reshape(mask_shape))
        else:
            items.append(slice(None))
        if r.random() < 0.15:
            break
    return tuple(items) if len(items) != 1 or r.random() < 0.5 else items[0]


def as_ours(key):
    """The same key with tensors in place of arrays."""
    if isinstance(key, tuple):
        return tuple(map(as_ours, key))
    return sl.tensor(key) if isinstance(key, np.ndarray) else key


def cases(count: int, seed: int):
    r = random.Random(seed)
    for _ in range(count):
        shape = tuple(r.choice([0, 1, 2, 3, 4, 5]) if r.random() < 0.1
                      else r.choice([2, 3, 4]) for _ in range(r.randrange(5)))
        yield r, shape, random_key(r, shape)


def test_reads_as_numpy():
    read = refused = 0
    for r, shape, key in cases(3000, 1):
        a = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)
        x = sl.tensor(a)
        ours = as_ours(key) if r.random() < 0.5 else key
        try:
            wanted = a[key]
        except IndexError:
            refused += 1
            with pytest.raises(IndexError):
                x[ours]
            continue
        if wanted.ndim > 8:
            continue
        read += 1
        got = x[ours]
        assert got.shape == wanted.shape, (shape, key)
        np.testing.assert_array_equal(got.numpy(), wanted, err_msg=f"{shape} {key}")
    assert read > 2000


def test_writes_as_numpy():
    written = 0
    for r, shape, key in cases(3000, 2):
        a = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)
        x = sl.tensor(a)
        try:
            part = a[key]
        except IndexError:
            continue
        if part.ndim > 8:
            continue
        size = part.shape
        how = r.random()
        if how < 0.3:
            value = np.float32(-1)
        elif how < 0.5 and size:
            value = -np.arange(size[-1], dtype="float32") - 1
        elif how < 0.6 and 0 < part.ndim < 8:
            value = -np.arange(part.size, dtype="float32").reshape((1, *size)) - 1
        else:
            value = -np.arange(part.size, dtype="float32").reshape(size) - 1
        try:
            a[key] = value
        except (TypeError, ValueError):
            continue  # numpy has stricter rules for a mask alone
        x[as_ours(key)] = value
        written += 1
        np.testing.assert_array_equal(x.numpy(), a, err_msg=f"{shape} {key}")
    assert written > 2000


def test_gradients_of_parts():
    """The gradient of a part is what numpy adds up at the same key."""
    for r, shape, key in cases(400, 3):
        a = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)
        try:
            part = a[key]
        except IndexError:
            continue
        if part.ndim > 8 or not a.size:
            continue
        x = sl.tensor(a, requires_grad=True)
        weights = np.arange(part.size, dtype="float32").reshape(part.shape) + 1
        (x[as_ours(key)] * weights).sum().backward()
        wanted = np.zeros_like(a)
        np.add.at(wanted, key, weights)
        grad = x.grad.to_dense().numpy()
        np.testing.assert_allclose(grad, wanted, err_msg=f"{shape} {key}")


def test_gradients_through_assignment():
    checked = 0
    for r, shape, key in cases(400, 4):
        a = np.ones(shape, dtype="float32")
        try:
            part = a[key]
        except IndexError:
            continue
        # Of several values for one place the last counts; which is not asked.
        count = np.zeros_like(a)
        np.add.at(count, key, 1.0)
        if part.ndim > 8 or (count > 1).any():
            continue
        x = sl.tensor(a, requires_grad=True)
        v = sl.ones(part.shape, requires_grad=True)
        y = x * 2
        y[as_ours(key)] = v
        weights = np.arange(a.size, dtype="float32").reshape(shape) + 1
        (y * weights).sum().backward()
        wanted = weights * 2 * (count == 0)
        np.testing.assert_allclose(x.grad.numpy(), wanted, err_msg=f"{shape} {key}")
        np.testing.assert_allclose(v.grad.numpy(), weights[key])
        checked += 1
    assert checked > 150


def test_parts_are_views():
    x = sl.zeros(3, 4)
    x[1][2] = 5
    row = x[0]
    row += 1
    x[:, 0][1:] = 7
    assert x.tolist() == [[1, 1, 1, 1], [7, 0, 5, 0], [7, 0, 0, 0]]
    x[1:] = x[:-1]  # over itself
    assert x.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1], [7, 0, 5, 0]]
    x[2] += 1
    assert x[2].tolist() == [8, 1, 6, 1]


def test_versions_count_writes_of_parts():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    with sl.no_grad():
        y[0] = 5
    with pytest.raises(RuntimeError, match="written|changed|modified"):
        z.backward()


def test_leaf_is_not_written_while_recorded():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 3.0
    with sl.no_grad():
        x[0] = 3.0
    assert x.tolist() == [3.0, 2.0] and x.requires_grad


@pytest.mark.parametrize(
    "key, text",
    [
        (3, "index 3 is out of bounds for axis 0 with size 2"),
        ((0, -4), "index -4 is out of bounds for axis 1 with size 3"),
        ((slice(None), [0, 7]), "index 7 is out of bounds for axis 1 with size 3"),
        ((0, 0, 0), "too many indices"),
        ((..., ...), "two ellipses"),
        (1.0, "an index is a float"),
        ("a", "an index is a str"),
        ([0.5], "array of float64"),
        (sl.tensor([0.5]), "array of float32"),
        ([True, False, True], "mask of shape"),
        (([0, 1], [0, 1, 2]), "do not broadcast"),
        (slice(0.5, None), "bound of a slice is a float"),
        (2**70, "cannot fit|out of bounds"),
    ],
)
def test_bad_keys(key, text):
    x = sl.zeros(2, 3)
    with pytest.raises(IndexError, match=text):
        x[key]
    with pytest.raises(IndexError, match=text):
        x[key] = 0


def test_bad_values():
    x = sl.zeros(2, 3)
    with pytest.raises(ValueError, match="does not broadcast"):
        x[0] = [1, 2]
    with pytest.raises(ValueError, match="does not broadcast"):
        x[[0, 1]] = sl.ones(3, 3)
    with pytest.raises(ValueError, match="step 0"):
        x[::0]
    with pytest.raises(TypeError, match="string"):
        x[0] = "text"
    with pytest.raises(TypeError):
        x[0] = None
    with pytest.raises(TypeError, match="deleted"):
        del x[0]
    assert x.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_bools_and_scalars():
    x = sl.tensor([1, 2, 3])
    assert x[True].shape == (1, 3) and x[False].shape == (0, 3)
    assert x[sl.tensor(1)].item() == 2 and x[np.int64(-1)].item() == 3
    assert x[[]].shape == (0,)
    assert x[()].tolist() == [1, 2, 3]
    assert sl.tensor(5)[None].shape == (1,) and sl.tensor(5)[...].item() == 5


def test_new_tensor_with_an_item_set():
    x = sl.zeros(2, 2)
    y = sl._core.with_item(x, (0, slice(None)), [1, 2])
    assert x.tolist() == [[0, 0], [0, 0]] and y.tolist() == [[1, 2], [0, 0]]


def test_a_mask_without_elements_picks_nothing():
    x = sl.ones(3, 1, 2)
    for shape, wanted in (((3, 0), (0, 2)), ((0,), (0, 1, 2)), ((3, 1, 0), (0,))):
        mask = np.zeros(shape, bool)
        assert x[sl.tensor(mask)].shape == np.ones((3, 1, 2))[mask].shape == wanted
    with pytest.raises(IndexError, match="mask"):
        x[sl.ones(2, 1, dtype=sl.bool)]
