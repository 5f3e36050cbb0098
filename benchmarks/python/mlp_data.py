"""The classifier every library trains here: 784-100-10, batches of 64.

All begin with the same weights and see the same batch, so that their losses can
be compared before their times are.
"""

import numpy as np

BATCH, SIZES, RATE = 64, (784, 100, 10), 0.05
STEPS_CHECKED = 20


def weights() -> list[np.ndarray]:
    """w1 [784, 100], b1, w2 [100, 10], b2."""
    random = np.random.default_rng(0)
    made = []
    for inputs, outputs in zip(SIZES, SIZES[1:]):
        scale = 1 / np.sqrt(inputs)
        made.append(random.uniform(-scale, scale, (inputs, outputs)))
        made.append(random.uniform(-scale, scale, outputs))
    return [w.astype(np.float32) for w in made]


def batch() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    images = random.random((BATCH, SIZES[0]), dtype=np.float32)
    return images, random.integers(0, SIZES[-1], BATCH)
