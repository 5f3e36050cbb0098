"""Programs for TensorFlow 1: sizes that are known only when a step runs.

Each is a function of the module `tf` and returns what is compared: plain data and
numpy's values.
"""

import numpy as np

from tf1_tools import program, raised, started


@program
def unknown_batch(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.int64, [None])
    w = tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 4) / 10)
    b = tf.Variable([0.1, 0.2, 0.3, 0.4])
    hidden = tf.nn.relu(tf.matmul(x, w) + b)
    logits = tf.nn.bias_add(hidden, b)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    )
    hot = tf.one_hot(y, 4)
    other = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=hot, logits=logits)
    )
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    grads = tf.gradients(loss, [w, b])
    mean, variance = tf.nn.moments(x, [0])
    wide = tf.reshape(x, [-1, 1])
    flat = tf.reshape(x, [tf.shape(x)[0] * 3])
    feed = {x: [[1, 2, 3], [-1, 0, 1]], y: [0, 3]}
    with started(tf) as sess:
        values = sess.run(
            [loss, other, right, grads, mean, variance, wide, flat, tf.shape(x)[0]],
            feed,
        )
    shapes = [str(t.get_shape()) for t in (hidden, logits, hot, mean, wide, x[:, 0])]
    return [values, shapes]


@program
def sizes_that_differ_when_they_run(tf):
    a, b = (tf.placeholder(tf.float32, [None]) for _ in range(2))
    m = tf.placeholder(tf.float32, [None, None])
    p = tf.placeholder(tf.bool, [None])
    v = tf.Variable([1.0, 2.0, 3.0])
    made = {
        "add": a + b,
        "where": tf.where(p, a, b),
        "rows": tf.where(p, m, m),
        "add_n": tf.add_n([a, b]),
        "bias": tf.nn.bias_add(m, b),
        "matmul": tf.matmul(m, m),
        "concat": tf.concat([m, tf.expand_dims(a, 0)], 0),
        "stack": tf.stack([a, b]),
        "sigmoid": tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b),
        "gather": tf.gather(a, tf.constant([2])),
        "squeeze": tf.squeeze(m, [0]),
        "assign": v.assign(a),
        "reshape": tf.reshape(a, [2, 2]),
        "mask": tf.boolean_mask(a, p),
        "less": a < b,
        "maximum": tf.maximum(a, b),
        "mse": tf.reduce_mean(tf.square(a - b)),
        "scatter": tf.scatter_add(v, [0, 1], a),
    }
    feeds = [
        {a: [1, 2, 3], b: [4, 5, 6], m: np.eye(3), p: [True, False, True]},
        {a: [1], b: [4, 5, 6], m: np.ones((1, 3)), p: [True]},
        {a: [1, 2], b: [1, 2, 3], m: np.ones((2, 3)), p: [True, False, True]},
    ]
    found = {}
    with started(tf) as sess:
        for name, fetch in made.items():
            for i, feed in enumerate(feeds):
                try:
                    found[f"{name} {i}"] = sess.run(fetch, feed)
                except tf.errors.OpError as error:
                    found[f"{name} {i}"] = type(error).__name__
    return found


@program
def labels_and_logits_that_differ(tf):
    labels = tf.placeholder(tf.int32, [None])
    logits = tf.placeholder(tf.float32, [None, 2])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    with tf.Session() as sess:
        return [
            raised(tf, lambda: sess.run(loss, {labels: k, logits: np.zeros((n, 2))}))
            for k, n in (([0], 2), ([0, 1, 1], 2), ([0, 1], 2), ([0, 5], 2), ([-1], 1))
        ]


@program
def moving_places(tf):
    i = tf.placeholder(tf.int32, [])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    made = [
        x[i],
        x[i, 0],
        x[:, i - 1],
        x[i:],
        x[: i + 1],
        x[i : i + 1, :1],
        x[-i],
        x[i, tf.newaxis],
        x[..., i - 1],
        tf.slice(x, [i, 0], [1, -1]),
        tf.slice(x, tf.stack([i, 0]), tf.stack([i, 1])),
        tf.gather(x, i),
        tf.tile(x[:1], [i, 2]),
        tf.zeros([i, 2]),
        tf.fill(tf.stack([i, i]), 7),
        tf.reshape(x, [i * 3, 2]),
        tf.one_hot([0, 1], i + 1),
        tf.range(i, 5),
        tf.expand_dims(x, 0)[0, i],
        tf.ones(tf.shape(x)[:i]),
    ]
    (slope,) = tf.gradients(x[i] * x[0], x)
    with tf.Session() as sess:
        found = sess.run(made, {i: 1}) + [sess.run(slope, {i: 1})]
        found += [sess.run(x[i], {i: 2}), sess.run(x[i - 5], {i: 4})]
        wrong = [raised(tf, lambda: sess.run(x[i], {i: n})) for n in (3, -4)]
        wrong += [raised(tf, lambda: sess.run(made[10], {i: 2}))]
    return [found, wrong, str(x[i].get_shape()), str(x[i:].get_shape())]


@program
def random_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 4])
    normal = tf.random_normal(tf.shape(x), 3.0, 0.5, seed=1)
    uniform = tf.random_uniform(tf.shape(x), seed=1)
    drop = tf.nn.dropout(tf.ones_like(x), 0.5)
    seeded = tf.nn.dropout(tf.ones_like(x), 0.5, seed=3)
    feed = {x: np.zeros((500, 4))}
    with tf.Session() as sess:
        n, u, d, s = sess.run([normal, uniform, drop, seeded], feed)
        again = sess.run([normal, drop, seeded], feed)
    with tf.Session() as sess:
        first = sess.run([normal, drop, seeded], feed)
    return [
        n.shape,
        str(n.dtype),
        round(float(n.mean())),
        round(float(n.std()) * 10),
        bool(u.min() >= 0 and u.max() < 1),
        round(float(u.mean()) * 10),
        sorted(set(d.ravel().tolist())),
        round(float(d.mean())),
        [bool((a == b).all()) for a, b in zip((n, d, s), again)],
        [bool((a == b).all()) for a, b in zip((n, d, s), first)],
    ]


@program
def recurrent_network(tf):
    """A network over time steps, written as TensorFlow 1's were."""
    x = tf.placeholder(tf.float32, [None, None, 2])
    w = tf.get_variable("w", initializer=np.full((5, 3), 0.1, np.float32))
    b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
    batch, steps = tf.shape(x)[0], tf.shape(x)[1]
    inputs = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(x, [1, 0, 2]))
    outputs = tf.TensorArray(tf.float32, size=steps)

    def body(t, state, outputs):
        state = tf.tanh(tf.matmul(tf.concat([inputs.read(t), state], 1), w) + b)
        return t + 1, state, outputs.write(t, state)

    start = tf.zeros(tf.stack([batch, 3]))
    _, last, outputs = tf.while_loop(
        lambda t, *_: t < steps,
        body,
        (0, start, outputs),
        shape_invariants=(
            tf.TensorShape([]),
            tf.TensorShape([None, None]),
            tf.TensorShape(None),
        ),
    )
    states = outputs.stack()
    loss = tf.reduce_mean(tf.square(states - 0.5))
    grads = tf.gradients(loss, [w, b])
    clipped, norm = tf.clip_by_global_norm(grads, 0.01)
    train = tf.train.AdamOptimizer(0.1).apply_gradients(zip(clipped, [w, b]))
    feed = {x: np.linspace(-1, 1, 24).reshape(2, 6, 2)}
    with started(tf) as sess:
        before = sess.run([loss, norm, last, grads], feed)
        for _ in range(5):
            sess.run(train, feed)
        return [before, sess.run(loss, feed)]


@program
def embedding_and_batches(tf):
    ids = tf.placeholder(tf.int32, [None, None])
    table = tf.get_variable(
        "t", initializer=np.arange(10, dtype=np.float32).reshape(5, 2)
    )
    rows = tf.nn.embedding_lookup(table, ids)
    mask = tf.cast(tf.not_equal(ids, 0), tf.float32)
    total = tf.reduce_sum(rows * tf.expand_dims(mask, -1), 1)
    count = tf.maximum(tf.reduce_sum(mask, 1, keepdims=True), 1.0)
    mean = total / count
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(mean))
    feed = {ids: [[1, 2, 0], [4, 0, 0], [0, 0, 0]]}
    with started(tf) as sess:
        before = sess.run(mean, feed)
        for _ in range(3):
            sess.run(train, feed)
        return [before, sess.run(table), str(rows.get_shape())]


@program
def shapes_told_later(tf):
    x = tf.placeholder(tf.float32)
    before = x * x
    x.set_shape([None, 2])
    after = tf.reduce_sum(x * 3.0, 1)
    (slope,) = tf.gradients([before, after], x)
    feed = {x: [[1, 2], [3, 4]]}
    with tf.Session() as sess:
        values = sess.run([before, after, slope, x + 1], feed)
    return [values, str(before.get_shape()), str(after.get_shape()), x.name]


@program
def steps_in_parts(tf):
    a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
    first = a + b
    second = first * c
    with tf.Session() as sess:
        step = sess.partial_run_setup([first, second], [a, b, c])
        one = sess.partial_run(step, first, {a: 1, b: 2})
        return [one, sess.partial_run(step, second, {c: one * 17})]


@program
def devices(tf):
    with tf.device("/cpu:0"):
        x = tf.constant(1.0)
        with tf.device(None):
            y = x + 1
    with tf.device("/device:CPU:0"):
        z = y + 1
    with tf.colocate_with(x):
        w = z + 1
    with tf.Session() as sess:
        return sess.run([x, y, z, w])
