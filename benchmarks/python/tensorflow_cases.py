"""What TensorFlow does of what `run.py` compares: tf.function, with and without
its compiler."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import mlp_data  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(2)
tf.config.threading.set_inter_op_parallelism_threads(2)


def _mlp(jit_compile: bool):
    weights = [tf.Variable(w) for w in mlp_data.weights()]
    x, y = map(tf.constant, mlp_data.batch())

    @tf.function(jit_compile=jit_compile)
    def train(x, y):
        w1, b1, w2, b2 = weights
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            )
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(mlp_data.RATE * g)
        return loss

    return lambda: train(x, y), float


def mlp_eager():
    """tf.function without XLA."""
    return _mlp(jit_compile=False)


def mlp_compiled():
    return _mlp(jit_compile=True)


CASES = {f.__name__: f for f in (mlp_eager, mlp_compiled)}
