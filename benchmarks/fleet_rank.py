"""One rank of the fleet benchmark: ours or PyTorch's, told what to do by lines.

fleet_rank.py sluice|torch RANK RANKS PORT

Lines of stdin: "all_reduce MEGABYTES TIMES", "ddp MODEL TIMES BATCH" and "overlap MODEL
BATCH WHAT"; each is answered by the seconds of one call or step, the best of all, and by
those that all threads of the process computed. Started by sluice-bench fleet, which has
the ranks of both systems take turns.
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
    """Seconds of the fastest, by the clock and computed by all threads."""
    fastest, computed = float("inf"), float("inf")
    for _ in range(times):
        dist.barrier()
        start, busy = time.perf_counter(), time.process_time()
        step()
        fastest = min(fastest, time.perf_counter() - start)
        computed = min(computed, time.process_time() - busy)
    return fastest, computed


def all_reduce(megabytes, times):
    x = tl.ones([int(megabytes) * 250_000], dtype=tl.float32)
    return best(lambda: dist.all_reduce(x), int(times))


def network(name, batch):
    """A network and its loss, a function of it."""
    tl.manual_seed(0)
    if name not in MODELS:
        from fleet_models import MODELS as OWN

        return OWN[name](batch)
    make, shape = MODELS[name]
    x = tl.ones([batch, *shape])
    y = tl.zeros([batch], dtype=tl.int64)
    return make(), lambda model: nn.functional.cross_entropy(model(x), y)


kept = {}


def ddp(name, steps, batch):
    if (name, batch) not in kept:
        net, loss = network(name, int(batch))
        model = nn.parallel.DistributedDataParallel(net)
        optimizer = tl.optim.SGD(model.parameters(), lr=0.01)

        def step():
            optimizer.zero_grad()
            loss(model).backward()
            optimizer.step()

        if OURS and "captured" in sys.argv:
            step = tl.function(step)
        started = time.perf_counter()
        for _ in range(10):
            step()
        # The same number on all ranks, which take as many steps.
        often = tl.tensor([0.1 / (time.perf_counter() - started) * 10])
        dist.all_reduce(often)
        kept[name, batch] = step, max(1, min(10, int(often.item() / ranks)))
    step, times = kept[name, batch]

    def several():
        for _ in range(times):
            step()

    return [seconds / times for seconds in best(several, int(steps))]


def overlap(name, batch, what):
    """Forward and backward: "with" averages sent while it computes, "without" them
    ("compute"), then all of them ("after"); or those alone ("comm")."""
    if (name, "overlap") not in kept:
        net, loss = network(name, int(batch))
        model = nn.parallel.DistributedDataParallel(net, broadcast_buffers=False)
        elements = sum(p.numel() for p in net.parameters())
        count = model._reducer.num_buckets
        parts = [tl.zeros([elements // count]) for _ in range(count)]
        kept[name, "overlap"] = model, loss, parts
    model, loss, parts = kept[name, "overlap"]

    def averaged(tensors):
        works = [dist.all_reduce(t, dist.ReduceOp.AVG, async_op=True) for t in tensors]
        for work in works:
            work.wait()

    def step():
        if what == "comm":
            return averaged(parts)
        model.zero_grad()
        if what == "with":
            return loss(model).backward()
        with model.no_sync():
            loss(model).backward()
        if what == "after":
            averaged([p.grad for p in model.parameters()])

    step()
    before = model._reducer.waited
    fastest, _ = best(step, 2)
    # What nothing hid, by the one that waits.
    return fastest, (model._reducer.waited - before) / 2


print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    asked = {"all_reduce": all_reduce, "ddp": ddp, "overlap": overlap}[words[0]]
    print(*asked(*words[1:]), flush=True)
dist.destroy_process_group()
