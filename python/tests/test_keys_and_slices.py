"""Random numbers of keys, slices at places that are computed, more of trees."""

import pytest
import sluice as sl

random = sl.random


def test_equal_keys_give_equal_numbers():
    a, b = random.split(random.key(0))
    x = random.normal(a, (3,))
    sl.manual_seed(5)
    sl.randn(3)
    assert random.normal(a, (3,)).tolist() == x.tolist()
    assert random.normal(b, (3,)).tolist() != x.tolist()
    assert random.normal(random.split(random.key(1))[0], (3,)).tolist() != x.tolist()
    assert len({random.key_data(k).item() for k in random.split(a, 1000)}) == 1000
    folded = {random.key_data(random.fold_in(a, i)).item() for i in range(100)}
    split = {random.key_data(k).item() for k in random.split(a, 100)}
    assert len(folded | split) == 200


def test_what_keys_draw():
    k = random.key(3)
    n = 40000
    x = random.normal(k, (n,))
    assert abs(x.mean().item()) < 0.02 and x.std().item() == pytest.approx(1, abs=0.02)
    u = random.uniform(k, (n,), minval=-1.0, maxval=3.0)
    assert u.min() >= -1 and u.max() < 3
    assert u.mean().item() == pytest.approx(1, abs=0.05)
    r = random.randint(k, (n,), -2, 3)
    assert r.dtype == sl.int64 and sorted(set(r.tolist())) == [-2, -1, 0, 1, 2]
    assert random.bernoulli(k, 0.3, (n,)).to(sl.float32).mean().item() == pytest.approx(
        0.3, abs=0.02
    )
    assert random.exponential(k, (n,)).mean().item() == pytest.approx(1, abs=0.03)
    t = random.truncated_normal(k, -1.0, 2.0, (n,))
    assert t.min() >= -1 and t.max() <= 2
    c = random.categorical(k, sl.log(sl.tensor([0.2, 0.8])), shape=(n,))
    assert c.to(sl.float32).mean().item() == pytest.approx(0.8, abs=0.02)
    assert sorted(random.permutation(k, 9).tolist()) == list(range(9))
    assert len(set(random.choice(k, 9, (9,), replace=False).tolist())) == 9


def test_keys_are_arguments_as_others():
    def draw(k):
        return random.uniform(random.fold_in(k, 7), (2,))

    k = random.key(11)
    assert sl.function(draw)(k).tolist() == draw(k).tolist()
    keys = random.split(k, 3)
    lanes = sl.vmap(draw)(keys)
    assert lanes.tolist() == [draw(one).tolist() for one in keys]


def test_what_takes_no_key_says_so():
    k = random.key(0)
    with pytest.raises(TypeError, match="takes no key"):
        random.gamma(k, 1.0)
    with pytest.raises(ValueError, match="wanted one, or vmap"):
        random.normal(random.split(k), (2,))
    with pytest.raises(TypeError, match="seed is float32"):
        random.key(1.5)
    assert random.normal(0.0, 1.0, (2,)).shape == (2,)


def test_slices_at_places_that_are_computed():
    x = sl.arange(12.0).reshape(3, 4)
    assert sl.dynamic_slice(x, (1, 2), (2, 2)).tolist() == [[6, 7], [10, 11]]
    # A block that would reach over the end is moved back; -1 is the last place.
    corner = sl.dynamic_slice(x, (sl.tensor(9), -1), (2, 2))
    assert corner.tolist() == [[6, 7], [10, 11]]
    columns = sl.dynamic_slice_in_dim(x, 1, 2, axis=1)
    assert columns.tolist() == [[1, 2], [5, 6], [9, 10]]
    assert sl.dynamic_index_in_dim(x, 1, keepdims=False).tolist() == [4, 5, 6, 7]
    made = sl.dynamic_update_slice(x, sl.zeros(2, 1), (2, 3))
    assert made.tolist() == [[0, 1, 2, 3], [4, 5, 6, 0], [8, 9, 10, 0]]
    made = sl.dynamic_update_index_in_dim(x, sl.zeros(4), 1, 0)
    assert made[1].tolist() == [0] * 4 and made[2].tolist() == x[2].tolist()
    with pytest.raises(ValueError, match="a block of 5 along axis 0"):
        sl.dynamic_slice(x, (0, 0), (5, 1))
    with pytest.raises(TypeError, match="wanted one type"):
        sl.dynamic_update_slice(x, sl.zeros(1, 1, dtype=sl.int64), (0, 0))


def test_slices_have_gradients_and_lanes():
    x = sl.arange(12.0).reshape(3, 4)

    def f(x, i):
        block = sl.dynamic_slice(x, (i, 1), (2, 2))
        return sl.square(sl.dynamic_update_slice(x, block * 2, (0, i))).sum()

    for way in (sl.grad(f), sl.function(sl.grad(f)), sl.grad(sl.function(f))):
        assert way(x, sl.tensor(1)).tolist() == sl.grad(f)(x, 1).tolist()
    lanes = sl.vmap(sl.grad(f), (None, 0))(x, sl.tensor([0, 1]))
    assert lanes[1].tolist() == sl.grad(f)(x, 1).tolist()


def test_trees():
    t = {"a": (1, 2), "b": [3, None, {"c": 4}]}
    assert sl.tree.reduce(lambda a, b: a + b, t) == 10
    assert sl.tree.reduce(lambda a, b: a + b, t, 5) == 15
    assert sl.tree.all(t) and not sl.tree.all([1, 0])
    paths = [("a", 0), ("a", 1), ("b", 0), ("b", 2, "c")]
    assert sl.tree.leaves_with_path(t) == list(zip(paths, [1, 2, 3, 4]))
    assert sl.tree.flatten_with_path(t)[1] == sl.tree.structure(t)
    assert sl.tree.map_with_path(lambda p, x: len(p) * x, t) == {
        "a": (2, 4), "b": [6, None, {"c": 12}]}  # fmt: skip
    assert sl.tree.broadcast({"a": 1, "b": 2}, t) == {
        "a": (1, 1), "b": [2, None, {"c": 2}]}  # fmt: skip
    outer, inner = sl.tree.structure([0, 0]), sl.tree.structure({"x": 0, "y": 0})
    rows = [{"x": 1, "y": 2}, {"x": 3, "y": 4}]
    assert sl.tree.transpose(outer, inner, rows) == {"x": [1, 3], "y": [2, 4]}
    assert sl.tree.transpose(outer, None, rows) == {"x": [1, 3], "y": [2, 4]}
    with pytest.raises(ValueError, match="wanted the same nodes"):
        sl.tree.broadcast([1], (1, 2))
