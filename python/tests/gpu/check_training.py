"""Training on the GPU, imperative and captured, gives the CPU's numbers."""

import sluice as sl
from both import same

F = sl.nn.functional


def make_mlp():
    return sl.nn.Sequential(
        sl.nn.Linear(12, 20), sl.nn.ReLU(), sl.nn.LayerNorm(20), sl.nn.Linear(20, 5)
    )


def make_conv():
    return sl.nn.Sequential(
        sl.nn.Conv2d(1, 4, 3, padding=1),
        sl.nn.BatchNorm2d(4),
        sl.nn.ReLU(),
        sl.nn.MaxPool2d(2),
        sl.nn.Flatten(),
        sl.nn.Linear(4 * 4 * 4, 5),
    )


def train(make, shape, optimizer, device, captured):
    sl.manual_seed(3)
    net = make()
    x, y = sl.randn(16, *shape), sl.randint(0, 5, (16,))
    net.to(device)
    x, y = x.to(device), y.to(device)
    steps = optimizer(net.parameters())

    def step(x, y):
        steps.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        steps.step()
        return loss

    run = sl.function(step) if captured else step
    losses = [run(x, y).item() for _ in range(4)]
    assert all(p.device == device for p in net.parameters())
    return losses, list(net.parameters())


def compare(make, shape, optimizer):
    for captured in (False, True):
        host, params = train(make, shape, optimizer, "cpu", captured)
        there, moved = train(make, shape, optimizer, "cuda", captured)
        assert host[-1] < host[0]
        for one, other in zip(host, there):
            assert abs(one - other) < 1e-4 * max(1, abs(one)), (captured, host, there)
        for p, q in zip(params, moved):
            same(p.detach(), q.detach(), 1e-3)


def test_mlp_with_momentum():
    compare(make_mlp, (12,), lambda ps: sl.optim.SGD(ps, lr=0.1, momentum=0.9))


def test_mlp_with_adam():
    compare(make_mlp, (12,), lambda ps: sl.optim.AdamW(ps, lr=0.01))


def test_convolutions():
    compare(make_conv, (1, 8, 8), lambda ps: sl.optim.SGD(ps, lr=0.05))


def test_embedding_and_recurrence():
    def run(device):
        sl.manual_seed(2)
        table, cell = sl.nn.Embedding(30, 8), sl.nn.LSTM(8, 8, batch_first=True)
        words = sl.randint(0, 30, (4, 6)).to(device)
        table.to(device)
        cell.to(device)
        out, _ = cell(table(words))
        loss = out.square().sum()
        loss.backward()
        return loss.detach(), table.weight.grad, cell.weight_hh_l0.grad

    same(run("cpu"), run("cuda"), 1e-4)
