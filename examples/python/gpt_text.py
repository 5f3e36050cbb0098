"""A small GPT-2 (gpt2.py) learns to write, one character after the other.

python examples/python/gpt_text.py [--epochs N]
"""

from __future__ import annotations

import argparse

import sluice as sl
from char_lstm import read_text
from gpt2 import GPT2, Config
from sluice import data, nn, optim

LENGTH = 33


def bits(net: nn.Module, pieces: sl.Tensor) -> sl.Tensor:
    """What the net needs to say each next character."""
    scores = net(pieces[:, :-1])
    loss: sl.Tensor = nn.functional.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), pieces[:, 1:].reshape(-1))
    return loss / 0.6931472


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    epochs = parser.parse_args().epochs

    sl.manual_seed(1)
    text = read_text(60_000)
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    rows = len(text) // LENGTH
    codes = sl.tensor([number[c] for c in text[: rows * LENGTH]]).reshape(rows, LENGTH)
    train = data.from_tensors(codes[:1600]).shuffle(1600, seed=0).batch(32)
    config = Config(len(letters), LENGTH, n_embd=48, n_layer=2, n_head=4)
    net = GPT2(config)
    optimizer = optim.Adam(net.parameters(), lr=3e-3)

    @sl.function
    def step(pieces: sl.Tensor) -> None:
        optimizer.zero_grad()
        bits(net, pieces).backward()
        optimizer.step()

    for epoch in range(1, epochs + 1):
        for pieces in train:
            step(pieces)
        with sl.no_grad():
            unseen = bits(net, codes[1600:]).item()
        print(f"epoch {epoch}: {unseen:.2f} bits a character of unseen text")


if __name__ == "__main__":
    main()
