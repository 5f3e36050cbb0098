"""An agent and its world inside one loop of a graph: a bandit with ten arms.

The agent draws an arm, the world pays, the agent learns, a thousand times, in one
call. The loop ends early once the agent has made up its mind.
"""

from __future__ import annotations

import sluice as sl

ARMS = 10


@sl.function
def play(pays: sl.Tensor, most: sl.Tensor) -> tuple[sl.Tensor, ...]:
    """Rounds played, mean pay of the last ones, and what the agent believes."""
    belief = sl.zeros(ARMS)
    mean = sl.tensor(0.0)
    rounds = sl.tensor(0)
    while rounds < most and belief.softmax(0).max() < 0.95:
        chances = belief.softmax(0)
        arm = sl.multinomial(chances, 1)[0]
        pay = pays[arm] + 0.5 * sl.randn(())
        # The gradient of log(chances[arm]), times what the pay was above the mean.
        push = sl.one_hot(arm, ARMS) - chances
        belief = belief + 0.2 * (pay - mean) * push
        mean = mean + 0.05 * (pay - mean)
        rounds = rounds + 1
    return rounds, mean, belief


def main() -> None:
    sl.manual_seed(3)
    pays = sl.randn(ARMS)
    rounds, mean, belief = play(pays, sl.tensor(3000))
    print(f"best arm {pays.argmax().item()}, it pays {pays.max().item():.2f}")
    print(f"after {rounds.item()} rounds the agent prefers arm "
          f"{belief.argmax().item()} and gets {mean.item():.2f}")


if __name__ == "__main__":
    main()
