"""Random programs of loops, conditions, maps and arrays, with their gradients.

`program(seed)` gives a function of tf, always the same for a seed: it fetches the
value of a nest of control flow and its gradients by a fed number, a constant and a
variable.
"""

import random

import numpy as np

DEPTH = 2


class _Maker:
    """Makes vectors of three numbers of the vectors there are, by chance."""

    def __init__(self, tf, seed):
        self.tf, self.rng = tf, random.Random(seed)
        self.x = tf.placeholder(tf.float32, [3], name="x")
        self.c = tf.constant([0.5, -1.0, 0.25])
        self.v = tf.get_variable(
            "v", initializer=np.array([1.0, 0.5, -0.5], np.float32)
        )

    def simple(self, here):
        tf, rng = self.tf, self.rng
        a, b = rng.choice(here), rng.choice(here)
        kind = rng.randrange(10)
        if kind == 0:
            return a + b
        if kind == 1:
            return a * b * 0.5
        if kind == 2:
            return tf.tanh(a - b)
        if kind == 3:
            return tf.maximum(a, b)
        if kind == 4:
            return tf.where(a > b, a, b * 0.5)
        if kind == 5:
            return tf.reverse(a, [0])
        if kind == 6:
            return a - tf.reduce_mean(b)
        if kind == 7:
            return tf.stack(tf.unstack(a)[::-1]) + self.v
        if kind == 8:
            return tf.concat([a[:1], b[1:]], 0)
        return tf.nn.softmax(a) * tf.reverse(b, [0])

    def vector(self, here, depth):
        """One more vector, of those that are there."""
        tf, rng = self.tf, self.rng
        if depth == 0 or rng.random() < 0.2:
            return self.simple(here)
        kind = rng.randrange(7)
        if kind == 0:
            pred = tf.reduce_sum(rng.choice(here)) > rng.choice([-1.0, 0.0, 1.0])
            return tf.cond(
                pred,
                lambda: self.vector(here, depth - 1),
                lambda: self.vector(here, depth - 1),
            )
        if kind == 1:
            count = rng.randrange(4)

            def body(i, a, b):
                made = self.vector([*here, a, b], depth - 1)
                return i + 1, made, a

            start = (0, rng.choice(here), rng.choice(here))
            return tf.while_loop(lambda i, a, b: i < count, body, start)[1]
        if kind == 2:
            wide = tf.stack([rng.choice(here), rng.choice(here)])
            rows = tf.map_fn(lambda r: self.vector([*here, r], depth - 1), wide)
            return tf.reduce_sum(rows, 0)
        if kind == 3:
            wide = tf.stack([rng.choice(here) for _ in range(3)])
            states = tf.scan(
                lambda a, r: self.vector([*here, a, r], depth - 1),
                wide,
                initializer=rng.choice(here),
            )
            return states[rng.randrange(3)]
        if kind == 4:
            return self.array(here, depth)
        if kind == 5:
            pairs = [
                (tf.reduce_max(rng.choice(here)) > limit, self.later(here, depth))
                for limit in (1.0, 0.0)
            ]
            return tf.case(pairs, default=self.later(here, depth))
        wide = tf.stack([rng.choice(here) for _ in range(2)])
        return tf.foldl(
            lambda a, r: self.vector([*here, a, r], depth - 1), wide, rng.choice(here)
        )

    def later(self, here, depth):
        return lambda: self.vector(here, depth - 1)

    def array(self, here, depth):
        """A loop that writes an array, and what is made of it."""
        tf, rng = self.tf, self.rng
        count = rng.randrange(1, 4)
        made = tf.TensorArray(tf.float32, size=0, dynamic_size=True)

        def body(i, a, array):
            value = self.vector([*here, a], depth - 1)
            return i + 1, value, array.write(i, value)

        _, _, made = tf.while_loop(
            lambda i, *_: i < count, body, (0, rng.choice(here), made)
        )
        return tf.reduce_sum(made.stack(), 0) / count

    def build(self):
        here = [self.x, self.c, tf_value(self.v)]
        for _ in range(3):
            here.append(self.vector(here, DEPTH))
        return here[-1]


def tf_value(variable):
    """The value of a variable."""
    return variable.read_value()


def program(seed):
    """The function of a seed."""

    def run(tf):
        maker = _Maker(tf, seed)
        y = maker.build()
        sources = [maker.x, maker.c, maker.v]
        found = tf.gradients(tf.reduce_sum(tf.square(y)), sources)
        fetches = [tf.zeros([3]) if g is None else g for g in found]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feeds = ([0.3, -0.2, 1.1], [-2.0, 0.0, 0.7])
            values = [sess.run([y, *fetches], {maker.x: f}) for f in feeds]
        return [values, [g is None for g in found], str(y.get_shape())]

    return run
