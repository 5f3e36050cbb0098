"""Refuses passes over data in captured code.

A graph would keep the batches of the pass in which it was recorded, and the position in
the data belongs to Python.
"""

from __future__ import annotations

from .._recorded import not_recorded

__all__ = ["passes_outside", "places_outside"]

passes_outside = not_recorded(
    "gives other elements in every pass, and what is recorded would keep these",
    "iterate over it outside, and give the batch as an argument",
)
places_outside = not_recorded(
    "says where the next pass begins, and would do so only when the function is "
    "recorded",
    "wanted it outside of the function",
)
