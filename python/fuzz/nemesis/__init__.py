"""Nemesis: disturbs a training job of several ranks by a seed, and checks its history.
It kills ranks, stops them, asks them to end, cuts the network and fills the disk.

    python -m nemesis --seconds 600 --seed 1      (make nemesis SECONDS=600 SEED=1)

What must hold: every step of every attempt, on every rank, gives the same weights,
moments, random state and samples, to the bit, as the same step of a run that nobody
disturbed; that one, on two ranks, the same as one process that does in turn what both
do; an attempt goes on from the newest checkpoint that was there, and never
from an older one than before; each sample of a pass is trained once.
"""
