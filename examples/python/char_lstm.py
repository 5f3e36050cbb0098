"""An LSTM learns to write, one character after the other.

python examples/python/char_lstm.py [--steps N]
"""

from __future__ import annotations

import argparse
import gzip
import os
import pathlib

import sluice as sl
from sluice import nn, optim


def read_text(characters: int) -> str:
    here = pathlib.Path(__file__).resolve().parents[2] / "data"
    folder = pathlib.Path(os.environ.get("SLUICE_DATA", here))
    with gzip.open(folder / "text" / "kjv.txt.gz", "rt", encoding="utf-8") as file:
        return file.read(characters)


class Writer(nn.Module):
    """Characters in, scores of the next character out."""

    def __init__(self, letters: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(letters, 32)
        self.lstm = nn.LSTM(32, hidden, batch_first=True)
        self.out = nn.Linear(hidden, letters)

    def forward(self, text: sl.Tensor) -> sl.Tensor:
        states, _ = self.lstm(self.embed(text))
        scores: sl.Tensor = self.out(states)
        return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150)
    steps = parser.parse_args().steps

    sl.manual_seed(1)
    text = read_text(60_000)
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    codes = sl.tensor([number[c] for c in text])
    net = Writer(len(letters), 96)
    optimizer = optim.Adam(net.parameters(), lr=5e-3)

    @sl.function
    def step(pieces: sl.Tensor) -> sl.Tensor:
        scores = net(pieces[:, :-1])
        loss = nn.functional.cross_entropy(
            scores.reshape(-1, len(letters)), pieces[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss

    length = 33
    for i in range(1, steps + 1):
        starts = sl.randint(0, len(text) - length, (32, 1))
        loss = step(codes[starts + sl.arange(length)])
        if i % 50 == 0:
            print(f"step {i}: {loss.item() / 0.6931472:.2f} bits a character")

    said = "And "
    with sl.no_grad():
        for _ in range(60):
            seen = sl.tensor([[number[c] for c in said]])
            said += letters[int(net(seen)[0, -1].argmax())]
    print(repr(said))


if __name__ == "__main__":
    main()
