"""Collectives that gradients flow through (`functional`), and layers made of them."""

from . import functional as functional
from ._experts import ExpertsOfRank, MixtureOfExperts

__all__ = ["ExpertsOfRank", "MixtureOfExperts", "functional"]
