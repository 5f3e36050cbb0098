"""Elementwise calls, views, products, sums, sorting, types: against the CPU."""

import sluice as sl
from both import on_both, same
from run import Skip

F = sl.nn.functional


def test_elementwise():
    x, y = sl.randn(33, 7), sl.rand(7) + 0.5
    on_both(lambda x, y: (x + y, x * y - 2, x / y, x**2, x.exp(), x.sigmoid()), x, y)
    on_both(lambda x, y: (sl.where(x > 0, x, y), x.clip(-1, 1), (x < y).all()), x, y)


def test_half_types():
    x = sl.randn(64)
    for kind in (sl.float16, sl.bfloat16):
        on_both(lambda x: (x + x * 3, x.tanh(), x.float()), x.to(kind), tolerance=0)


def test_integers():
    x = sl.arange(40, dtype=sl.int64).reshape(5, 8)
    on_both(lambda x: (x // 3, x % 7, x.sum(), x.cumsum(1), x.max(dim=1).values), x)


def test_views_and_writes():
    def program(x):
        x = x.clone()
        x[1:3, ::2] = 5
        x.T[0] += 1
        return x, x[2], x.permute(1, 0).reshape(-1), x[:, [0, 2]], x.flip(0)

    on_both(program, sl.randn(6, 8))


def test_products():
    a, b = sl.randn(17, 31), sl.randn(31, 9)
    on_both(lambda a, b: (a @ b, b.T @ a.T, (a @ b).sum(0)), a, b, tolerance=1e-4)
    many = sl.randn(3, 8, 16)
    on_both(lambda m: (m @ m.mT, sl.einsum("bij,bkj->bik", m, m)), many, tolerance=1e-4)


def test_convolutions():
    x, w = sl.randn(2, 3, 12, 12), sl.randn(4, 3, 3, 3)

    def program(x, w):
        y = F.conv2d(x, w, padding=1, stride=2)
        return y, F.max_pool2d(y, 2), F.avg_pool2d(y, 2)

    on_both(program, x, w, tolerance=1e-4)


def test_rows():
    x = sl.randn(5, 40)
    on_both(lambda x: (x.softmax(-1), x.log_softmax(-1), x.mean(1), x.std(1)), x)
    on_both(lambda x: (F.layer_norm(x, (40,)), x.sort(1).values, x.topk(3).indices), x)
    on_both(lambda x: (x.argmax(1), x.cumsum(0), sl.logsumexp(x, 1)), x)


def test_random_numbers_are_the_cpu_s():
    def draw(device):
        sl.manual_seed(7)
        with sl.device(device):
            return sl.rand(100), sl.randn(33), sl.randint(0, 9, (20,))

    for host, there in zip(draw("cpu"), draw("cuda")):
        assert there.is_cuda and host.tolist() == there.tolist()


def test_empty_and_single():
    on_both(lambda x: (x + 1, x.sum(), x.reshape(-1), x.exp()), sl.zeros(0, 3))
    on_both(lambda x: (x + 1, x.sum(), x.item()), sl.tensor(3.5))


def test_products_whose_rows_are_odd():
    """Copied, so that tensor cores read them in whole packs: on a GPU alone, since
    only large ones are."""
    if "Emulated" in sl.cuda.get_device_name():
        raise Skip("too large for the emulation")
    for m, k, n in ((300, 1021, 1027), (1027, 300, 1021), (1021, 1027, 304)):
        for turned in (False, True):
            a, b = sl.randn(m, k) * 0.1, sl.randn(k, n) * 0.1
            x, y = a.to(sl.bfloat16).cuda(), b.to(sl.bfloat16).cuda()
            if turned:
                y = y.T.contiguous().T
            wanted = a.to(sl.bfloat16).float() @ b.to(sl.bfloat16).float()
            same(wanted, (x @ y).float(), 2e-2)
