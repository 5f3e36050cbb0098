"""Writes docs/python/differences.md from deviations.toml, to standard output.

    differences_page.py > docs/python/differences.md

A test compares (python/tests/test_values_differences.py).
"""

from __future__ import annotations

import os
import tomllib

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "deviations.toml")
HEAD = """# Differences from PyTorch

Where a name is PyTorch's, its arguments, results, shapes and types are PyTorch's.
`make compare-ops` runs every sample of PyTorch's operator database on both sides, and
compares the signatures of all functions that both have. What differs on purpose is
here, with the reason; this page is written from
`python/fuzz/values/deviations.toml`, and a difference that is not in that file fails
the comparison.

By place, and as `dim=` and `keepdim=`, arguments are PyTorch's: `sl.max(x, 1)` is a
pair of values and indices. `axis=` and `keepdims=` are numpy's: `sl.max(x, axis=1)` is
values, `sl.sum(x, axis=())` goes over no axis.

## Results

| operators | what differs | why |
|---|---|---|
"""
OTHER = """
## Numbers and types

- A number of the program that a tensor's integer type does not hold is refused:
  `sl.tensor([1], dtype=sl.uint8) + 300` raises, where PyTorch wraps to 45. Compared
  with, it is compared as it is: `u8 < 300` is true. Negative ones are refused by
  `tensor` and `full`, too; written into a tensor (`u8[0] = -1`) they wrap, as PyTorch's.
- Complex elements of lists and arrays as a real type are refused, unless their imaginary
  parts are 0; PyTorch drops those of arrays. `x.to(sl.float32)` drops them, as there.
- There is no `complex128`; there are no quantised types.
- `p.data` counts as what it is: a write through it is a write to the tensor, and
  `backward()` refuses what was kept before it, where PyTorch computes with what is there
  by then. While a function is recorded `p.data = t` is refused.
- Attributes that tensors do not have are refused; classes of your own that derive from
  `Tensor` or `Parameter` have what they like.
- `inplace=True` of activations and dropout writes over the argument, unless that is
  recorded for gradients or part of a graph: then it keeps its elements, and the result
  is what the function gives.
- Vectors of decompositions may have the other sign, and of equal elements either may
  come first where an order is not promised (`sort`, `topk`).
"""
SIGNATURES = """
## Parameters

| function | what differs | why |
|---|---|---|
"""


def page(path: str = PATH) -> str:
    """The text of the page."""
    with open(path, "rb") as file:
        read = tomllib.load(file)
    text = HEAD
    for e in read.get("deviation", []):
        names = ", ".join(f"`{name}`" for name in e["ops"])
        text += f"| {names} | {e['what']} | {e['reason']} |\n"
    if read.get("signature"):
        text += SIGNATURES
        for e in read["signature"]:
            text += f"| `{e['name']}` | {e['what']} | {e['reason']} |\n"
    return text + OTHER


if __name__ == "__main__":
    print(page(), end="")
