"""Training steps with loops in PyTorch, beside ours in loops_*.cc.

Each function gets the batch and then the parameters, in the order of ours, and
returns a step to call: forward, backward, update by plain gradient descent.
"""
import torch
from torch import nn


def update(parameters, rate):
    with torch.no_grad():
        for p in parameters:
            p -= rate * p.grad
            p.grad = None


def lstm(x, target, w_ih, w_hh, b_ih, b_hh):
    """One layer over x [T, batch, size]; the mean square of its error."""
    model = nn.LSTM(x.shape[2], w_hh.shape[1])
    with torch.no_grad():
        for mine, given in zip(model.parameters(), (w_ih, w_hh, b_ih, b_hh)):
            mine.copy_(given)
    parameters = list(model.parameters())

    def step(*_):
        loss = ((model(x)[0] - target) ** 2).mean()
        loss.backward()
        update(parameters, 0.1)
        return loss.detach()

    return step


def stop_cell(rate, x, target, w_x, w_h, b, w_halt, b_halt):
    """A cell that runs until its halting unit has summed up to one.

    What it gives is the sum of its states on the way, each weighted by what
    the unit said, as in adaptive computation time.
    """
    parameters = [
        p.clone().requires_grad_() for p in (w_x, w_h, b, w_halt, b_halt)
    ]
    w_x, w_h, b, w_halt, b_halt = parameters

    def step(*_):
        drive = x @ w_x + b
        h = torch.zeros_like(target)
        y = torch.zeros_like(target)
        total = torch.zeros(())
        while total.item() < 1.0:
            h = torch.tanh(drive + h @ w_h)
            p = torch.sigmoid((h @ w_halt).mean() + b_halt)
            y = y + p * h
            total = total + p
        loss = ((y - target) ** 2).mean() + 0.01 * total
        loss.backward()
        update(parameters, rate)
        return loss.detach()

    return step


STEPS = {
    "lstm_step": lstm,
    "stop_cell_step": stop_cell,
}
