"""Fused attention in halves: the CPU's numbers, and the same bits every time."""

import sluice as sl
from both import same

F = sl.nn.functional


def attend(parts, weight):
    """The result, and the gradient by what queries, keys and values are cut of."""
    parts = parts.detach().requires_grad_()
    q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    (y * weight).sum().backward()
    return y.detach(), parts.grad


def inputs(batch, length, heads, depth, dtype):
    parts = sl.randn(batch, length, 3, heads, depth).to(dtype)
    return parts, sl.randn(batch, heads, length, depth).to(dtype)


def test_views_of_one_product():
    for dtype, tolerance in ((sl.bfloat16, 2e-2), (sl.float16, 4e-3)):
        parts, weight = inputs(2, 150, 3, 64, dtype)
        host = attend(parts.float(), weight.float())
        there = attend(parts.cuda(), weight.cuda())
        for one, other in zip(host, there):
            assert other.dtype == dtype
            same(one, other.float(), tolerance)


def test_captured_is_the_same_bits():
    parts, weight = inputs(2, 150, 3, 64, sl.bfloat16)
    parts, weight = parts.cuda(), weight.cuda()
    once = attend(parts, weight)
    captured = sl.function(attend)
    for _ in range(3):
        for one, other in zip(once, captured(parts, weight)):
            assert (one.cpu() == other.cpu()).all()


def test_floats_from_views():
    parts, weight = inputs(2, 40, 3, 16, sl.float32)
    host = attend(parts, weight)
    captured = sl.function(attend)
    for _ in range(3):
        for one, other in zip(host, captured(parts.cuda(), weight.cuda())):
            same(one, other, 1e-4)


def test_few_queries_and_many_keys():
    q = sl.randn(1, 2, 3, 64).to(sl.bfloat16)
    k, v = (sl.randn(1, 2, 700, 64).to(sl.bfloat16) for _ in range(2))
    host = F.scaled_dot_product_attention(q.float(), k.float(), v.float())
    there = F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda())
    same(host, there.float(), 2e-2)


def test_one_head_of_keys_for_several_of_queries():
    q = sl.randn(2, 8, 40, 64).to(sl.bfloat16)
    k, v = (sl.randn(2, 2, 90, 64).to(sl.bfloat16) for _ in range(2))

    def program(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    host = program(q.float(), k.float(), v.float())
    there = program(q.cuda(), k.cuda(), v.cuda())
    same(host, there.float(), 2e-2)
