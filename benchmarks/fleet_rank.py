"""One rank of the fleet benchmark: ours or PyTorch's, told what to do by lines.

fleet_rank.py sluice|torch RANK RANKS PORT

Lines of stdin: "all_reduce MEGABYTES TIMES" and "ddp MODEL TIMES BATCH"; each is
answered by the seconds of one call or step, the best of all. Started by sluice-bench fleet,
which has the ranks of both systems take turns.
"""

from __future__ import annotations

import os
import sys
import time

which, rank, ranks, port = sys.argv[1], *map(int, sys.argv[2:5])
os.environ.update(
    RANK=str(rank),
    WORLD_SIZE=str(ranks),
    LOCAL_WORLD_SIZE=str(ranks),
    MASTER_ADDR="127.0.0.1",
    MASTER_PORT=str(port),
)
OURS = which == "sluice"
if OURS:
    import sluice as tl
    import sluice.distributed as dist
    from sluice import nn
else:
    import torch as tl
    import torch.distributed as dist
    from torch import nn

    tl.set_num_threads(1)
dist.init_process_group("gloo")
# One core each, as long as there are enough.
cores = sorted(os.sched_getaffinity(0))
if ranks <= len(cores):
    os.sched_setaffinity(0, {cores[rank]})


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2 = nn.Linear(400, 120), nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(tl.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(tl.relu(self.conv2(x)), 2)
        x = tl.relu(self.fc2(tl.relu(self.fc1(x.reshape(-1, 400)))))
        return self.fc3(x)


def mlp():
    return nn.Sequential(
        nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10)
    )


def wide():
    return nn.Sequential(
        nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(),
        nn.Linear(1024, 10),
    )  # fmt: skip


MODELS = {"lenet": (LeNet, (1, 28, 28)), "mlp": (mlp, (784,)), "wide": (wide, (1024,))}


def best(step, times):
    fastest = float("inf")
    for _ in range(times):
        dist.barrier()
        start = time.perf_counter()
        step()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def all_reduce(megabytes, times):
    x = tl.ones([int(megabytes) * 250_000], dtype=tl.float32)
    return best(lambda: dist.all_reduce(x), int(times))


kept = {}


def ddp(name, steps, batch):
    if name not in kept:
        tl.manual_seed(0)
        make, shape = MODELS[name]
        model = nn.parallel.DistributedDataParallel(make())
        optimizer = tl.optim.SGD(model.parameters(), lr=0.01)
        x = tl.ones([int(batch), *shape])
        y = tl.zeros([int(batch)], dtype=tl.int64)

        def step():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()

        kept[name] = tl.function(step) if OURS and "captured" in sys.argv else step
        for _ in range(10):
            kept[name]()
    step = kept[name]

    def several():
        for _ in range(10):
            step()

    return best(several, int(steps)) / 10


print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    seconds = {"all_reduce": all_reduce, "ddp": ddp}[words[0]](*words[1:])
    print(seconds, flush=True)
dist.destroy_process_group()
