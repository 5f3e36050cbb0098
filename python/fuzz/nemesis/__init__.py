"""Nemesis: a training job of several ranks that is killed, stopped, told to end, cut
off from its network and left without disk space, by a seed; afterwards its history is
checked.

    python -m nemesis --seconds 600 --seed 1      (make nemesis SECONDS=600 SEED=1)

What must hold: every step of every attempt, on every rank, gives the same weights,
moments, random state and samples, to the bit, as the same step of a run that nobody
disturbed; that one, on two ranks, the same as one process that does in turn what both
do; an attempt goes on from the newest checkpoint that was there, and never
from an older one than before; each sample of a pass is trained once.
"""
