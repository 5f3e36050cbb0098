"""Random programs of loops and conditions run, and their gradients are right."""

import numpy as np
import pytest
from sanitized import SANITIZED

import sluice.compat.tf1 as tf
import tf1_random_programs


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_they_run(first):
    for seed in range(first, first + 50, 8 if SANITIZED else 1):
        with tf.Graph().as_default():
            values, *_ = tf1_random_programs.program(seed)(tf)
        assert all(np.isfinite(v).all() for step in values for v in step), seed


def test_gradient_of_a_branch_whose_other_side_is_known():
    # The condition of the inner branch is a constant, so that the sizes of what
    # is kept for its other side are known to be none.
    c = np.array([0.5, -1.0, 0.25], np.float32)
    with tf.Graph().as_default():
        p = tf.placeholder(tf.bool, [])
        q = tf.placeholder(tf.float32, [3])
        x = tf.constant(c)

        def inner():
            return tf.cond(
                tf.reduce_max(x) > 0.0,
                lambda: tf.nn.softmax(x) * x,
                lambda: tf.nn.softmax(x) * x,
            )

        def outer():
            return tf.cond(tf.reduce_max(q) > 1.0, lambda: x + q, inner)

        y = tf.cond(p, outer, lambda: x * 2.0)
        (slope,) = tf.gradients(y, x)
        with tf.Session() as sess:
            feed = {q: np.ones(3)}
            assert sess.run(slope, {p: False, **feed}).tolist() == [2, 2, 2]
            share = np.exp(c) / np.exp(c).sum()
            want = share * (1 + c - (share * c).sum())
            got = sess.run(slope, {p: True, **feed})
            np.testing.assert_allclose(got, want, rtol=1e-5)
            feed = {q: np.full(3, 2.0)}
            assert sess.run(slope, {p: True, **feed}).tolist() == [1, 1, 1]
