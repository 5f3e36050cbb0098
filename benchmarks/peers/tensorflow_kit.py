"""TensorFlow: tf.function, with its compiler (XLA) and without."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from jax_like import JaxLike
from numbers_of_cases import Deal, Weights


class TensorFlow(JaxLike):
    def __init__(self, mode: str, threads: int, low: bool):
        import os

        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        super().__init__(low)
        self.tf, self.xla = tf, mode == "xla"
        self.relu, self.tanh, self.sigmoid = tf.nn.relu, tf.tanh, tf.sigmoid
        self.rsqrt, self.matmul = tf.math.rsqrt, tf.matmul
        self.reshape, self.transpose = tf.reshape, tf.transpose
        self.where, self.einsum = tf.where, tf.einsum
        self.rows, self.relu6 = tf.gather, tf.nn.relu6

    def tensor(self, array: np.ndarray) -> Any:
        return self.tf.constant(array)

    def number(self, result: Any) -> list[float]:
        return np.asarray(self.as_f32(result)).ravel()[:8].tolist()

    def cast(self, x: Any) -> Any:
        return self.tf.cast(x, self.tf.bfloat16) if self.low else x

    def as_f32(self, x: Any) -> Any:
        return self.tf.cast(x, self.tf.float32)

    def concat(self, parts: Any, axis: int) -> Any:
        return self.tf.concat(parts, axis)

    def mean(self, x: Any, axis: Any) -> Any:
        return self.tf.reduce_mean(x, axis, keepdims=True)

    def batch_norm(self, x: Any, size: int, training: bool) -> Any:
        """TensorFlow has an op of its own, which is faster than the formula."""
        scale, shift = self.take(size), self.take(size)
        none = self.tf.zeros_like(scale)
        y, *_ = self.tf.compat.v1.nn.fused_batch_norm(
            x, self.as_f32(scale), self.as_f32(shift),
            mean=None if training else self.as_f32(none),
            variance=None if training else self.as_f32(none) + 1,
            epsilon=1e-5, is_training=training,
        )
        return y

    def lower_triangle(self, size: int) -> Any:
        return np.tri(size, dtype=bool)

    def softmax(self, x: Any) -> Any:
        return self.cast(self.tf.nn.softmax(self.as_f32(x)))

    def gelu(self, x: Any) -> Any:
        return self.tf.nn.gelu(x, approximate=False)

    def cross_entropy(self, logits: Any, y: Any) -> Any:
        tf = self.tf
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            y, self.as_f32(logits)))

    def segment_sum(self, x: Any, at: Any, count: int) -> Any:
        return self.tf.math.unsorted_segment_sum(x, at, count)

    def convolve(self, x: Any, w: Any, stride: int, pad: int, groups: int) -> Any:
        pads = [[0, 0], [pad, pad], [pad, pad], [0, 0]]
        if groups > 1 and groups == x.shape[-1]:
            w = self.transpose(w, (0, 1, 3, 2))
            return self.tf.nn.depthwise_conv2d(
                x, w, (1, stride, stride, 1), padding=pads)
        return self.tf.nn.conv2d(x, w, stride, padding=pads)

    def max_pool(self, x: Any, size: int, stride: int, pad: int = 0) -> Any:
        if pad:
            x = self.tf.pad(x, [[0, 0], [pad, pad], [pad, pad], [0, 0]],
                            constant_values=x.dtype.min)
        return self.tf.nn.max_pool2d(x, size, stride, "VALID")

    def weights_of(self, net: Callable, args: Any) -> list[Any]:
        made = self.dealt = Weights()
        self.tf.function(net).get_concrete_function(*args)
        return [self.tf.Variable(w) for w in made.made]

    def scan(self, step: Callable, state: Any, xs: Any) -> tuple[Any, Any]:
        """As lax.scan, by a while loop over arrays of tensors."""
        tf = self.tf
        count = xs.shape[0]
        ys = tf.TensorArray(xs.dtype, size=count)

        def body(i: Any, state: Any, ys: Any) -> Any:
            state, y = step(state, xs[i])
            return i + 1, state, ys.write(i, y)

        _, state, ys = tf.while_loop(
            lambda i, *_: i < count, body, (0, state, ys), maximum_iterations=count)
        return state, ys.stack()

    def infer(self, net: Callable, *args: Any) -> tuple[Callable, Callable]:
        weights = self.weights_of(net, args)

        @self.tf.function(jit_compile=self.xla)
        def run(*args: Any) -> Any:
            self.dealt = Deal([w.read_value() for w in weights])
            return net(*args)

        return lambda: run(*args), self.number

    def train(self, loss_of: Callable, rate: float, momentum: float, *args: Any):
        tf = self.tf
        weights = self.weights_of(loss_of, args)
        speeds = [tf.Variable(0 * w) for w in weights] if momentum else []

        @tf.function(jit_compile=self.xla)
        def train(*args: Any) -> Any:
            with tf.GradientTape() as tape:
                self.dealt = Deal([w.read_value() for w in weights])
                loss = loss_of(*args)
            grads = [tf.convert_to_tensor(g) for g in tape.gradient(loss, weights)]
            for i, (w, g) in enumerate(zip(weights, grads)):
                if momentum:
                    g = speeds[i].assign(momentum * speeds[i] + g)
                w.assign_sub(rate * g)
            return loss

        return lambda: train(*args), self.number
