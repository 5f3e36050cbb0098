"""cond, while_loop, scan and their kin: at once, in functions, and with gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sluice as sl


def both_ways(f, *args):
    """f at once and as a captured function; both give the same."""
    now = f(*args)
    later = sl.function(f, autoconvert=False)(*args)
    a, form = sl.tree.flatten(now)
    b, other = sl.tree.flatten(later)
    assert form == other
    for x, y in zip(a, b):
        if isinstance(x, sl.Tensor):
            assert x.dtype is y.dtype
            assert x.tolist() == y.tolist()
        else:
            assert x == y
    return now


# ---- cond and switch ----


def test_only_the_branch_taken_runs_and_has_a_gradient():
    for start, value, slope in [(4.0, 2.0, 0.25), (-4.0, -4.0, 1.0)]:
        x = sl.tensor(start, requires_grad=True)

        def root(x):
            return sl.cond(x > 0, lambda: sl.sqrt(x), lambda: x)

        for f in (root, sl.function(root)):
            y = f(x)
            assert y.item() == value
            y.backward()
            assert x.grad.item() == slope
            x.grad = None


def test_branches_take_operands_and_return_trees():
    def f(p, a, b):
        return sl.cond(
            p,
            lambda a, b: {"sum": a + b, "pair": (a, None)},
            lambda a, b: {"sum": a - b, "pair": (b, None)},
            a,
            b,
        )

    a, b = sl.tensor([1.0, 2.0]), sl.tensor([3.0, 5.0])
    for p in (True, False):
        made = both_ways(f, sl.tensor(p), a, b)
        assert made["pair"][1] is None
        assert made["sum"].tolist() == ([4.0, 7.0] if p else [-2.0, -3.0])


def test_an_identity_branch_and_a_constant_and_other_sizes():
    x = sl.tensor([1.0, 2.0, 3.0])
    both_ways(lambda p, x: sl.cond(p, lambda: x, lambda: x), sl.tensor(True), x)
    assert both_ways(
        lambda p, x: sl.cond(p, lambda: x[:1], lambda: x), sl.tensor(True), x
    ).tolist() == [1.0]
    assert both_ways(
        lambda p: sl.cond(p, lambda: None, lambda: None), sl.tensor(True)
    ) is None


def test_numbers_in_branches_take_the_type_of_the_other_branch():
    @sl.function
    def f(x):
        return sl.cond(x > 0, lambda: 0, lambda: x), sl.cond(
            x > 0, lambda: x, lambda: 1
        )

    for value in (2.0, -2.0):
        first, second = f(sl.tensor(value))
        assert first.dtype is sl.float32 and second.dtype is sl.float32
        assert (first.item(), second.item()) == (
            (0.0, 2.0) if value > 0 else (-2.0, 1.0)
        )


def test_a_predicate_may_be_a_number_or_have_one_element():
    assert sl.cond(sl.tensor([2]), lambda: 1, lambda: 0).item() == 1
    assert sl.cond(True, lambda: "python", lambda: 0) == "python"
    with pytest.raises(ValueError, match="wanted a scalar of bool"):
        sl.function(lambda p: sl.cond(p, lambda: 1, lambda: 0))(
            sl.tensor([True, False])
        )


def test_branches_that_differ_are_refused():
    def f(p):
        return sl.cond(p, lambda: (sl.ones(2), 1), lambda: sl.ones(2))

    text = r"returns \(tensor, tensor\).*equal structures"
    with pytest.raises(ValueError, match=text):
        sl.function(f)(sl.tensor(True))
    with pytest.raises(ValueError, match="None"):
        sl.function(lambda p: sl.cond(p, lambda: None, lambda: p))(sl.tensor(True))
    with pytest.raises(TypeError, match="true_fn is a int"):
        sl.cond(sl.tensor(True), 1, lambda: 0)
    with pytest.raises(TypeError, match="wanted a Tensor"):
        sl.cond(sl.tensor(True), lambda: object(), lambda: 0)


def test_switch_takes_one_of_several():
    def f(i, x):
        return sl.switch(
            i, [lambda x: x, lambda x: x * 2, lambda x: x * 3], x, default=lambda x: -x
        )

    x = sl.tensor(5.0)
    assert [both_ways(f, sl.tensor(i), x).item() for i in range(4)] == [5, 10, 15, -5]
    with pytest.raises(IndexError):
        sl.switch(3, [lambda: 1])
    with pytest.raises(ValueError, match="no branches"):
        sl.switch(0, [])


def test_an_exception_in_a_branch_passes_as_it_is():
    class Mine(Exception):
        pass

    def fail():
        raise Mine("here")

    for f in (
        lambda p: sl.cond(p, fail, lambda: p),
        sl.function(lambda p: sl.cond(p, fail, lambda: p)),
    ):
        with pytest.raises(Mine, match="here"):
            f(sl.tensor(True))


# ---- while_loop ----


def newton(a):
    return sl.while_loop(
        lambda i, z: abs(z * z - a) > 1e-5,
        lambda i, z: (i + 1, 0.5 * (z + a / z)),
        0,
        a,
    )


def test_newton_with_slopes_of_two_orders():
    a = sl.tensor(3.0, requires_grad=True)
    for run in (newton, sl.function(newton)):
        steps, root = run(a)
        assert steps.dtype is sl.int64 and steps.item() > 2
        assert root.item() == pytest.approx(math.sqrt(3), abs=1e-5)
        root.backward()
        assert a.grad.item() == pytest.approx(0.5 / math.sqrt(3), abs=1e-4)
        a.grad = None


def collatz(n):
    return sl.while_loop(
        lambda n, steps: n != 1,
        lambda n, steps: (
            sl.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1),
            steps + 1,
        ),
        n,
        0,
    )[1]


def test_loops_with_branches_inside():
    assert both_ways(collatz, sl.tensor(27)).item() == 111
    assert both_ways(collatz, sl.tensor(1)).item() == 0


def test_one_value_a_tuple_a_dict_and_spread_arguments():
    one = both_ways(
        lambda x: sl.while_loop(lambda v: v < 10, lambda v: v * 2, x), sl.tensor(1)
    )
    assert one.item() == 16
    carried = both_ways(
        lambda x: sl.while_loop(
            lambda s: s["i"] < 3,
            lambda s: {"i": s["i"] + 1, "x": s["x"] * 2},
            {"i": 0, "x": x},
        ),
        sl.tensor(1.0),
    )
    assert carried["x"].item() == 8
    as_one = sl.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1]), (0, 5.0))
    assert isinstance(as_one, tuple) and as_one[0].item() == 3
    spread = sl.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (0, 5.0))
    assert spread[0].item() == 3 and spread[1].item() == 5


def test_numbers_take_the_type_the_body_gives_them():
    def total(xs):
        return sl.while_loop(
            lambda i, s: i < 2, lambda i, s: (i + 1, s + sl.gather(xs, i)), 0, 0
        )[1]

    assert both_ways(total, sl.tensor([1.5, 2.5])).item() == 4.0
    assert both_ways(total, sl.tensor([1, 2])).dtype is sl.int64


def test_zero_iterations_and_growing_values():
    def grow(n):
        return sl.for_loop(
            n, lambda i, x: sl.concat([x, sl.reshape(i, [1])], axis=0), sl.tensor([7])
        )

    assert both_ways(grow, sl.tensor(0)).tolist() == [7]
    assert both_ways(grow, sl.tensor(3)).tolist() == [7, 0, 1, 2]


def test_maximum_and_parallel_iterations():
    def f(x, parallel):
        return sl.while_loop(
            lambda x: True,
            lambda x: sl.sin(x) + x * 0.5,
            x,
            maximum_iterations=20,
            parallel_iterations=parallel,
        )

    x = sl.tensor(np.linspace(-1, 1, 7, dtype=np.float32))
    first = both_ways(lambda x: f(x, 1), x).tolist()
    assert both_ways(lambda x: f(x, 32), x).tolist() == first
    with pytest.raises(ValueError, match="parallel_iterations is 0"):
        f(x, 0)


def test_fori_loop_counts_from_and_to():
    assert both_ways(
        lambda n: sl.fori_loop(2, n, lambda i, s: s + i, 0), sl.tensor(5)
    ).item() == 9
    pair = sl.fori_loop(0, 3, lambda i, s: (s[0] + i, s[1] * 2), (0, 1.0))
    assert pair[1].item() == 8


def test_what_a_body_may_not_do_is_refused():
    def bad(x):
        return sl.while_loop(lambda i, x: i < 3, lambda i, x: i + 1, 0, x)

    for f in (bad, sl.function(bad)):
        with pytest.raises(ValueError, match="body returns tensor; wanted"):
            f(sl.tensor(1.0))
    with pytest.raises(ValueError, match="wanted the type to stay"):
        sl.while_loop(lambda x: x < 3, lambda x: x * 1.5, sl.tensor(1))
    with pytest.raises(ValueError, match="wanted a scalar of bool"):
        sl.while_loop(lambda x: x, lambda x: x, sl.tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="for_loop: the body gives 3 values"):
        sl.for_loop(2, lambda i, a, b: (a, b, a), 1, 2)
    with pytest.raises(TypeError, match="save is a int"):
        sl.while_loop(lambda x: x < 3, lambda x: x + 1, 0, save=3)
    with pytest.raises(ValueError):
        sl.while_loop(lambda x: x < 3, lambda x: x + 1, 0, save="nowhere")


def test_an_exception_in_a_body_passes_as_it_is():
    def f(x):
        return sl.while_loop(lambda x: x < 3, lambda x: {}["missing"], x)

    for run in (f, sl.function(f)):
        with pytest.raises(KeyError, match="missing"):
            run(sl.tensor(1))


def test_what_is_saved_changes_no_gradient():
    def f(x, save):
        def body(i, v):
            return i + 1, sl.sin(v) * x

        return sl.while_loop(lambda i, v: i < 12, body, 0, x, save=save)[1].sum()

    found = {}
    for save in ("device", "host", "recompute", sl.budget("1MiB")):
        x = sl.tensor([0.5, 1.5], requires_grad=True)
        sl.function(lambda x, save: f(x, save))(x, save).backward()
        found[repr(save)] = x.grad.tolist()
    x = sl.tensor([0.5, 1.5], requires_grad=True)
    f(x, "recompute").backward()
    found["at once"] = x.grad.tolist()
    first = found["'device'"]
    for grads in found.values():
        assert grads == pytest.approx(first, rel=1e-5)


def test_budgets_are_sizes():
    assert sl.budget("256MiB").bytes == 256 << 20
    assert sl.budget(1000).bytes == 1000
    for wrong in ("many", -1, "12 parsecs"):
        with pytest.raises(ValueError):
            sl.budget(wrong)
    with pytest.raises(TypeError):
        sl.budget(None)


# ---- Sequences ----


def test_map_fn_stacks_what_it_gives():
    xs = sl.tensor([1.0, 2.0, 3.0])
    squares = both_ways(lambda xs: sl.map_fn(lambda x: x * x, xs), xs)
    assert squares.tolist() == [1, 4, 9]
    pair = both_ways(
        lambda a, b: sl.map_fn(lambda t: {"s": t[0] + t[1], "d": t[0] - t[1]}, (a, b)),
        xs,
        xs * 10,
    )
    assert pair["d"].tolist() == [-9, -18, -27]
    assert sl.map_fn(lambda x: x + 1, [1, 2]).tolist() == [2, 3]


def test_scan_keeps_what_comes_first_and_carries_what_comes_second():
    xs = sl.tensor([1.0, 2.0, 3.0])

    def f(xs):
        return sl.scan(lambda s, x: (s * x, s + x), 0.0, xs)

    kept, last = both_ways(f, xs)
    assert kept.tolist() == [0.0, 2.0, 9.0] and last.item() == 6
    states = both_ways(lambda xs: sl.scan(lambda s, x: s + x, 0, xs), xs)
    assert states.tolist() == [1, 3, 6]
    back = both_ways(lambda xs: sl.scan(lambda s, x: s + x, 0.0, xs, reverse=True), xs)
    assert back.tolist() == [6, 5, 3]
    nothing = both_ways(f, sl.zeros(0))
    assert nothing[0].shape == (0,) and nothing[1].item() == 0
    assert sl.scan(lambda s, _: (s, s * 2), 1, length=4)[0].tolist() == [1, 2, 4, 8]


def test_scan_with_trees_and_chained():
    w = sl.tensor(0.5, requires_grad=True)
    xs = sl.tensor(np.arange(6, dtype=np.float32).reshape(3, 2))

    def cell(state, x):
        h, c = state
        c = c * w + x
        h = sl.tanh(c + h)
        return h, (h, c)

    def loss(xs):
        hs, _ = sl.scan(cell, (sl.zeros(2), sl.zeros(2)), xs)
        again, (h, _) = sl.scan(cell, (sl.zeros(2), sl.zeros(2)), hs)
        return again.sum() + h.sum()

    def unrolled(xs):
        h, c = sl.zeros(2), sl.zeros(2)
        hs = []
        for k in range(3):
            y, (h, c) = cell((h, c), xs[k])
            hs.append(y)
        h, c = sl.zeros(2), sl.zeros(2)
        total = 0.0
        for y in hs:
            out, (h, c) = cell((h, c), y)
            total = total + out.sum()
        return total + h.sum()

    found = []
    for run in (loss, sl.function(loss), unrolled):
        w.grad = None
        run(xs).backward()
        found.append(w.grad.item())
    assert found[0] == pytest.approx(found[2], rel=1e-5)
    assert found[1] == pytest.approx(found[2], rel=1e-5)


def test_a_scan_that_gives_the_wrong_thing_says_so():
    xs = sl.tensor([1.0])
    with pytest.raises(ValueError, match="kept comes first"):
        sl.scan(lambda s, x: ((s[0], s[1]), x), (0.0, 0.0), xs)
    with pytest.raises(ValueError, match="a pair of what is to be kept"):
        sl.scan(lambda s, x: (s, s, s), 0.0, xs)
    with pytest.raises(ValueError, match="equal lengths"):
        sl.scan(lambda s, x: (s, s), 0.0, (sl.zeros(2), sl.zeros(3)))
    with pytest.raises(TypeError, match="neither xs nor length"):
        sl.scan(lambda s, x: (s, s), 0.0)


def test_folds():
    xs = sl.tensor([1.0, 2.0, 3.0])
    minus = lambda a, x: a - x  # noqa: E731
    assert both_ways(lambda xs: sl.foldl(minus, xs), xs).item() == -4
    assert both_ways(lambda xs: sl.foldr(minus, xs), xs).item() == 0
    assert both_ways(lambda xs: sl.foldl(minus, xs, 10.0), xs).item() == 4
    with pytest.raises(ValueError, match="empty"):
        sl.foldl(minus, sl.zeros(0))


def test_a_budget_bounds_a_scan_in_a_function():
    xs = sl.tensor(np.linspace(0, 1, 50, dtype=np.float32))
    w = sl.tensor(1.5, requires_grad=True)

    def loss(xs, save):
        hs, state = sl.scan(lambda s, x: (s, sl.sin(s * w + x)), 0.0, xs, save=save)
        return hs.sum() + state

    sl.function(lambda xs: loss(xs, "device"))(xs).backward()
    free = w.grad.item()
    w.grad = None
    sl.function(lambda xs: loss(xs, sl.budget("256MiB")))(xs).backward()
    assert w.grad.item() == pytest.approx(free, rel=1e-5)


def test_an_exception_says_in_which_iteration_it_was():
    def body(i, x):
        if i.item() == 2:
            raise ValueError("mine")
        return i + 1, x

    with pytest.raises(ValueError, match="mine") as caught:
        sl.while_loop(lambda i, x: i < 5, body, 0, 1.0)
    with pytest.raises(IndexError) as mapped:
        sl.map_fn(lambda x: [1][x.item()], [0, 0, 1])
    if hasattr(caught.value, "__notes__"):
        assert "iteration 2 of the loop at test_control_flow.py:" in (
            caught.value.__notes__[-1]
        )
        assert "iteration 2 of the loop" in mapped.value.__notes__[-1]


def test_code_that_gives_other_things_each_time_is_refused():
    for run in (lambda f: f(), lambda f: sl.function(f, autoconvert=False)()):
        count = iter(range(100))

        def more(x):
            return (x,) * (1 + next(count))

        refusal = "wanted as many each time|iterator made outside"
        with pytest.raises((ValueError, TypeError), match=refusal):
            run(lambda: sl.map_fn(more, sl.ones(3)))
    # Names that read like two are one.
    with pytest.raises(ValueError, match="equal structures"):
        sl.function(
            lambda p: sl.cond(
                p, lambda: {"a: tensor, b": 1}, lambda: {"a": 1, "b": 2}
            )
        )(sl.tensor(True))
