"""A graph network: two rounds of messages along 16,000 edges between 2000 nodes,
gathered at the sources and summed at the targets; a training step."""

from numbers_of_cases import integers, normal

TITLE = "graph network, 2000 nodes, 16,000 edges, 2 rounds of 64"
NODES, EDGES, WIDTH, ROUNDS, RATE = 2000, 16_000, 64, 2, 0.01


def batch():
    return (normal(1, NODES, WIDTH), integers(2, NODES, EDGES),
            integers(3, NODES, EDGES))


def torch_like(kit):
    nn = kit.nn
    net = kit.fill(nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(2 * ROUNDS))))

    def loss(x, source, target):
        for k in range(ROUNDS):
            messages = kit.F.relu(net[2 * k](x)[source])
            heard = kit.lib.zeros_like(x).index_add(0, target, messages)
            x = kit.F.relu(net[2 * k + 1](x) + 0.1 * heard)
        return x.square().mean()

    optimizer = kit.sgd(net.parameters(), RATE)
    return kit.train(loss, optimizer, *map(kit.tensor, batch()))


def jax_like(kit):
    def loss(x, source, target):
        for _ in range(ROUNDS):
            messages = kit.relu(kit.rows(kit.linear(x, WIDTH, WIDTH), source))
            heard = kit.segment_sum(messages, target, NODES)
            x = kit.relu(kit.linear(x, WIDTH, WIDTH) + 0.1 * heard)
        return kit.reshape(kit.mean(kit.reshape(x * x, (-1,)), 0), ())

    return kit.train(loss, RATE, 0.0, *map(kit.tensor, batch()))
