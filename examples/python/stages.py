"""A network whose layers are on several ranks reads digits: each batch goes through as
micro-batches, so that the ranks work at the same time.

sluice launch --ranks 2 python examples/python/stages.py [--epochs N]
"""

from __future__ import annotations

import argparse

import sluice as sl
import sluice.distributed as dist
from sluice import data, nn, optim
from sluice.distributed.pipelining import PipelineStage, Schedule1F1B, split_sequential


def train_in_stages(epochs: int) -> None:
    dist.init_process_group()
    sl.manual_seed(0)  # every rank makes the whole, and keeps its layers
    net = nn.Sequential(
        nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(),
        nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))
    layers = split_sequential(net, dist.get_world_size())[dist.get_rank()]
    stage = PipelineStage(layers)
    schedule = Schedule1F1B(stage, n_microbatches=4,
                            loss_fn=nn.functional.cross_entropy)
    optimizer = optim.Adam(layers.parameters(), lr=1e-3)

    # All ranks read the same: the first one needs images, the last one labels.
    train = data.mnist("train").shuffle(8000, seed=0).batch(64, drop_last=True)
    images, labels = next(iter(data.mnist("test").batch(2000)))
    for epoch in range(1, epochs + 1):
        for batch, wanted in train:
            optimizer.zero_grad()
            given = (batch,) if stage.is_first else ()
            schedule.step(*given, target=wanted if stage.is_last else None)
            optimizer.step()
        scores = schedule.eval(*((images,) if stage.is_first else ()))
        if stage.is_last:
            share = float((scores.argmax(dim=1) == labels).float().mean())
            print(f"epoch {epoch}: {share:.1%} of unseen digits read right")
    if stage.is_last:
        print(f"{schedule.bubble:.0%} of the ticks are bubbles:\n{schedule.drawn()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    train_in_stages(parser.parse_args().epochs)
