"""Gradients of imperative programs: no_grad, backward and their kin."""

from . import _core

__all__: list[str] = []
