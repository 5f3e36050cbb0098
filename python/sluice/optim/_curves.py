"""Learning rates as functions of the step, computed by C++.

``curve(base, step)`` gives the rate at a step, a number for a number and a
tensor for a tensor. ``Optimizer.follow`` and ``lr_scheduler.CurveLR`` take one.
"""

from .._core import (
    Curve,
    anneal,
    constant_factor,
    constant_rate,
    cosine,
    cosine_restarts,
    cyclic,
    exponential,
    linear_factor,
    multi_step,
    one_cycle,
    polynomial,
    step_decay,
    warm_up,
)

__all__ = [
    "Curve",
    "anneal",
    "constant_factor",
    "constant_rate",
    "cosine",
    "cosine_restarts",
    "cyclic",
    "exponential",
    "linear_factor",
    "multi_step",
    "one_cycle",
    "polynomial",
    "step_decay",
    "warm_up",
]


def _itself(self: Curve, memo: object = None) -> Curve:
    """Curves never change, so a copy is the curve."""
    return self


setattr(Curve, "__copy__", _itself)
setattr(Curve, "__deepcopy__", _itself)
