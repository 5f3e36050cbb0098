"""What PyTorch does of what `run.py` compares, in its best modes."""

import mlp_data
import torch

torch.set_num_threads(2)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sizes = mlp_data.SIZES
        self.fc1 = torch.nn.Linear(sizes[0], sizes[1])
        self.fc2 = torch.nn.Linear(sizes[1], sizes[2])
        w1, b1, w2, b2 = map(torch.from_numpy, mlp_data.weights())
        with torch.no_grad():
            for p, w in zip(self.parameters(), (w1.T, b1, w2.T, b2)):
                p.copy_(w)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def _mlp(compiled: bool):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=mlp_data.RATE, fused=True)
    x, y = map(torch.from_numpy, mlp_data.batch())

    def forward(x, y):
        return torch.nn.functional.cross_entropy(net(x), y)

    if compiled:
        forward = torch.compile(forward)

    def step():
        loss = forward(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step, lambda loss: loss.item()


def mlp_eager():
    return _mlp(compiled=False)


def mlp_compiled():
    return _mlp(compiled=True)


def _tiny(operation):
    a, b = torch.ones(3), torch.ones(3)

    def many():
        for _ in range(1000):
            result = operation(a, b)
        return result

    return many, lambda result: result.sum().item()


def tiny_add():
    return _tiny(lambda a, b: a + b)


def loop_of_adds():
    x, one = torch.zeros(16), torch.ones(16)

    def loop():
        y = x
        for _ in range(1000):
            y = y + one
        return y

    return loop, lambda y: y.sum().item()


CASES = {f.__name__: f for f in (mlp_eager, mlp_compiled, tiny_add, loop_of_adds)}
