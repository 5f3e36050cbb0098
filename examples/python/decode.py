"""A decoder that stops when it is done: `while` over tensors, and a list.

Written as Python, run as a loop of a graph: the traces below show one trace for
inputs of any length.
"""

from __future__ import annotations

import sluice as sl
from sluice import nn

END = 0
LETTERS = "$abcdefgh"


class Decoder(nn.Module):
    """A cell and the scores of the next letter."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), 16)
        self.cell = nn.GRUCell(16, 16)
        self.out = nn.Linear(16, len(LETTERS))

    @sl.function
    def decode(self, state: sl.Tensor, token: sl.Tensor, most: sl.Tensor) -> sl.Tensor:
        out = sl.List(sl.int64)
        while token != END and out.size() < most:
            state = self.cell(self.embed(token).unsqueeze(0), state)
            token = self.out(state)[0].argmax(-1)
            out = out.append(token)
        return out.stack()


def main() -> None:
    sl.manual_seed(12)
    net = Decoder()
    with sl.no_grad():
        for first in range(1, 5):
            state = sl.randn(1, 16) * 3
            said = net.decode(state, sl.tensor(first), sl.tensor(20))
            print(f"{LETTERS[first]} -> {''.join(LETTERS[i] for i in said.tolist())}")


if __name__ == "__main__":
    main()
