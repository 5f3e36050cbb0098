"""A classifier 784-100-10 on batches of 64, trained by SGD."""

from numbers_of_cases import integers, normal

TITLE = "MLP 784-100-10, batch 64, SGD"
RATE = 0.05


def torch_like(kit):
    nn = kit.nn
    net = kit.fill(nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10)))
    x, y = kit.tensor(normal(1, 64, 784)), kit.tensor(integers(2, 10, 64))

    def loss(x, y):
        return kit.F.cross_entropy(net(x), y)

    return kit.train(loss, kit.sgd(net.parameters(), RATE), x, y)


def jax_like(kit):
    x, y = kit.tensor(normal(1, 64, 784)), kit.tensor(integers(2, 10, 64))

    def loss(x, y):
        x = kit.relu(kit.linear(x, 784, 100))
        return kit.cross_entropy(kit.linear(x, 100, 10), y)

    return kit.train(loss, RATE, 0.0, x, y)
