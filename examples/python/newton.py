"""Roots by Newton's method: a loop that stops by itself, with two derivatives.

How often the loop runs depends on the numbers, so no bound is given; gradients of
any order go through it all the same.
"""

from __future__ import annotations

import sluice as sl


def root(a: sl.Tensor) -> sl.Tensor:
    """The square root of a, as a loop of the graph."""

    def unfinished(i: sl.Tensor, z: sl.Tensor) -> sl.Tensor:
        return sl.abs(z * z - a) > 1e-6 * a

    def better(i: sl.Tensor, z: sl.Tensor) -> tuple[sl.Tensor, sl.Tensor]:
        return i + 1, 0.5 * (z + a / z)

    z: sl.Tensor
    _, z = sl.while_loop(unfinished, better, 0, a)
    return z


def main() -> None:
    slope = sl.grad(root)
    bend = sl.grad(slope)
    for number in (0.25, 2.0, 100.0):
        a = sl.tensor(number, dtype=sl.float64)
        print(f"a = {number:6.2f}  root {root(a).item():8.5f} ({number**0.5:8.5f})  "
              f"slope {slope(a).item():8.5f} ({0.5 * number**-0.5:8.5f})  "
              f"bend {bend(a).item():9.5f} ({-0.25 * number**-1.5:9.5f})")


if __name__ == "__main__":
    main()
