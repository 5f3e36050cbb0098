"""Programs written for TensorFlow 1, with another import."""

import numpy as np
import pytest

import sluice.compat.tf1 as tf


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.reset_default_graph()


def test_linear_regression():
    rng = np.random.RandomState(0)
    data = rng.rand(100).astype(np.float32)
    x = tf.placeholder(tf.float32, shape=[None], name="x")
    y = tf.placeholder(tf.float32, shape=[None], name="y")
    w = tf.Variable(tf.random_uniform([1], -1.0, 1.0), name="weight")
    b = tf.Variable(tf.zeros([1]), name="bias")
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    step = tf.Variable(0, trainable=False, name="step")
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
    init = tf.global_variables_initializer()
    with tf.Session() as sess:
        sess.run(init)
        for _ in range(200):
            sess.run(train, feed_dict={x: data, y: data * 0.1 + 0.3})
        w_, b_, n = sess.run([w, b, step])
    assert isinstance(w_, np.ndarray)
    np.testing.assert_allclose([w_[0], b_[0]], [0.1, 0.3], atol=1e-3)
    assert n == 200 and n.dtype == np.int32
    assert [v.name for v in tf.trainable_variables()] == ["weight:0", "bias:0"]


def test_softmax_classifier_with_scopes():
    rng = np.random.RandomState(1)
    images = rng.randn(60, 4).astype(np.float32)
    labels = images[:, :3].argmax(1)
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.int64, [None])
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", [4, 3], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [3], initializer=tf.constant_initializer(0.1))
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("w", [4, 3]) is w
    with pytest.raises(ValueError, match="reuse"):
        with tf.variable_scope("layer"):
            tf.get_variable("w", [4, 3])
    logits = tf.matmul(x, w) + b
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    )
    right = tf.equal(tf.argmax(logits, 1), y)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {x: images, y: labels}
        before = sess.run(loss, feed)
        for _ in range(100):
            sess.run(train, feed)
        after, share = sess.run([loss, accuracy], feed)
    np.testing.assert_allclose(before, np.log(3), rtol=1e-5)
    assert after < 0.3 * before and share > 0.95
    assert w.name == "layer/w:0"


def test_while_loops_and_their_gradients():
    x = tf.placeholder(tf.float32, [])
    i, power = tf.while_loop(
        lambda i, p: tf.less(i, 3), lambda i, p: [i + 1, p * x], [0, tf.constant(1.0)]
    )
    (slope,) = tf.gradients(power, [x])
    (curve,) = tf.gradients(slope, x)
    with tf.Session() as sess:
        got = sess.run({"i": i, "p": power, "d": slope, "dd": curve}, {x: 2.0})
    assert got == {"i": 3, "p": 8.0, "d": 12.0, "dd": 12.0}
    assert i.dtype == tf.int32


def test_one_loop_variable():
    n = tf.while_loop(lambda n: n < 100, lambda n: n * 2, [tf.constant(1)])
    with tf.Session() as sess:
        assert sess.run(n) == 128


def test_tensor_arrays():
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    _, values = tf.while_loop(
        lambda i, a: i < 4,
        lambda i, a: (i + 1, a.write(i, tf.to_float(i) * 2)),
        (0, values),
    )
    parts = tf.TensorArray(tf.float32, size=3).unstack(tf.constant([1.0, 2, 3]))
    with tf.Session() as sess:
        assert sess.run(values.stack()).tolist() == [0, 2, 4, 6]
        assert sess.run([parts.read(1), parts.size()]) == [2, 3]


def test_conditions():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    y = tf.cond(x > 0, lambda: tf.assign_add(v, 1.0), lambda: tf.identity(-x))
    z = tf.case(
        [(x > 10, lambda: tf.constant(1)), (x > 5, lambda: tf.constant(2))],
        default=lambda: tf.constant(3),
    )
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(y, {x: -4.0}) == 4
        assert sess.run(v) == 0
        assert sess.run(y, {x: 4.0}) == 1
        assert sess.run(v) == 1
        assert [sess.run(z, {x: n}) for n in (20, 7, 1)] == [1, 2, 3]


def test_map_scan_foldl():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.Session() as sess:
        assert sess.run(tf.map_fn(lambda v: v * v, x)).tolist() == [1, 4, 9]
        assert sess.run(tf.scan(lambda a, v: a + v, x)).tolist() == [1, 3, 6]
        kept = tf.scan(lambda a, v: a * v, x, initializer=tf.constant(10.0))
        assert sess.run(kept).tolist() == [10, 20, 60]
        assert sess.run(tf.foldl(lambda a, v: a - v, x)) == -4


def test_queues_and_runners():
    source = tf.placeholder(tf.float32, [None])
    inputs = tf.FIFOQueue(100, [tf.float32], shapes=[[]], name="inputs")
    load, seal = inputs.enqueue_many([source]), inputs.close()
    batches = tf.FIFOQueue(4, tf.float32, shapes=[[]])
    runner = tf.train.QueueRunner(batches, [batches.enqueue(inputs.dequeue() * 2)] * 2)
    tf.train.add_queue_runner(runner)
    batch = batches.dequeue_many(3)
    got = []
    with tf.Session() as sess:
        sess.run(load, {source: np.arange(9)})
        sess.run(seal)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                got.extend(sess.run(batch).tolist())
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    assert sorted(got) == [2.0 * i for i in range(9)]


def test_graphs_and_names():
    g = tf.Graph()
    with g.as_default():
        with tf.name_scope("a"):
            x = tf.constant(1.0, name="x")
            again = tf.constant(2.0, name="x")
            w = tf.Variable(1.0, name="w")
        assert tf.get_default_graph() is g
    assert (x.op.name, again.op.name, w.name) == ("a/x", "a/x_1", "a/w:0")
    assert g.get_tensor_by_name("a/x:0").op == x.op
    assert tf.get_default_graph() is not g
    with tf.Session(graph=g) as sess:
        assert sess.graph is g
        assert sess.run("a/x_1:0") == 2
        y = x + again
        assert y.eval().item() == 3
    with pytest.raises((ValueError, NotImplementedError), match="grpc"):
        tf.Session("grpc://somewhere", graph=g)


def test_control_dependencies_and_groups():
    v = tf.Variable(1.0)
    double = tf.assign(v, v * 2)
    with tf.control_dependencies([double]):
        after = tf.identity(v)
    both = tf.group(double, tf.no_op())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(after) == 2
        assert sess.run(both) is None
        assert sess.run(v) == 4
        assert sess.run(double) == 8


def test_interactive_session():
    sess = tf.InteractiveSession()
    x = tf.constant([1.0, 2.0])
    assert tf.reduce_sum(x).eval().item() == 3
    sess.close()
    assert tf.get_default_session() is None


@pytest.mark.parametrize(
    "make, want",
    [
        (lambda: tf.reshape(tf.range(6), [2, -1]), [[0, 1, 2], [3, 4, 5]]),
        (lambda: tf.concat([[[1]], [[2]]], 1), [[1, 2]]),
        (lambda: tf.stack([1, 2], axis=0), [1, 2]),
        (lambda: tf.split([1, 2, 3, 4], 2)[1], [3, 4]),
        (lambda: tf.split([1, 2, 3], [1, 2])[1], [2, 3]),
        (lambda: tf.unstack([[1, 2], [3, 4]])[1], [3, 4]),
        (lambda: tf.transpose([[1, 2], [3, 4]]), [[1, 3], [2, 4]]),
        (lambda: tf.expand_dims([1, 2], 0), [[1, 2]]),
        (lambda: tf.squeeze([[1, 2]], [0]), [1, 2]),
        (lambda: tf.tile([1, 2], [2]), [1, 2, 1, 2]),
        (lambda: tf.gather([5, 6, 7], [2, 0]), [7, 5]),
        (lambda: tf.one_hot([1, 0], 2), [[0, 1], [1, 0]]),
        (lambda: tf.reduce_max([[1, 5], [3, 2]], axis=1, keep_dims=True), [[5], [3]]),
        (lambda: tf.reduce_all([True, False]), False),
        (lambda: tf.where([True, False], [1, 2], [3, 4]), [1, 4]),
        (lambda: tf.clip_by_value([1.0, 5.0], 2.0, 4.0), [2, 4]),
        (lambda: tf.shape(tf.zeros([2, 3])), [2, 3]),
        (lambda: tf.fill([2], 7), [7, 7]),
        (lambda: tf.cumsum([1, 2, 3]), [1, 3, 6]),
        (lambda: tf.slice([1, 2, 3], [1], [2]), [2, 3]),
        (lambda: tf.pad([1, 2], [[1, 0]]), [0, 1, 2]),
        (lambda: tf.reverse([1, 2, 3], [0]), [3, 2, 1]),
        (lambda: tf.divide(1, 2), 0.5),
        (lambda: tf.multiply(3, 4), 12),
        (lambda: tf.subtract(x=3, y=4), -1),
        (lambda: tf.maximum(tf.constant(3), 4, name="most"), 4),
        (lambda: tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]), [[11]]),
        (lambda: tf.nn.relu([-1.0, 2.0]), [0, 2]),
        (lambda: tf.nn.l2_loss([3.0, 4.0]), 12.5),
        (lambda: tf.nn.top_k([1.0, 3.0, 2.0], 2)[1], [1, 2]),
        (lambda: tf.nn.moments(tf.constant([1.0, 3.0]), [0])[1], 1),
        (lambda: tf.linspace(0.0, 1.0, 3), [0, 0.5, 1]),
        (lambda: tf.size([1, 2, 3]), 3),
    ],
)
def test_ops(make, want):
    value = make()
    with tf.Session() as sess:
        assert sess.run(value).tolist() == want


def test_types_of_numbers():
    assert tf.constant(1).dtype == tf.int32
    assert tf.constant([1.5]).dtype == tf.float32
    assert tf.constant(2**40).dtype == tf.int64
    assert tf.constant(1, tf.float32).dtype == tf.float32
    assert tf.constant(np.int64(1)).dtype == tf.int64
