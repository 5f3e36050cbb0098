"""Functions and methods of tensors beside numpy's."""

import numpy as np
import pytest
import sluice as sl

A = np.arange(24, dtype="float32").reshape(2, 3, 4) * 0.5 - 3
M = np.array([[4.0, 1.0], [1.0, 3.0]], dtype="float32")


def same(got, wanted):
    if isinstance(got, (tuple, list)):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted):
            same(g, w)
        return
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got.numpy(), wanted, rtol=2e-6, atol=2e-6)


def ours(x):
    return sl.tensor(x)


# (expression, where xp is numpy or sluice and a, m, i, b are arrays of each)
SAME = """
xp.sum(a) | xp.sum(a, axis=1) | xp.sum(a, axis=(0, 2), keepdims=True) | xp.sum(i)
xp.sum(b) | xp.prod(a, axis=0) | xp.mean(a, axis=-1) | xp.mean(i)
xp.max(a) | xp.max(a, axis=2) | xp.min(a, axis=(0, 1)) | xp.amax(a, axis=0)
xp.argmax(a) | xp.argmin(a, axis=1) | xp.argmax(a, axis=1, keepdims=True)
xp.any(b) | xp.all(b, axis=0) | xp.any(a) | xp.all(a, axis=1) | xp.count_nonzero(a)
xp.std(a, ddof=0) | xp.var(a, axis=1, ddof=1) | xp.ptp(a, axis=0) | xp.sum(a, axis=())
xp.cumsum(a) | xp.cumsum(a, axis=1) | xp.cumprod(a, axis=0) | xp.cumsum(b)
xp.nansum(a) | xp.average(a, axis=1) | xp.max(b) | xp.cumulative_sum(i, axis=0)
xp.reshape(a, (4, 6)) | xp.ravel(a) | xp.squeeze(a[None]) | xp.expand_dims(a, (0, 2))
xp.transpose(a) | xp.transpose(a, (2, 0, 1)) | xp.swapaxes(a, 0, 2) | a.T | m.mT
xp.moveaxis(a, 0, -1) | xp.moveaxis(a, (0, 1), (2, 0)) | xp.matrix_transpose(a)
xp.permute_dims(a, (1, 0, 2)) | xp.broadcast_to(a[:, :1], (2, 3, 4))
xp.concat([a, a], axis=1) | xp.concatenate([a, a]) | xp.concat([a, a], axis=None)
xp.stack([a, a], axis=-1) | xp.vstack([m, m]) | xp.hstack([m, m])
xp.hstack([m[0], m[1]])
xp.flip(a) | xp.flip(a, 1) | xp.fliplr(m) | xp.flipud(m) | xp.rot90(m) | xp.rot90(m, 3)
xp.rot90(m, 2) | xp.roll(a, 3) | xp.roll(a, 1, 1) | xp.roll(a, (1, 2), (0, 2))
xp.repeat(a, 2) | xp.repeat(a, 2, axis=1) | xp.tile(m, (2, 3)) | xp.tile(m, (2, 1, 1))
xp.tile(a, (2,)) | xp.unstack(a, axis=1) | xp.atleast_2d(m[0]) | xp.atleast_3d(m)
xp.broadcast_arrays(m, m[:1])
xp.take(a, i[0], axis=1) | xp.take(a, i) | xp.take_along_axis(a, xp.argsort(a), axis=-1)
xp.where(b, a, 0 * a) | xp.where(b) | xp.sort(-a, axis=-1)
xp.sort(-a, axis=0) | xp.argsort(-a)
xp.searchsorted(i[0], i) | xp.sort(xp.unique_values(i), axis=-1) | xp.unique_counts(i)
xp.unique_all(i)
xp.unique_inverse(i) | xp.argwhere(b)
xp.abs(a) | xp.floor(a) | xp.ceil(a) | xp.trunc(a) | xp.round(a) | xp.floor(i)
xp.round(a, 1)
xp.divide(a, 2) | xp.multiply(a, a) | xp.subtract(a, 1) | xp.negative(a)
xp.power(a, 2)
xp.remainder(a, 2) | xp.floor_divide(a, 2) | xp.arctan2(a, a + 9) | xp.arcsin(a / 20)
xp.signbit(a) | xp.positive(a) | xp.bitwise_invert(i) | xp.bitwise_left_shift(i, 2)
xp.bitwise_right_shift(i, 1) | xp.clip(a, -1, 2) | xp.clip(i, 1, None)
xp.clip(a, None, m[0, 0])
xp.isclose(a, a + 1e-7) | xp.nan_to_num(a / 0) | xp.logaddexp(a, a) | xp.hypot(a, a)
xp.diag(m) | xp.diag(m[0]) | xp.diag(m[0], 1) | xp.tril(a, 1) | xp.triu(m, -1)
xp.trace(m)
xp.einsum("ij,jk->ik", m, m) | xp.tensordot(a, a, axes=([0, 1], [0, 1]))
xp.outer(m[0], m[1])
xp.tensordot(m, m, 1) | xp.vecdot(a, a) | xp.matmul(a, a.swapaxes(1, 2)) | m @ m[0]
m[0] @ m | m[0] @ m[1] | a @ xp.ones((4, 2), dtype=a.dtype)
a @ xp.ones(4, dtype=a.dtype)
xp.ones(3, dtype=a.dtype) @ a | xp.matmul(a[None], a.swapaxes(1, 2)) | divmod(i, 2)
xp.linalg.inv(m) | xp.linalg.det(m) | xp.linalg.cholesky(m) | xp.linalg.solve(m, m[0])
xp.linalg.solve(m, m) | xp.linalg.slogdet(m) | xp.linalg.pinv(m) | xp.linalg.eigvalsh(m)
xp.linalg.matrix_power(m, 3) | xp.linalg.norm(m) | xp.linalg.norm(a, axis=1)
xp.linalg.norm(m, 1) | xp.linalg.norm(m, xp.inf) | xp.linalg.norm(m, "nuc")
xp.linalg.svdvals(a) | xp.linalg.matrix_rank(m) | xp.linalg.vector_norm(a, ord=1)
xp.linalg.matrix_norm(a) | xp.linalg.multi_dot([m, m, m]) | xp.matmul(*xp.linalg.qr(a))
xp.arange(5) | xp.arange(2, 10, 3) | xp.arange(0.0, 1.0, 0.25) | xp.linspace(0, 1, 5)
xp.linspace(0, 1, 4, endpoint=False) | xp.eye(3) | xp.eye(2, 3, k=1) | xp.zeros((2, 0))
xp.full((2,), 7) | xp.meshgrid(i[0], i[1], indexing="xy")
xp.meshgrid(i[0], i[1], indexing="ij")
a.sum(axis=1) | a.mean() | a.max(axis=0) | a.argmax() | a.reshape(-1, 4)
a.swapaxes(0, 1)
a.astype("int32") | a.clip(0, 1) | a.round() | a.flatten() | a.repeat(2, axis=0)
abs(a) | -a | +a | 2**a | a // 2 | a % 2 | i / 2 | i & 1 | b | ~b | b ^ b | i << 1
"""
EXPRESSIONS = [e.strip() for line in SAME.splitlines() for e in line.split(" | ")
               if e.strip()]  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_as_numpy(text):
    i = np.array([[0, 1, 2], [2, 2, 1]])
    b = A > 1

    def value(xp, make):
        names = {"xp": xp, "a": make(A), "m": make(M), "i": make(i), "b": make(b)}
        with np.errstate(all="ignore"):
            return eval(text, names)

    same(value(sl, sl.tensor), value(np, lambda x: x))


def test_types_of_results():
    small = sl.tensor([100, 100], "int8")
    assert small.sum().dtype == sl.int64 and small.sum().item() == 200
    assert (small / 2).dtype == sl.float32
    assert sl.tensor([True]).sum().dtype == sl.int64
    assert sl.sum(small, dtype="float64").dtype == sl.float64
    assert sl.arange(3, dtype="float16").dtype == sl.float16
    # Integers go in whole steps, as PyTorch's: this one would be 0.
    with pytest.raises(ValueError):
        sl.arange(0, 1, 0.5, dtype="int32")
    assert sl.tensor([1.5]).to(sl.int32).dtype == sl.int32
    assert sl.result_type(sl.int32, 1.5) == sl.float32
    assert sl.result_type(sl.tensor([1]), sl.float16) == sl.float16
    assert sl.result_type(sl.uint8, sl.int8) == sl.int16
    assert sl.can_cast(sl.int32, sl.float32) and not sl.can_cast(sl.float32, sl.int32)
    assert sl.isdtype(sl.float32, "real floating")
    assert sl.isdtype(sl.int8, ("bool", "integral"))
    assert sl.finfo(sl.float32).eps == np.finfo("float32").eps
    assert sl.finfo(sl.float16).max == 65504 and sl.iinfo(sl.int8).min == -128
    assert sl.iinfo("uint64").max == 2**64 - 1
    with pytest.raises(ValueError, match="wanted a type or one of"):
        sl.isdtype(sl.int8, "whole")
    with pytest.raises(TypeError, match="no floating point"):
        sl.finfo(sl.int8)


def test_pairs_as_pytorch():
    x = sl.tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
    pair = x.max(1)
    assert pair.values.tolist() == [3, 5] and pair.indices.tolist() == [0, 1]
    pair.values.sum().backward()
    assert x.grad.tolist() == [[1, 0], [0, 1]]
    values, indices = x.min(dim=0, keepdim=True)
    assert values.tolist() == [[2, 1]] and indices.tolist() == [[1, 0]]
    assert x.max().item() == 5 and x.max(axis=1).tolist() == [3, 5]
    assert x.max(sl.zeros(2, 2) + 2.5).tolist() == [[3, 2.5], [2.5, 5]]
    assert sl.max(x, dim=1).indices.tolist() == [0, 1]
    values, indices = x.sort(dim=1, descending=True)
    assert values.tolist() == [[3, 1], [5, 2]] and indices.tolist() == [[0, 1], [1, 0]]
    assert sl.sort(x, dim=0).values.tolist() == [[2, 1], [3, 5]]
    assert x.topk(1).values.tolist() == [[3], [5]]
    assert x.median(dim=1).values.tolist() == [1, 2] and x.median().item() == 2


def test_methods_of_pytorch():
    x = sl.arange(6).float().reshape(2, 3)
    assert x.size(0) == 2 and x.size() == (2, 3) and x.size == 6
    assert x.view(3, 2).shape == (3, 2) and x.view(-1).shape == (6,)
    assert x.unsqueeze(1).shape == (2, 1, 3)
    assert x.permute(1, 0).shape == (3, 2) and x.transpose(0, 1).shape == (3, 2)
    assert x.expand(4, -1, -1).shape == (4, 2, 3) and x[:1].expand(5, 3).shape == (5, 3)
    assert x.repeat(2, 2).shape == (4, 6) and x.tile((2, 1)).shape == (4, 3)
    assert [p.shape for p in x.split(2, dim=1)] == [(2, 2), (2, 1)]
    assert [p.shape for p in x.split([1, 2], 1)] == [(2, 1), (2, 2)]
    assert [p.shape for p in x.chunk(2, 1)] == [(2, 2), (2, 1)]
    assert [p.tolist() for p in x.unbind(1)] == [[0, 3], [1, 4], [2, 5]]
    assert x.flatten(0, 1).shape == (6,) and x.unflatten(1, (3, 1)).shape == (2, 3, 1)
    assert x.gather(1, sl.tensor([[0], [2]])).tolist() == [[0], [5]]
    assert sl.gather(x, sl.tensor([1, 1]), axis=1).tolist() == [[1, 1], [4, 4]]
    assert x.scatter(1, sl.tensor([[0], [2]]), 9.0).tolist() == [[9, 1, 2], [3, 4, 9]]
    added = x.scatter_add(1, sl.tensor([[0], [0]]), sl.ones(2, 1))
    assert added.tolist() == [[1, 1, 2], [4, 4, 5]]
    assert x.index_select(1, sl.tensor([2])).tolist() == [[2], [5]]
    assert x.index_add(0, sl.tensor([1]), sl.ones(1, 3)).tolist()[1] == [4, 5, 6]
    assert x.index_fill(1, sl.tensor([0]), 7).tolist() == [[7, 1, 2], [7, 4, 5]]
    assert x.masked_fill(x > 3, -1).tolist() == [[0, 1, 2], [3, -1, -1]]
    assert x.masked_select(x > 3).tolist() == [4, 5]
    assert x.where(x > 3, 0).tolist() == [[0, 0, 0], [0, 4, 5]]
    assert x.nonzero().shape == (5, 2) and len(x.nonzero(as_tuple=True)) == 2
    assert x.clamp(min=1).clamp(max=4).tolist() == [[1, 1, 2], [3, 4, 4]]
    assert x.std().item() == pytest.approx(np.std(np.arange(6), ddof=1))
    assert x.norm().item() == pytest.approx(np.sqrt(55))
    assert x.long().dtype == sl.int64 and x.half().dtype == sl.float16
    assert x.to("cpu") is x and x.to(sl.float64).dtype == sl.float64
    assert x.type() == sl.float32 and x.type_as(sl.tensor(1)).dtype == sl.int64
    assert x.new_zeros(2).dtype == sl.float32 and x.new_tensor([1]).dtype == sl.float32
    assert x.softmax(-1).sum(-1).tolist() == pytest.approx([1, 1])
    assert x.T.contiguous().is_contiguous() and not x.T.is_contiguous()
    assert x.unique().tolist() == [0, 1, 2, 3, 4, 5]
    assert (x.numpy() * 0 == 0).all()


def test_methods_in_place():
    x = sl.tensor([-1.0, 4.0])
    y = x
    assert x.abs_() is x and x.sqrt_() is x and y.tolist() == [1, 2]
    x.clamp_(max=1.5).exp_().log_().neg_().relu_()
    assert y.tolist() == [0, 0]
    x.masked_fill_(sl.tensor([True, False]), 3).pow_(2)
    assert y.tolist() == [9, 0]
    sl.manual_seed(0)
    assert ((x.uniform_(2, 3) >= 2) & (x < 3)).all() and y.tolist() == x.tolist()
    x.normal_(100, 0.1)
    assert (x > 90).all()
    w = sl.ones(2, requires_grad=True)
    z = w * 2
    z.sigmoid_()
    z.sum().backward()
    s = 1 / (1 + np.exp(-2))
    np.testing.assert_allclose(w.grad.numpy(), [2 * s * (1 - s)] * 2, rtol=1e-5)


def test_either_name_of_an_argument():
    x = sl.ones(2, 3)
    assert sl.sum(x, dim=1, keepdim=True).shape == (2, 1)
    assert sl.concat([x, x], dim=1).shape == (2, 6)
    assert sl.stack([x, x], dim=2).shape == (2, 3, 2)
    assert x.sum(axis=0).shape == x.sum(dim=0).shape == (3,)
    assert sl.softmax(x, dim=0).tolist() == sl.softmax(x, axis=0).tolist()
    with pytest.raises(TypeError, match="only one|twice"):
        sl.sum(x, axis=1, dim=1)


def test_random():
    sl.manual_seed(3)
    a = sl.randn(4), sl.rand(2, 2), sl.randint(0, 10, (5,)), sl.randperm(6)
    state = sl.random.get_rng_state()
    b = sl.rand(3).tolist()
    sl.random.set_rng_state(state)
    assert sl.rand(3).tolist() == b
    sl.manual_seed(3)
    again = sl.randn(4), sl.rand(2, 2), sl.randint(0, 10, (5,)), sl.randperm(6)
    assert [x.tolist() for x in a] == [x.tolist() for x in again]
    assert sorted(a[3].tolist()) == list(range(6))
    assert sl.randint(10, (3,)).dtype == sl.int64
    assert sl.normal(sl.zeros(3), 1.0).shape == (3,)
    assert sl.uniform(5, 6, (2,)).min().item() >= 5
    assert sl.bernoulli(sl.ones(3)).tolist() == [1, 1, 1]
    assert sl.multinomial(sl.tensor([0.0, 1.0]), 2, replacement=True).tolist() == [1, 1]
    assert sl.randn_like(sl.zeros(2, dtype="float64")).dtype == sl.float64


def test_strings():
    x = sl.tensor(["a", "b"])
    assert (x == "a").tolist() == [True, False]
    assert (x != ["a", "c"]).tolist() == [False, True]
    assert x[1].item() == b"b" and x.numpy().tolist() == [b"a", b"b"]


def test_constants():
    assert sl.pi == np.pi and sl.e == np.e and sl.inf == np.inf and sl.nan != sl.nan
    assert sl.ones(2)[sl.newaxis].shape == (1, 2)
    assert sl.array_equal(sl.ones(2), [1, 1]) and not sl.array_equal(sl.ones(2), [1])
    assert sl.allclose([1.0], [1.0 + 1e-7]) and sl.equal([1], [1]).tolist() == [True]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: sl.tensor([[1, 2], [3]]), ValueError, "has 1 elements; wanted 2"),
        (lambda: sl.tensor([[1], 2]), ValueError, "wanted a list"),
        (lambda: sl.tensor(object()), TypeError, "is a object"),
        (lambda: sl.tensor(None), TypeError, "NoneType"),
        (lambda: sl.tensor({"a": 1}), TypeError, "dict"),
        (lambda: sl.tensor(10**30), ValueError, "64 bits"),
        (lambda: sl.tensor([10**30]), ValueError, "64 bits"),
        (lambda: sl.tensor([-(2**63) - 1]), ValueError, "64 bits"),
        (lambda: sl.tensor(300, dtype="uint8"), ValueError, "too large for uint8"),
        (lambda: sl.tensor([-1], dtype="uint64"), ValueError, "too large"),
        (lambda: sl.tensor([float("inf")], dtype="int8"), ValueError, "which is no"),
        (lambda: sl.tensor(1, dtype="int128"), TypeError, "int128"),
        (lambda: sl.tensor([[[[[[[[[1]]]]]]]]]), ValueError, "nested more than 8"),
        (lambda: sl.zeros([1] * 9), ValueError, "at most 8"),
        (lambda: sl.zeros(-1), ValueError, "-1"),
        (lambda: sl.zeros(2**40, 2**40), (ValueError, MemoryError), ""),
        (lambda: sl.zeros("3"), TypeError, "str|int"),
        (lambda: sl.zeros(1.5), TypeError, "float"),
        (lambda: sl.arange(1, 5, 0), ValueError, ""),
        (lambda: sl.ones(2).nothing, AttributeError, "nothing"),
        (lambda: sl.nothing, AttributeError, "nothing"),
        (lambda: sl.ones(2) + object(), TypeError, "unsupported operand"),
        (lambda: sl.ones(2) + "a", TypeError, "unsupported operand"),
        (lambda: sl.ones(2) @ 3, ValueError, "at least one axis"),
        (lambda: sl.ones(2, 3) + sl.ones(4), ValueError, "f32"),
        (lambda: sl.ones(2).to("cuda"), ValueError, "cuda"),
        (lambda: sl.ones(2, device="cuda:0"), ValueError, "cuda"),
        (lambda: sl.ones(2).reshape(3), ValueError, "3"),
        (lambda: sl.ones(2).sum(axis=5), (ValueError, IndexError), "5"),
        (lambda: sl.concat([]), (ValueError, TypeError), ""),
        (lambda: sl.tensor([1, "a"]), TypeError, "strings and numbers"),
        (lambda: sl.randint(5, 5, (2,)), ValueError, ""),
        (lambda: sl.split(sl.ones(3), 0), ValueError, "split_size"),
        (lambda: sl.sum(sl.ones(2), axes=0, axis=0), TypeError, ""),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text or None):
        call()


def test_lists_of_tensors_promote():
    x = sl.tensor([sl.tensor(1), sl.tensor(2.5)])
    assert x.dtype == sl.float32 and x.tolist() == [1, 2.5]
    assert sl.tensor([np.int8(1), np.array(0.5)]).dtype == sl.float64
    mixed = sl.tensor([[sl.tensor(1.0), 2], [3, sl.tensor(4)]])
    assert mixed.tolist() == [[1, 2], [3, 4]]
    assert sl.tensor([2**63]).dtype == sl.uint64
    assert sl.tensor(2**64 - 1).item() == 2**64 - 1


def test_names():
    """Functions that make a node take name=, as ops do."""
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, (2, 2), name="x")
        assert sl.matmul(x, x, name="y").name == "y"
        assert sl.sum(x, axis=0, name="s").name == "s"
        assert sl.concat([x, x], name="both").name == "both"
        assert sl.where(x > 0, x, 0, name="w").name == "w"
        assert sl.matmul(x[None], x, name="stack").name == "stack"
    assert g is not None
    assert sl.mean(sl.ones(2), name="m").name == "m"
    assert sl.cumsum(sl.tensor([1]), name="c").name == "c"
    with pytest.raises(TypeError, match="name is a int"):
        sl.where(sl.ones(2), 1, 2, name=3)


def test_narrow_and_select_are_views():
    x = sl.arange(12.0).reshape(3, 4)
    part = x.narrow(1, -3, 2)
    assert part.tolist() == [[1.0, 2.0], [5.0, 6.0], [9.0, 10.0]]
    assert x.select(0, -1).tolist() == [8.0, 9.0, 10.0, 11.0]
    assert x.select(-1, 2).shape == (3,)
    part.fill_(0.0)
    x.select(0, 2).add_(1.0)
    assert x.tolist() == [[0.0, 0.0, 0.0, 3.0], [4.0, 0.0, 0.0, 7.0],
                          [9.0, 1.0, 1.0, 12.0]]
    assert x.narrow(0, 3, 0).shape == (0, 4)
    w = sl.ones(3, 4).requires_grad_()
    (w.narrow(0, 1, 2) * w.select(0, 0)).sum().backward()
    assert w.grad.tolist() == [[2.0] * 4, [1.0] * 4, [1.0] * 4]
    assert sl.function(lambda t: t.narrow(0, 1, t.shape[0] - 1).select(1, 0))(
        x).tolist() == [4.0, 9.0]
    for wrong in ((0, 2, 2), (0, 0, 4), (0, 0, -1)):
        with pytest.raises(ValueError, match="length"):
            x.narrow(*wrong)
    for wrong in ((0, 4, 1), (0, -4, 1)):
        with pytest.raises(IndexError, match="start"):
            x.narrow(*wrong)
    with pytest.raises(IndexError):
        x.select(0, 3)
