"""Programs for TensorFlow 1: sessions, errors and random numbers.

Each is a function of the module `tf` and returns what is compared: plain data and
numpy's values.
"""

import collections

import numpy as np

from tf1_tools import program, raised

# ---- sessions: fetches and feeds ----


@program
def fetches(tf):
    x, y = tf.constant(1.0, name="x"), tf.constant([1, 2], name="y")
    Pair = collections.namedtuple("Pair", ["a", "b"])
    with tf.Session() as sess:
        return [
            sess.run(x),
            sess.run([x]),
            sess.run((x, [y, x])),
            sess.run({"x": x, "l": [y]}),
            sess.run(Pair(x, y)),
            sess.run(x.op),
            sess.run([x, x.op]),
            sess.run("x:0"),
            sess.run("x"),
            sess.run(["y:0"]),
            sess.run([]),
            x.eval(),
            y.eval(session=sess),
            raised(tf, lambda: sess.run(None)),
            raised(tf, lambda: sess.run(3)),
            raised(tf, lambda: sess.run("z:0")),
            raised(tf, lambda: sess.run([x, None])),
        ]


@program
def types_of_fetches(tf):
    values = [tf.constant(v) for v in (1, 1.5, True, "s", [1], ["a", "b"])]
    with tf.Session() as sess:
        found = sess.run(values)
    return [type(v).__name__ for v in found]


@program
def feeds(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    s = tf.placeholder(tf.string)
    b = tf.placeholder(tf.bool)
    y = x * 2
    with tf.Session() as sess:
        run = sess.run
        return [
            run(y, {x: [[1, 2]]}),
            run(y, {x: [[np.float64(1), np.float32(2)]]}),
            run(y, {x: [np.array([1, 2]), np.array([3, 4])]}),
            run(y, {x: np.array([[1, 2]])}),
            run(y, {"x:0": [[1, 2]]}),
            run(y, {y: [[5, 5]]}),
            run(n, {n: 1.7}),
            run(n, {n: np.int64(3)}),
            run(n, {n: True}),
            run(s, {s: "abc"}),
            run(s, {s: ["a", b"b"]}),
            run(b, {b: 1}),
            run(b, {b: [0, 2]}),
            raised(tf, lambda: run(n, {n: 2**40})),
            raised(tf, lambda: run(y, {x: [1, 2]})),
            raised(tf, lambda: run(y, {x: [[1, 2, 3]]})),
            raised(tf, lambda: run(y)),
            raised(tf, lambda: run(y, {x: tf.constant([[1.0, 2.0]])})),
            raised(tf, lambda: run(y, {"nothing:0": 1})),
            raised(tf, lambda: run(y, {3: 1})),
            raised(tf, lambda: run(y, {x: "text"})),
            raised(tf, lambda: run(y, [x])),
            raised(tf, lambda: run(n, {n: [1]})),
        ]


@program
def placeholder_with_default(tf):
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    y = x + 1
    with tf.Session() as sess:
        return [sess.run(y), sess.run(y, {x: [5.0]}), str(x.get_shape())]


@program
def closed_session(tf):
    x = tf.constant(1)
    sess = tf.Session()
    sess.close()
    return raised(tf, lambda: sess.run(x))


@program
def empty_graph(tf):
    return raised(tf, lambda: tf.Session().run("x:0"))


@program
def other_graph(tf):
    x = tf.constant(1)
    with tf.Graph().as_default():
        y = tf.constant(2)
        with tf.Session() as sess:
            found = [sess.run(y), raised(tf, lambda: sess.run(x))]
    return found + [raised(tf, lambda: x + y)]


@program
def no_default_session(tf):
    x = tf.constant(1)
    return [
        raised(tf, x.eval),
        raised(tf, x.op.run),
        tf.get_default_session() is None,
    ]


@program
def default_sessions(tf):
    x = tf.constant(1)
    sess = tf.Session()
    with sess.as_default():
        inside = [x.eval(), tf.get_default_session() is sess]
    after = [tf.get_default_session() is None, sess.run(x)]
    return inside + after


@program
def interactive(tf):
    sess = tf.InteractiveSession()
    x = tf.constant([1.0, 2.0])
    found = [tf.reduce_sum(x).eval(), tf.get_default_session() is sess]
    sess.close()
    return found


@program
def callable_of_session(tf):
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as sess:
        double = sess.make_callable(x * 2, [x])
        return [double(3.0), double(4.0)]


# ---- errors ----


@program
def errors_fields(tf):
    x = tf.placeholder(tf.int32, [None], name="x")
    y = tf.gather([1, 2, 3], x, name="taken")
    with tf.Session() as sess:
        try:
            sess.run(y, {x: [7]})
        except tf.errors.InvalidArgumentError as error:
            return [
                isinstance(error, tf.errors.OpError),
                isinstance(error, ValueError),
                error.error_code,
                error.op.name,
                error.node_def.name,
                isinstance(error.message, str) and len(error.message) > 0,
                error.error_code == tf.errors.INVALID_ARGUMENT,
            ]
    return None


@program
def errors_made(tf):
    error = tf.errors.NotFoundError(None, None, "no such")
    back = tf.errors.exception_type_from_error_code(tf.errors.ABORTED)
    return [
        error.message,
        error.op,
        error.node_def,
        error.error_code,
        str(error),
        back.__name__,
        tf.errors.error_code_from_exception_type(tf.errors.DataLossError),
    ]


@program
def errors_of_steps(tf):
    v = tf.Variable(1.0)
    p = tf.placeholder(tf.float32)
    a = tf.Assert(tf.placeholder_with_default(False, []), ["no"])
    q = tf.FIFOQueue(1, tf.float32)
    fill, take, end = q.enqueue(1.0), q.dequeue(), q.close()
    with tf.Session() as sess:
        found = [
            raised(tf, lambda: sess.run(v)),
            raised(tf, lambda: sess.run(p)),
            raised(tf, lambda: sess.run(a)),
        ]
        sess.run(end)
        found += [
            raised(tf, lambda: sess.run(take)),
            raised(tf, lambda: sess.run(fill)),
        ]
    return found


@program
def deadline(tf):
    q = tf.FIFOQueue(1, tf.float32)
    take = q.dequeue()
    options = tf.RunOptions(timeout_in_ms=50)
    with tf.Session() as sess:
        return raised(tf, lambda: sess.run(take, options=options))


@program
def integer_division_by_zero(tf):
    x = tf.placeholder(tf.int32, [])
    with tf.Session() as sess:
        return [
            raised(tf, lambda: sess.run(op, {x: 0}))
            for op in (tf.div(1, x), 1 // x, 1 % x, tf.floordiv(1, x))
        ]


@program
def labels_out_of_range(tf):
    labels = tf.placeholder(tf.int32, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=tf.constant([[1.0, 2.0], [3.0, 4.0]])
    )
    with tf.Session() as sess:
        return [
            sess.run(loss, {labels: [0, 1]}),
            raised(tf, lambda: sess.run(loss, {labels: [0, 2]})),
            raised(tf, lambda: sess.run(loss, {labels: [-1, 0]})),
            raised(tf, lambda: sess.run(loss, {labels: [0]})),
        ]


# ---- random numbers ----


def _same(a, b):
    return bool(np.array_equal(a, b))


@program
def seeds(tf):
    def drawn(graph_seed, op_seed, make):
        with tf.Graph().as_default():
            if graph_seed is not None:
                tf.set_random_seed(graph_seed)
            a, b = make(op_seed), make(op_seed)
            other = tf.constant(1)
            with tf.Session() as one:
                x1, y1 = one.run([a, b])
                one.run(other)
                x2 = one.run(a)
                y2 = one.run(b)
            with tf.Session() as two:
                two.run(other)
                x3 = two.run(a)
                x4 = two.run(a)
        return x1, x2, x3, x4, y1, y2

    makers = [
        lambda s: tf.random_uniform([8], seed=s),
        lambda s: tf.random_normal([8], seed=s),
        lambda s: tf.truncated_normal([8], seed=s),
        lambda s: tf.random_uniform([8], 0, 1000, tf.int32, seed=s),
        lambda s: tf.nn.dropout(tf.ones([64]), 0.5, seed=s),
    ]
    found = []
    for make in makers:
        for pair in ((None, None), (7, None), (None, 7), (7, 7), (7, 0), (0, 0)):
            x1, x2, x3, x4, y1, y2 = drawn(*pair, make)
            again = drawn(*pair, make)[0]
            found.append(
                [
                    _same(x1, x2),
                    _same(x1, x3),
                    _same(x2, x4),
                    _same(x1, y1),
                    _same(x2, y2),
                    _same(x1, again),
                ]
            )
    return found


@program
def ranges_of_random_numbers(tf):
    with tf.Session() as sess:
        u, n, t, i, k = sess.run(
            [
                tf.random_uniform([4000], -2.0, 4.0),
                tf.random_normal([4000], 1.0, 2.0),
                tf.truncated_normal([4000], 1.0, 2.0, seed=1),
                tf.random_uniform([4000], 3, 6, tf.int32),
                tf.random_normal([4000], 1.0, 2.0, seed=5),
            ]
        )
        d = sess.run(tf.nn.dropout(tf.ones([4000]), keep_prob=0.25))
        s = sess.run(tf.random_shuffle(tf.range(10)))
    return [
        bool(u.min() >= -2 and u.max() < 4),
        round(float(u.mean())),
        round(float(n.mean())),
        round(float(n.std())),
        bool(abs(t - 1).max() <= 4),
        sorted(set(i.tolist())),
        round(float(k.mean())),
        round(float(k.std())),
        sorted(set(d.tolist())),
        round(float(d.mean())),
        sorted(s.tolist()),
        raised(tf, lambda: tf.random_uniform([1], dtype=tf.int32)),
        str(u.dtype),
        str(i.dtype),
    ]


@program
def noise_shapes(tf):
    x = tf.ones([5, 7])
    with tf.Session() as sess:
        rows = sess.run(tf.nn.dropout(x, 0.5, noise_shape=[5, 1], seed=2))
    return bool((rows == rows[:, :1]).all())


@program
def printing(tf):
    x = tf.Print(tf.constant([1.0, 2.0]), [tf.constant(3)], "said: ")
    with tf.Session() as sess:
        return sess.run(x * 2)


@program
def unknown_arguments(tf):
    x = tf.constant([1.0])
    calls = [
        lambda: tf.reduce_sum(x, unknown=1),
        lambda: tf.add(x, x, unknown=1),
        lambda: tf.nn.relu(x, unknown=1),
        lambda: tf.constant(1, unknown=1),
        lambda: tf.get_variable("v", [1], unknown=1),
        lambda: tf.FIFOQueue(1, tf.float32, unknown=1),
        lambda: tf.Session(unknown=1),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [0], unknown=1),
        lambda: tf.train.AdamOptimizer(unknown=1),
        lambda: tf.gradients(x, x, unknown=1),
        lambda: tf.exp(x, "name", 3),
        lambda: tf.add(x),
        lambda: tf.group(x, unknown=1),
    ]
    return [raised(tf, call) for call in calls]
