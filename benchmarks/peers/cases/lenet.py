"""LeNet on batches of 64 images of 28x28, trained with momentum."""

from numbers_of_cases import integers, normal

TITLE = "LeNet, batch 64, momentum"
LOW = True
RATE, MOMENTUM = 0.005, 0.9


def batch():
    return normal(1, 64, 1, 28, 28), integers(2, 10, 64)


def torch_like(kit):
    nn = kit.nn
    net = kit.fill(nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10),
    ))

    def loss(x, y):
        return kit.F.cross_entropy(net(x), y)

    optimizer = kit.sgd(net.parameters(), RATE, MOMENTUM)
    return kit.train(loss, optimizer, *map(kit.tensor, batch()))


def jax_like(kit):
    images, labels = batch()

    def loss(x, y):
        x = kit.cast(x)
        x = kit.max_pool(kit.relu(kit.conv(x, 1, 6, 5, bias=True)), 2, 2)
        x = kit.max_pool(kit.relu(kit.conv(x, 6, 16, 5, pad=0, bias=True)), 2, 2)
        # Flattened in PyTorch's order: channels first.
        x = kit.reshape(kit.transpose(x, (0, 3, 1, 2)), (64, 400))
        x = kit.relu(kit.linear(x, 400, 120))
        x = kit.relu(kit.linear(x, 120, 84))
        return kit.cross_entropy(kit.linear(x, 84, 10), y)

    images = kit.tensor(images.transpose(0, 2, 3, 1))
    return kit.train(loss, RATE, MOMENTUM, images, kit.tensor(labels))
