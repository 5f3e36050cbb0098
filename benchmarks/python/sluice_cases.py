"""What Sluice does of what `run.py` compares."""

import mlp_data
import sluice as sl
from sluice import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = mlp_data.SIZES
        self.fc1 = nn.Linear(sizes[0], sizes[1])
        self.fc2 = nn.Linear(sizes[1], sizes[2])
        w1, b1, w2, b2 = mlp_data.weights()
        with sl.no_grad():
            for p, w in zip(self.parameters(), (w1.T.copy(), b1, w2.T.copy(), b2)):
                p.copy_(w)

    def forward(self, x):
        return self.fc2(sl.relu(self.fc1(x)))


def _mlp(captured: bool):
    net = Net()
    optimizer = optim.SGD(net.parameters(), lr=mlp_data.RATE)
    x, y = map(sl.tensor, mlp_data.batch())

    def train(x, y):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    if captured:
        train = sl.function(train)
    return lambda: train(x, y), lambda loss: loss.item()


def mlp_eager():
    return _mlp(captured=False)


def mlp_compiled():
    return _mlp(captured=True)


def tiny_add():
    a, b = sl.ones(3), sl.ones(3)

    def many():
        for _ in range(1000):
            result = a + b
        return result

    return many, lambda result: result.sum().item()


def loop_of_adds():
    one = sl.ones(16)

    @sl.function
    def loop(x):
        for _ in range(1000):
            x = x + one
        return x

    x = sl.zeros(16)
    return lambda: loop(x), lambda y: y.sum().item()


def pendulums_grad():
    """vmap(grad(scan)): 64 pendulums, 100 steps each."""

    def energy(p, start):
        def step(state, _):
            angle, speed = state
            speed = speed - 0.05 * (p[0] * sl.sin(angle) + p[1] * speed)
            angle = angle + 0.05 * speed
            return angle * angle, (angle, speed)

        return sl.scan(step, (start[0], start[1]), sl.zeros(100))[0].sum()

    gradients = sl.function(sl.vmap(sl.grad(energy), in_axes=(None, 0)))
    p, starts = sl.tensor([1.0, 0.1]), sl.linspace(-1, 1, 128).reshape(64, 2)
    return lambda: gradients(p, starts), lambda g: g.sum().item()


def session_run():
    graph = sl.Graph()
    with graph:
        x = sl.placeholder(sl.float32, [3], name="x")
        y = x + 1.0
    session = sl.Session(graph)
    fed = sl.ones(3)
    feeds = {x: fed}

    def many():
        for _ in range(1000):
            result = session.run(y, feeds)
        return result

    return many, lambda result: result.sum().item()


CASES = {
    f.__name__: f
    for f in (
        mlp_eager, mlp_compiled, tiny_add, loop_of_adds, pendulums_grad, session_run
    )
}
