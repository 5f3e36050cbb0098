"""Loops that stay on the GPU: several rounds at a time, masked behind the last."""

import sluice as sl
from both import raises
from check_recordings import plan_of


def at_places(program, *args, runs=3):
    """Results of the last of a few runs whose operands and results lie in the
    same places: it is a recording."""
    for _ in range(runs - 1):
        program(*args)
    return program(*args)


def equal(host, there):
    """Bit for bit, wherever a number lies."""
    assert [t.tolist() for t in host] == [t.tolist() for t in there], (host, there)


def test_any_number_of_iterations():
    @sl.function
    def run(h, w, count):
        i = sl.zeros_like(count)
        while i < count:
            h = (h @ w).tanh()
            i = i + 1
        return h, i

    h, w = sl.randn(3, 4), sl.randn(4, 4)
    there = h.cuda(), w.cuda()
    for n in [0, 1, 2, 15, 16, 17, 32, 40]:
        count = sl.tensor(n)
        here = run(h, w, count)
        got = at_places(run, *there, count.cuda())
        assert float((here[0] - got[0].cpu()).abs().max()) < 1e-5
        equal(here[1:], got[1:])
    plan = plan_of(run, *there, sl.tensor(3).cuda())
    assert "stays on the device, 16 rounds at a time" in plan, plan
    assert "; 0 recordings" not in plan, plan


def test_carried_values_that_are_products():
    # A library's call writes beside the slot; the move behind it is masked.
    @sl.function
    def run(h, w, limit):
        while h.abs().sum() < limit:
            h = h @ w
        return h

    h, w = sl.ones(2, 2), sl.eye(2) * 1.5
    for limit in [0.0, 5.0, 7.0, 1000.0, 1e6]:
        limit = sl.tensor(limit)
        there = at_places(run, h.cuda(), w.cuda(), limit.cuda())
        assert run(h, w, limit).tolist() == there.tolist()


def test_carried_values_that_take_turns():
    @sl.function
    def run(a, b, c, limit):
        while (a + b).sum() < limit:
            a, b, c = b, c, a + 1
        return a, b, c

    parts = [sl.arange(3.0) * k for k in (1, 10, 100)]
    there = [p.cuda() for p in parts]
    for limit in [0.0, 40.0, 340.0, 345.0, 350.0, 390.0]:
        equal(run(*parts, limit), at_places(run, *there, limit))
    plan = plan_of(run, *there, 1.0)
    assert "stays on the device" in plan, plan


def test_rounds_behind_the_last_find_nothing_wrong():
    @sl.function
    def total(table, i, count):
        x = sl.zeros_like(table[:1])
        while i.sum() < count:
            x = x + sl.nn.functional.embedding(i, table)
            i = i + 1
        return x

    table, first = sl.arange(10.0).reshape(5, 2), sl.tensor([0])
    there = table.cuda(), first.cuda()
    for n in [0, 3, 5]:
        # The table has no row behind the last that is read.
        count = sl.tensor(n)
        equal([total(table, first, count)], [at_places(total, *there, count.cuda())])
    plan = plan_of(total, *there, count.cuda())
    assert "rounds at a time" in plan and "; 0 recordings" not in plan, plan
    with raises((IndexError, ValueError, RuntimeError), r"is 5; wanted|out of bounds"):
        at_places(total, *there, sl.tensor(6).cuda()).tolist()
    got = at_places(total, *there, count.cuda())
    assert got.tolist() == [[20, 25]]


def test_numbers_of_every_float_type():
    @sl.function
    def run(x, limit):
        while x < limit:
            x = x + x
        return x

    for dtype in [sl.float32, sl.float64, sl.float16, sl.bfloat16]:
        x, limit = sl.tensor(1).to(dtype), sl.tensor(60).to(dtype)
        equal([run(x, limit)], [at_places(run, x.cuda(), limit.cuda())])


def test_an_elementwise_loop_is_one_kernel():
    @sl.function
    def run(x, scale, row, limit):
        n = sl.zeros_like(limit)
        while n < limit:
            x = (x * scale + row).sin()
            n = n + 1.0
        return x, n

    x, row = sl.randn(6, 5), sl.randn(5)
    for n in [0.0, 1.0, 17.0]:
        limit = sl.tensor(n)
        host = run(x, 1.5, row, limit)
        equal(host, at_places(run, x.cuda(), 1.5, row.cuda(), limit.cuda()))
    plan = plan_of(run, x.cuda(), 1.5, row.cuda(), limit.cuda())
    assert "in one kernel\n      loop [6,5]: Less | Mul Add Sin Add" in plan, plan


def test_numbers_that_go_on_until_one_is_small():
    @sl.function
    def euclid(a, b):
        while b > 0.5:
            a, b = b, a % b
        return a

    for a, b in [(1071.0, 462.0), (462.0, 1071.0), (7.0, 0.0), (13.0, 13.0)]:
        a, b = sl.tensor(a), sl.tensor(b)
        equal([euclid(a, b)], [at_places(euclid, a.cuda(), b.cuda())])
    assert "in one kernel" in plan_of(euclid, a.cuda(), b.cuda())


def test_what_a_loop_keeps_may_lie_on_the_host():
    """The same bits, whatever is kept where."""
    w = sl.randn(16, 16) * 0.3

    def run(device, save):
        weight = w.to(device).requires_grad_()

        @sl.function
        def program(x, n):
            def body(i, h):
                return i + 1, (h @ weight).tanh()

            start = (sl.zeros_like(n), x)
            _, h = sl.while_loop(lambda i, h: i < n, body, start, save=save)
            return h.square().sum()

        loss = program(sl.ones(4, 16).to(device), sl.tensor(20).to(device))
        loss.backward()
        return loss.cpu(), weight.grad.cpu()

    kept = run("cuda", "device")
    for save in ("host", sl.budget("2KiB"), "recompute"):
        for one, other in zip(kept, run("cuda", save)):
            assert (one - other).abs().max() < 1e-5 * one.abs().max(), save
