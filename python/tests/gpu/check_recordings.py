"""Captured functions on the GPU: fused, recorded, launched again and again."""

import sluice as sl
from both import raises, same


def plan_of(function, *args):
    text = function.explain(*args)
    return text[text.find("plan of graph") :]


def test_a_recording_gives_what_the_launches_gave():
    @sl.function
    def program(x, w, scale):
        y = (x @ w + 1).relu() * scale
        return y, y.sum(0), y.T.reshape(-1) - 0.5

    x, w = sl.randn(6, 4), sl.randn(4, 5)
    there = x.cuda(), w.cuda()
    # Numbers of the host differ from run to run, operands lie elsewhere.
    for i in range(12):
        scale = sl.tensor(1.0 + i)
        same(program(x, w, scale), program(*there, scale))
        if i % 3 == 2:
            there = (x.cuda(), there[1])
    assert "loop [6,5]: Add Relu Mul" in plan_of(program, *there, sl.tensor(1.0))


def test_state_is_written_in_place():
    def run(device):
        p = sl.ones(5).to(device)
        rate = sl.tensor(0.25)

        @sl.function
        def step(x):
            p.sub_(rate * (p - x))
            return p.sum()

        x = sl.arange(5, dtype=sl.float32).to(device)
        sums = [step(x).item() for _ in range(6)]
        return sums, p.tolist()

    assert run("cpu") == run("cuda")


def test_a_training_step_keeps_its_state_and_results_in_place():
    """A recording has addresses in it: what a step reads and writes must lie where
    it lay, or the step is launched piece by piece."""
    net = sl.nn.Sequential(
        *(layer for _ in range(4) for layer in (
            sl.nn.Linear(8, 8, bias=False), sl.nn.BatchNorm1d(8), sl.nn.ReLU()
        ))
    ).cuda()
    for amp in (False, True):
        optimizer = sl.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

        @sl.function
        def step(x):
            optimizer.zero_grad()
            with sl.amp.autocast("cuda", dtype=sl.bfloat16, enabled=amp):
                loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        x = sl.randn(16, 8).cuda()
        for _ in range(12):
            loss = step(x)  # the last one is held while the next is computed
        plan = plan_of(step, x)
        assert "2 recordings, 0 operands copied" in plan, plan
        # Counters that nothing else reads go along.
        assert "on /device:gpu:0: alone" not in plan, plan
        assert loss.item() >= 0


def test_results_that_are_kept_do_not_change():
    @sl.function
    def twice(x):
        return x * 2 + 1, (x * x).sum(0)

    held = []
    for i in range(6):
        x = sl.full((3, 4), float(i)).cuda()
        held.append((x, twice(x)))
    for x, (y, z) in held:
        x = x.cpu()
        same((x * 2 + 1, (x * x).sum(0)), (y, z))


def test_broadcast_operands_are_read_several_at_a_time():
    @sl.function
    def program(x, row, column, plane):
        return (x + row) * column, (x - plane).transpose(0, 1) + row

    for columns in (8, 16, 30, 31):
        x, plane = sl.randn(6, 5, columns), sl.randn(1, 5, columns)
        row, column = sl.randn(columns), sl.randn(6, 5, 1)
        args = x, row, column, plane
        same(program(*args), program(*(a.cuda() for a in args)))
        args = tuple(a.to(sl.bfloat16) for a in args)
        same(program(*args), program(*(a.cuda() for a in args)))


def test_carried_values_that_change_places():
    @sl.function
    def fibonacci(a, b, limit):
        n = sl.tensor(0)
        while (a + b).sum() < limit:
            a, b = b, a + b
            n = n + 1
        return a, b, n

    a, b = sl.ones(3), sl.ones(3)
    host = fibonacci(a, b, 1000.0)
    for _ in range(4):
        there = fibonacci(a.cuda(), b.cuda(), 1000.0)
        same(host[:2], there[:2])
        assert int(host[2]) == int(there[2]) > 3


def test_a_loop_that_never_runs():
    @sl.function
    def never(x, limit):
        while x.sum() < limit:
            x = x + 1
        return x * 2

    x = sl.ones(4)
    for _ in range(3):
        same(never(x, -1.0), never(x.cuda(), -1.0))


def test_the_plan_says_that_a_loop_stays_on_the_device():
    @sl.function
    def grow(x, limit):
        while x.sum() < limit:
            x = x * 2 + 1
        return x

    x = sl.ones(3).cuda()
    assert "stays on the device" in plan_of(grow, x, 10.0)


def test_a_wrong_index_in_a_recording_is_told_with_its_line():
    @sl.function
    def pick(x, i):
        return (x * 2)[i] + 1  # the line

    x = sl.arange(4, dtype=sl.float32).cuda()
    for _ in range(3):
        assert pick(x, sl.tensor([3, 0]).cuda()).tolist() == [7, 1]
    with raises((IndexError, ValueError, RuntimeError), "check_recordings.py"):
        pick(x, sl.tensor([7, 0]).cuda()).tolist()
    # The device goes on.
    assert pick(x, sl.tensor([1, 2]).cuda()).tolist() == [3, 5]


def test_products_add_what_is_behind_them():
    @sl.function
    def program(x, w, u, v, row, m):
        a = x @ w + row  # a row for all
        b = a + x @ u  # the sum so far
        c = m + b @ v  # a matrix that is given
        return c @ v, (x @ v[:6] + 1.0).relu() @ v

    x, w, u, v = sl.randn(5, 6), sl.randn(6, 8), sl.randn(6, 8), sl.randn(8, 8)
    args = x, w, u, v, sl.randn(8), sl.randn(5, 8)
    there = tuple(a.cuda() for a in args)
    for _ in range(4):
        same(program(*args), program(*there))
    plan = plan_of(program, *there)
    assert plan.count(", Add") == 3, plan


def test_a_recording_draws_other_numbers_each_time():
    @sl.function
    def noisy(x):
        return sl.nn.functional.dropout(x * 2, 0.5) + x

    x = sl.ones(40)
    there = x.cuda()
    for seed in (1, 2):
        sl.manual_seed(seed)
        host = [noisy(x).tolist() for _ in range(6)]
        sl.manual_seed(seed)
        assert [noisy(there).tolist() for _ in range(6)] == host
        assert len({tuple(h) for h in host}) == 6
    plan = plan_of(noisy, there)
    assert "Dropout" in plan and "    0 recordings" not in plan, plan


def test_training_with_dropout_is_one_recording():
    def run(device):
        sl.manual_seed(5)
        model = sl.nn.Sequential(
            sl.nn.Linear(6, 8), sl.nn.ReLU(), sl.nn.Dropout(0.4), sl.nn.Linear(8, 2)
        ).to(device)
        steps = sl.optim.SGD(model.parameters(), lr=0.1)

        @sl.function
        def step(x, y):
            steps.zero_grad()
            loss = sl.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            steps.step()
            return loss

        sl.manual_seed(6)
        x, y = sl.randn(5, 6).to(device), sl.tensor([0, 1, 1, 0, 1]).to(device)
        return [step(x, y).item() for _ in range(6)], plan_of(step, x, y)

    host, there = run("cpu"), run("cuda")
    for one, other in zip(host[0], there[0]):
        assert abs(one - other) < 1e-4, (host[0], there[0])
    assert there[1].count("on /device:gpu:0:") == 1, there[1]
