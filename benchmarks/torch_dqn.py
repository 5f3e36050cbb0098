"""The agent of examples/loops/dqn.h in eager PyTorch.

The world is plain Python numbers, the network, buffer and optimizer are
PyTorch's own. What is random is given, so that both sides see the same world.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn


def push(state, action):
    place, speed, angle, turn = state
    force = 10.0 if action == 1 else -10.0
    sine, cosine = math.sin(angle), math.cos(angle)
    thrust = (force + 0.05 * turn * turn * sine) / 1.1
    turning = (9.8 * sine - cosine * thrust) / (
        0.5 * (4.0 / 3 - 0.1 / 1.1 * cosine * cosine)
    )
    pushing = thrust - 0.05 / 1.1 * turning * cosine
    place += 0.02 * speed
    angle += 0.02 * turn
    state = (place, speed + 0.02 * pushing, angle, turn + 0.02 * turning)
    edge = max(abs(place) / 2.4, abs(angle) / 0.20944)
    return state, max(1.0 - edge, 0.0), edge > 1.0


class Agent:
    def __init__(self, numbers, first, acts, begins, picks, weights):
        (
            capacity,
            self.warm_up,
            self.sync_every,
            self.longest,
            self.explore,
        ) = (int(n) for n in numbers[:5])
        self.last_epsilon, self.gamma, lr = (float(n) for n in numbers[5:8])
        hidden = weights[1].numel()
        self.net = nn.Sequential(
            nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 2)
        )
        self.target = nn.Sequential(
            nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 2)
        )
        with torch.no_grad():
            self.net[0].weight.copy_(weights[0].t())
            self.net[0].bias.copy_(weights[1])
            self.net[2].weight.copy_(weights[2].t())
            self.net[2].bias.copy_(weights[3])
        self.target.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.states = torch.zeros(capacity, 4)
        self.actions = torch.zeros(capacity, dtype=torch.int64)
        self.rewards = torch.zeros(capacity)
        self.nexts = torch.zeros(capacity, 4)
        self.fell = torch.zeros(capacity)
        self.acts, self.begins, self.picks = acts.tolist(), begins.tolist(), picks
        self.i, self.age, self.state = 0, 0, tuple(first.tolist())

    def act(self, draw):
        epsilon = max(1.0 - self.i / self.explore, self.last_epsilon)
        if draw[0] < epsilon:
            return 1 if draw[1] < 0.5 else 0
        with torch.no_grad():
            return int(self.net(torch.tensor([self.state])).argmax())

    def learn(self, draw):
        seen = min(self.i + 1, len(self.actions))
        pick = (draw * seen).long()
        with torch.no_grad():
            later = self.target(self.nexts[pick]).max(1).values
            worth = (
                self.rewards[pick]
                + self.gamma * (1.0 - self.fell[pick]) * later
            )
        values = self.net(self.states[pick])
        chosen = values.gather(1, self.actions[pick].unsqueeze(1)).squeeze(1)
        loss = F.huber_loss(chosen, worth)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def step(self):
        k = self.i % len(self.acts)
        action = self.act(self.acts[k])
        state, reward, fell = push(self.state, action)
        self.age += 1
        at = self.i % len(self.actions)
        self.states[at] = torch.tensor(self.state)
        self.actions[at] = action
        self.rewards[at] = reward
        self.nexts[at] = torch.tensor(state)
        self.fell[at] = float(fell)
        loss = self.learn(self.picks[k]) if self.i >= self.warm_up else 0.0
        if self.i % self.sync_every == 0:
            self.target.load_state_dict(self.net.state_dict())
        self.state = state
        if fell or self.age >= self.longest:
            self.state, self.age = tuple(self.begins[k]), 0
        self.i += 1
        return reward, loss


def dqn(numbers, first, acts, begins, picks, *weights):
    """A call is as many steps as there are draws; returns rewards and losses."""
    agent = Agent(numbers, first, acts, begins, picks, weights)

    def steps(*_):
        return torch.tensor([agent.step() for _ in range(len(acts))])

    return steps


STEPS = {"dqn": dqn}
