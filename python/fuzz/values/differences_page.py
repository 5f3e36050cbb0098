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
compares the signatures of all functions that both have. This page lists the intended
differences and their reasons. It is generated from
`python/fuzz/values/deviations.toml`; a difference that is not in that file fails the
comparison.

Positional arguments, `dim=` and `keepdim=` follow PyTorch: `sl.max(x, 1)` returns
values and indices. `axis=` and `keepdims=` follow numpy: `sl.max(x, axis=1)` returns
values, `sl.sum(x, axis=())` reduces no axis. What goes along one axis refuses `()` by
either name.

## Results

| operators | what differs | why |
|---|---|---|
"""
OTHER = """
## Numbers and types

- A Python number that does not fit a tensor's integer type is refused:
  `sl.tensor([1], dtype=sl.uint8) + 300` raises, where PyTorch wraps to 45. Comparisons
  use its exact value, that of a tensor without axes, too: `u8 < 300` and
  `u8 < sl.tensor(300)` are true. `tensor` and `full` also refuse negative numbers for
  unsigned types; assigned to an element (`u8[0] = -1`) they wrap, as in PyTorch.
- Python integers of more than 64 bits are refused beside tensors, by comparisons, too
  (`operand is 1180591620717411303424; wanted a number of at most 64 bits`): a
  ValueError, where PyTorch has an OverflowError.
- The gradient of `hypot` at (0, 0) is 0, like that of a norm; PyTorch gives NaN.
- `mode` counts every NaN as an element of its own, which equals no other; what PyTorch
  gives beside NaN depends on their places (`[1, nan, 2, nan, 2]` has the mode 1 there,
  2 here).
- A mask without elements (`x[mask]` with a mask of shape [3, 0]) picks nothing, as in
  numpy; PyTorch refuses it unless the sizes are equal.
- Lists and arrays with complex elements are refused as a real type, unless all
  imaginary parts are 0; PyTorch drops those of arrays. `x.to(sl.float32)` drops them, as
  in PyTorch.
- There is no `complex128`; there are no quantised types.
- A write through `p.data` is a write to the tensor: `backward()` refuses values saved
  before it, where PyTorch silently uses the new ones. In a captured function,
  `p.data = t` needs a `t` that the function computes, of the same type and shape.
- Attributes that tensors, optimizers, schedulers, samplers, loaders and generators do
  not have are refused, unless they begin with an underscore; subclasses may have any.
- `copy.copy` of a tensor copies its elements, as of numpy's arrays; PyTorch's shares
  them.
- `inplace=True` of activations and dropout overwrites the argument, unless it is
  recorded for gradients or part of a graph: then only the result has the new values.
- Vectors of decompositions may have the opposite sign, and ties may come in either
  order where none is promised (`sort`, `topk`).
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
    rows = []
    for e in read.get("deviation", []):
        names = ", ".join(f"`{name}`" for name in e["ops"])
        rows.append(f"| {names} | {e['what']} | {e['reason']} |\n")
    # What shows in several outcomes of an operator is said once.
    text = HEAD + "".join(dict.fromkeys(rows))
    if read.get("signature"):
        text += SIGNATURES
        for e in read["signature"]:
            text += f"| `{e['name']}` | {e['what']} | {e['reason']} |\n"
    return text + OTHER


if __name__ == "__main__":
    print(page(), end="")
