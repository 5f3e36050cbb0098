"""Values that lie channels last between the kernels of a captured function."""

import sluice as sl
from both import same
from check_recordings import plan_of
from sluice import nn


class Net(nn.Module):
    """Convolutions of several kinds, a residual, pools, what leaves the layout."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=2, bias=False)
        self.flat = nn.Conv2d(8, 16, 1, stride=2)
        self.back = nn.ConvTranspose2d(16, 4, 2, stride=2)
        self.pool = nn.MaxPool2d(2)
        self.mean = nn.AvgPool2d(2)
        self.out = nn.Linear(4 * 2 * 2, 5)

    def forward(self, x):
        y = self.norm(self.first(x)).relu()
        y = self.pool(y + self.deep(y))
        y = self.flat(y) * 0.5
        y = self.back(y)
        scale = y.mean((2, 3), keepdim=True)
        y = self.mean(y * scale.sigmoid() + 0.1)
        return self.out(y.flatten(1))


def train(net, x, steps=3, amp=False):
    optimizer = sl.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    @sl.function
    def step(x):
        optimizer.zero_grad()
        with sl.amp.autocast(x.device.type, dtype=sl.bfloat16, enabled=amp):
            loss = net(x).float().square().mean()
        loss.backward()
        optimizer.step()
        return loss

    losses = [step(x).item() for _ in range(steps)]
    return losses, plan_of(step, x)


def both_nets():
    sl.manual_seed(5)
    host = Net()
    there = Net().cuda()
    there.load_state_dict(host.state_dict())
    return host, there


def test_training_channels_last_is_training():
    host, there = both_nets()
    x = sl.randn(4, 3, 8, 8)
    before = bool(sl.cuda.allow_tf32)
    sl.cuda.allow_tf32(True)
    try:
        losses, plan = train(there, x.cuda())
    finally:
        sl.cuda.allow_tf32(before)
    wanted, _ = train(host, x)
    assert plan.count("channels last") > 8, plan
    assert all(abs(a - b) < 2e-3 * (1 + abs(b)) for a, b in zip(losses, wanted))
    for name, value in host.state_dict().items():
        same(value, there.state_dict()[name], 5e-3)


def test_halves_channels_last():
    host, there = both_nets()
    x = sl.randn(4, 3, 8, 8)
    losses, plan = train(there, x.cuda(), amp=True)
    wanted, _ = train(host, x)
    assert "channels last" in plan
    assert all(abs(a - b) < 5e-2 * (1 + abs(b)) for a, b in zip(losses, wanted))


def test_results_are_row_by_row():
    @sl.function
    def program(x, w):
        y = sl.nn.functional.conv2d(x, w, padding=1)
        z = y.relu()
        return y, z, z.permute(0, 2, 3, 1).reshape(-1), z.sum((0, 2, 3))

    x, w = sl.randn(2, 3, 5, 4), sl.randn(8, 3, 3, 3)
    halves = x.to(sl.bfloat16), w.to(sl.bfloat16)
    for _ in range(3):
        same(program(*halves), program(halves[0].cuda(), halves[1].cuda()), 0.1)


def test_sums_over_any_axes():
    @sl.function
    def program(x, w):
        y = sl.nn.functional.conv2d(x, w)
        some = [(0,), (1,), (2, 3), (0, 2, 3), (0, 1), (1, 2), (0, 1, 2, 3), (3,)]
        return [y.sum(axes) for axes in some] + [y.mean(axes) for axes in some]

    x, w = sl.randn(3, 4, 6, 5).to(sl.bfloat16), sl.randn(8, 4, 2, 2).to(sl.bfloat16)
    for _ in range(3):
        same(program(x, w), program(x.cuda(), w.cuda()), 0.05)


def test_pools_and_their_gradients():
    """Small whole numbers: products of any precision are exact."""
    pools = (
        lambda y: sl.nn.functional.max_pool2d(y, 2),
        lambda y: sl.nn.functional.max_pool2d(y, 3, 2, padding=1),
        lambda y: sl.nn.functional.avg_pool2d(y, 2),
        lambda y: sl.nn.functional.avg_pool2d(y, 3, 2, padding=1),
    )
    x = sl.randint(-4, 5, (2, 8, 8, 8)).float()
    w = sl.randint(-1, 2, (8, 8, 3, 3)).float()
    # Means of 4 and of 9 share them in whole numbers or exact fractions.
    weights = sl.randint(-3, 4, (2, 8, 4, 4)).float() * 9
    before = bool(sl.cuda.allow_tf32)
    sl.cuda.allow_tf32(True)
    try:
        for pool in pools:

            @sl.function
            def gradients(x, w, weights, pool=pool):
                def loss(x, w):
                    y = sl.nn.functional.conv2d(x, w, padding=1)
                    return (pool(y) * weights).sum()

                return sl.grad(loss, argnums=(0, 1))(x, w)

            there = gradients(x.cuda(), w.cuda(), weights.cuda())
            same(gradients(x, w, weights), there, 1e-5)
    finally:
        sl.cuda.allow_tf32(before)
