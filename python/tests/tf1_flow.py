"""Programs for TensorFlow 1: conditions, loops, arrays and queues.

Each is a function of the module `tf` and returns what is compared: plain data and
numpy's values.
"""

import numpy as np

from tf1_tools import program, raised, started

# ---- control flow ----


@program
def conditions(tf):
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    x = tf.constant(2.0)
    calls = []

    def yes():
        calls.append("yes")
        return tf.assign_add(v, 1)

    def no():
        calls.append("no")
        return tf.constant(-1)

    one = tf.cond(p, yes, no)
    listed = tf.cond(p, lambda: [x], lambda: [x * 2])
    strict = tf.cond(p, lambda: [x], lambda: [x * 2], strict=True)
    several = tf.cond(p, lambda: (x, 1), lambda: (x * 3, 2))
    nested = tf.cond(p, lambda: {"a": x}, lambda: {"a": -x})
    numbers = tf.cond(p, lambda: 1, lambda: 2)
    (slope,) = tf.gradients(tf.cond(p, lambda: x * x, lambda: x * 3.0), x)
    old = tf.cond(p, fn1=lambda: x, fn2=lambda: -x)
    effect = tf.cond(p, lambda: tf.group(tf.assign_add(v, 10)), lambda: tf.no_op())
    variable = tf.cond(p, lambda: v, lambda: v + 1)
    with started(tf) as sess:
        found = [
            sess.run([one, v], {p: True}) and sess.run(v),
            sess.run(one, {p: False}),
        ]
        for holds in (True, False):
            found.append(
                sess.run(
                    [listed, strict, several, nested, numbers, slope, old, variable],
                    {p: holds},
                )
            )
        found += [
            sess.run(effect, {p: True}),
            sess.run(v),
            sess.run(effect, {p: False}),
            sess.run(v),
        ]
    return found + [
        calls,
        raised(tf, lambda: tf.cond(True, lambda: x, lambda: x)),
        raised(tf, lambda: tf.cond(tf.constant(1), lambda: x, lambda: x)),
        raised(tf, lambda: tf.cond(p, lambda: x, lambda: 1)),
        raised(tf, lambda: tf.cond(p, lambda: x, lambda: (x, x))),
        raised(tf, lambda: tf.cond(p, lambda: x)),
        raised(tf, lambda: tf.cond(p, x, lambda: x)),
        raised(tf, lambda: tf.cond(p, lambda: x, lambda: x, fn1=lambda: x)),
    ]


@program
def cases(tf):
    x = tf.placeholder(tf.int32, [])
    pairs = [(x > 10, lambda: tf.constant(1)), (x > 5, lambda: tf.constant(2))]
    default = tf.case(pairs, default=lambda: tf.constant(3))
    bare = tf.case(pairs)
    exclusive = tf.case(pairs, default=lambda: tf.constant(3), exclusive=True)
    one = tf.case([(x > 0, lambda: tf.constant(9))])
    table = tf.case(
        {x > 10: lambda: tf.constant(1), x < 5: lambda: tf.constant(2)},
        default=lambda: tf.constant(3),
        exclusive=True,
    )
    with tf.Session() as sess:

        def run(t, value):
            try:
                return sess.run(t, {x: value})
            except tf.errors.OpError as error:
                return type(error).__name__

        found = [
            [run(t, v) for v in (20, 7, 1, 0)]
            for t in (default, bare, exclusive, one, table)
        ]
    return found + [
        raised(tf, lambda: tf.case([(True, lambda: x)])),
        raised(tf, lambda: tf.case([(x > 1, x)])),
        raised(tf, lambda: tf.case([[x > 1, lambda: x]])),
        raised(tf, lambda: tf.case(pairs, default=x)),
    ]


@program
def exclusive_without_default(tf):
    x = tf.placeholder(tf.int32, [])
    pairs = [(x > 10, lambda: tf.constant(1)), (x > 5, lambda: tf.constant(2))]
    both = tf.case(pairs, exclusive=True)
    with tf.Session() as sess:
        return sess.run(both, {x: 20})


@program
def loops(tf):
    calls = []

    def body(i, p):
        calls.append(1)
        return [i + 1, p * 2.0]

    x = tf.placeholder(tf.float32, [])
    two = tf.while_loop(lambda i, p: i < 3, body, [0, tf.constant(1.0)])
    tupled = tf.while_loop(lambda i, p: i < 3, body, (0, x))
    one = tf.while_loop(lambda n: n < 100, lambda n: n * 2, [1])
    same = tf.while_loop(
        lambda n: n < 100, lambda n: n * 2, [1], return_same_structure=True
    )
    alone = tf.while_loop(lambda n: n < 100, lambda n: (n * 2,), (1,))
    bounded = tf.while_loop(lambda n: True, lambda n: n + 1, [0], maximum_iterations=4)
    zero = tf.while_loop(lambda n: n < 0, lambda n: n + 1, [5])
    nested = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, {"a": s["a"] + 1, "b": [s["b"][0] * 2]}),
        (0, {"a": tf.constant(0), "b": [tf.constant(1)]}),
    )
    power = tf.while_loop(
        lambda i, p: i < 3, lambda i, p: (i + 1, p * x), (0, tf.constant(1.0))
    )[1]
    (slope,) = tf.gradients(power, x)
    off = tf.while_loop(
        lambda i, p: i < 3,
        lambda i, p: (i + 1, p * x),
        (0, tf.constant(1.0)),
        back_prop=False,
    )[1]
    grows = tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf.concat([v, v], 0)),
        (0, tf.constant([1.0])),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )[1]
    bound = tf.while_loop(lambda i: i < x, lambda i: i + 1.0, [0.0])
    with tf.Session() as sess:
        found = [
            sess.run(
                [
                    two,
                    tupled,
                    one,
                    same,
                    alone,
                    bounded,
                    zero,
                    nested,
                    power,
                    slope,
                    grows,
                    bound,
                ],
                {x: 2.0},
            ),
            [type(t).__name__ for t in (two, tupled, same)],
            tf.gradients(off, x)[0] is None,
            str(grows.get_shape()),
            len(calls),
            two[0].dtype.name,
        ]
    return found + [
        raised(tf, lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1.5, [0])),
        raised(tf, lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0])),
        raised(tf, lambda: tf.while_loop(lambda i: i < 3, lambda i: None, [0])),
        raised(tf, lambda: tf.while_loop(lambda i: i, lambda i: i, [0])),
        raised(tf, lambda: tf.while_loop(3, lambda i: i, [0])),
        raised(tf, lambda: tf.while_loop(lambda i: i < 3, lambda i: i, [])),
        raised(
            tf,
            lambda: tf.while_loop(
                lambda i, v: i < 3,
                lambda i, v: (i + 1, tf.concat([v, v], 0)),
                (0, tf.constant([1.0])),
            ),
        ),
        raised(
            tf,
            lambda: tf.while_loop(
                lambda i: i < 3,
                lambda i: i + 1,
                [tf.constant(0)],
                shape_invariants=[tf.TensorShape([2])],
            ),
        ),
    ]


@program
def loops_with_variables(tf):
    v = tf.Variable(0)
    ends = tf.while_loop(
        lambda i: i < 5,
        lambda i: tf.tuple([i + 1], control_inputs=[tf.assign_add(v, 2)])[0],
        [0],
    )
    weights = tf.Variable([[0.5]])
    out = tf.while_loop(
        lambda i, h: i < 3,
        lambda i, h: (i + 1, tf.matmul(h, weights)),
        (0, tf.constant([[8.0]])),
    )[1]
    (slope,) = tf.gradients(out, weights)
    with started(tf) as sess:
        return [sess.run(ends), sess.run(v), sess.run([out, slope])]


@program
def maps(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    m = tf.constant([[1, 2], [3, 4]])
    calls = []

    def counted(v):
        calls.append(1)
        return v * v

    squares = tf.map_fn(counted, x)
    typed = tf.map_fn(lambda r: tf.reduce_sum(r) > 4, m, dtype=tf.bool)
    pair = tf.map_fn(lambda r: (r[0], r[1] * 2.0), (m, tf.constant([1.0, 2.0])))
    to_pair = tf.map_fn(
        lambda v: (v, tf.cast(v, tf.int32)), x, dtype=(tf.float32, tf.int32)
    )
    (slope,) = tf.gradients(squares, x)
    none = tf.map_fn(lambda v: v * 2, tf.zeros([0, 2]))
    p = tf.placeholder(tf.float32, [None])
    unknown = tf.map_fn(lambda v: v + 1, p)
    off = tf.map_fn(lambda v: v * v, x, back_prop=False)
    with tf.Session() as sess:
        found = sess.run([squares, typed, pair, to_pair, slope, none])
        found += [sess.run(unknown, {p: [1, 2]}), sess.run(unknown, {p: []})]
    return found + [
        str(squares.get_shape()),
        str(none.get_shape()),
        len(calls),
        tf.gradients(off, x)[0] is None,
        raised(tf, lambda: tf.map_fn(lambda v: (v, v), x)),
        raised(tf, lambda: tf.map_fn(lambda v: v, tf.constant(1.0))),
    ]


@program
def scans(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with_start = tf.scan(lambda a, v: a * v, x, initializer=tf.constant(10.0))
    (slope,) = tf.gradients(with_start, x)
    with tf.Session() as sess:
        return [
            sess.run(tf.scan(lambda a, v: a + v, x)),
            sess.run(with_start),
            sess.run(slope),
            sess.run(tf.scan(lambda a, v: a + v, x, reverse=True)),
            sess.run(
                tf.scan(
                    lambda a, v: (a[0] + v, a[1] * v),
                    x,
                    initializer=(tf.constant(0.0), tf.constant(1.0)),
                )
            ),
            sess.run(tf.foldl(lambda a, v: a - v, x)),
            sess.run(tf.foldl(lambda a, v: a - v, x, initializer=1.0)),
            sess.run(tf.foldr(lambda a, v: a - v, x)),
            sess.run(tf.foldr(lambda a, v: a * 2 - v, x, initializer=1.0)),
            str(with_start.get_shape()),
        ]


@program
def control_dependencies(tf):
    v = tf.Variable(1.0)
    double = tf.assign(v, v * 2)
    with tf.control_dependencies([double]):
        after = tf.identity(v.read_value())
        nothing = tf.no_op()
        with tf.control_dependencies(None):
            free = tf.constant(1.0) + 1
    grouped = tf.group(double, nothing)
    a, b = tf.tuple([tf.constant(1), tf.constant(2)], control_inputs=[double])
    with started(tf) as sess:
        return [
            sess.run(after),
            sess.run(v),
            sess.run(nothing),
            sess.run(v),
            sess.run(free),
            sess.run(v),
            sess.run(grouped),
            sess.run(v),
            sess.run([a, b]),
            sess.run(v),
            raised(tf, lambda: tf.group(3)),
            raised(tf, lambda: tf.control_dependencies([3]).__enter__()),
            raised(tf, lambda: tf.tuple([])),
        ]


@program
def tensor_arrays(tf):
    grows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    _, grows = tf.while_loop(
        lambda i, a: i < 4,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * 2)),
        (0, grows),
    )
    one = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
    one = one.unstack(tf.constant([1.0, 2.0, 3.0]))
    wide = tf.TensorArray(tf.float32, 2).write(0, [1.0, 2.0]).write(1, [3.0, 4.0])
    later = tf.TensorArray(tf.int32, 0, dynamic_size=True).write(2, 5)
    fixed = tf.TensorArray(tf.float32, 1).write(tf.constant(1), 1.0)
    beyond = tf.TensorArray(tf.float32, 1).write(0, 1.0).read(tf.constant(4))
    x = tf.constant([1.0, 2.0])
    through = tf.TensorArray(tf.float32, 2).unstack(x * x).stack()
    split = tf.TensorArray(tf.float32, 2, infer_shape=False).split(
        tf.constant([1.0, 2.0, 3.0]), [1, 2]
    )
    put = tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], tf.constant([1.0, 2.0, 3.0]))
    with tf.Session() as sess:
        return [
            sess.run(grows.stack()),
            sess.run([one.read(1), one.size()]),
            sess.run(wide.stack()),
            sess.run(later.size()),
            sess.run(
                tf.TensorArray(tf.float32, 2)
                .write(0, [1.0, 2.0])
                .write(1, [3.0, 4.0])
                .concat()
            ),
            sess.run(tf.gradients(through, x)),
            sess.run(put.stack()),
            sess.run(tf.TensorArray(tf.int32, 3).unstack([1, 2, 3]).gather([2, 0])),
            sess.run(split.concat()),
            raised(tf, lambda: sess.run(fixed.stack())),
            raised(tf, lambda: sess.run(beyond)),
            raised(tf, lambda: tf.TensorArray(tf.float32, 2).write(0, 1)),
            raised(
                tf,
                lambda: tf.TensorArray(tf.float32, 2)
                .write(0, [1.0])
                .write(1, [1.0, 2.0]),
            ),
            raised(tf, lambda: tf.TensorArray(tf.float32)),
            wide.dtype.name,
            str(wide.stack().get_shape()),
        ]


# ---- queues ----


@program
def queues(tf):
    q = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []], name="q")
    one = q.enqueue(([1.0, 2.0], 3))
    many = q.enqueue_many([[[1.0, 2.0], [3.0, 4.0]], [5, 6]])
    named = tf.FIFOQueue(10, [tf.int32], names=["n"], shapes=[[]])
    put = named.enqueue({"n": 7})
    single = tf.FIFOQueue(3, tf.int32)
    push = single.enqueue(4)
    with tf.Session() as sess:
        found = [
            sess.run(one),
            sess.run(many),
            sess.run(q.size()),
            sess.run(q.dequeue()),
            sess.run(q.dequeue_many(1)),
            sess.run(put),
            sess.run(named.dequeue()),
            sess.run(push),
            sess.run(single.dequeue()),
            sess.run(q.is_closed()),
        ]
        sess.run(q.close())
        found += [
            sess.run(q.is_closed()),
            sess.run(q.dequeue_up_to(5)),
            raised(tf, lambda: sess.run(q.dequeue())),
            raised(tf, lambda: sess.run(one)),
        ]
    return found + [
        q.name,
        [t.name for t in q.dtypes],
        [str(s) for s in q.shapes],
        str(q.dequeue_many(3)[0].get_shape()),
        str(q.dequeue_up_to(3)[1].get_shape()),
        raised(tf, lambda: q.enqueue([1.0])),
        raised(tf, lambda: q.enqueue(([1.0, 2.0, 3.0], 1))),
        raised(tf, lambda: q.enqueue(([1.0, 2.0], 1.5))),
        raised(tf, lambda: named.enqueue(7)),
        raised(tf, lambda: q.enqueue({"n": 7})),
    ]


@program
def other_queues(tf):
    p = tf.PriorityQueue(10, [tf.string], shapes=[[]])
    fill = p.enqueue_many([np.array([3, 1, 2], np.int64), ["c", "a", "b"]])
    pad = tf.PaddingFIFOQueue(10, [tf.int32], [[None]])
    puts = [pad.enqueue([[1, 2, 3]]), pad.enqueue([[4]])]
    mix = tf.RandomShuffleQueue(100, 0, tf.int32, shapes=[[]], seed=3)
    load = mix.enqueue_many([list(range(50))])
    with tf.Session() as sess:
        sess.run(fill)
        for put in puts:
            sess.run(put)
        sess.run(load)
        found = [
            sess.run(p.dequeue()),
            sess.run(p.dequeue_many(2)),
            sess.run(pad.dequeue_many(2)),
        ]
        drawn = sess.run(mix.dequeue_many(50))
    return found + [
        sorted(drawn.tolist()) == list(range(50)),
        drawn.tolist() != list(range(50)),
    ]


@program
def runners(tf):
    source = tf.FIFOQueue(100, tf.int32, shapes=[[]])
    load, seal = source.enqueue_many([list(range(9))]), source.close()
    q = tf.FIFOQueue(4, tf.int32, shapes=[[]])
    runner = tf.train.QueueRunner(q, [q.enqueue(source.dequeue() * 2)] * 2)
    tf.train.add_queue_runner(runner)
    batch = q.dequeue_many(3)
    got = []
    with tf.Session() as sess:
        sess.run([load])
        sess.run(seal)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                got += sess.run(batch).tolist()
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return [
        sorted(got),
        len(threads),
        coord.should_stop(),
        runner.name == q.name,
        raised(tf, lambda: tf.train.start_queue_runners()),
        raised(tf, lambda: tf.train.QueueRunner(q, [])),
    ]


@program
def coordinator_errors(tf):
    q = tf.FIFOQueue(4, tf.int32, shapes=[[]])
    wrong = tf.gather([1, 2], tf.placeholder_with_default(7, []))
    runner = tf.train.QueueRunner(q, [q.enqueue(wrong)])
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        coord.wait_for_stop(20)
        return raised(tf, lambda: coord.join(threads))


@program
def variables_in_loops_and_branches(tf):
    """They begin before the loop, with what an initializer or a number gives."""

    def looped(body):
        return tf.while_loop(lambda i, a: i < 3, body, [0, tf.constant(1.0)])[1]

    def by_initializer(i, a):
        v = tf.get_variable("a", [], initializer=tf.constant_initializer(2.0))
        return i + 1, a * v

    def by_number(i, a):
        return i + 1, a * tf.get_variable("b", initializer=3.0)

    def by_function(i, a):
        v = tf.get_variable("c", initializer=lambda: tf.constant(4.0))
        return i + 1, a * v

    def plain(i, a):
        return i + 1, a * tf.Variable(5.0)

    def in_scope(i, a):
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            v = tf.get_variable("d", [2], initializer=tf.ones_initializer())
        return i + 1, a + tf.reduce_sum(v)

    bodies = (by_initializer, by_number, by_function, plain, in_scope)
    made = [looped(body) for body in bodies]
    chosen = tf.cond(
        tf.constant(True),
        lambda: tf.get_variable("e", [], initializer=tf.ones_initializer()) * 2,
        lambda: tf.constant(5.0),
    )
    names = [v.name for v in tf.global_variables()]
    with started(tf) as sess:
        slope = tf.gradients(made[0], tf.global_variables())[0]
        values = sess.run([*made, chosen, slope])
    return [values, names] + [
        raised(
            tf,
            lambda: looped(
                lambda i, a: (i + 1, a * tf.get_variable("f", initializer=a))
            ),
        ),
        raised(
            tf,
            lambda: looped(
                lambda i, a: (
                    i + 1,
                    a * tf.get_variable("g", initializer=tf.constant(3.0)),
                )
            ),
        ),
    ]


@program
def gradients_of_what_comes_after_a_loss(tf):
    x = tf.Variable([1.0, 2.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def after(grad_loss):
        return optimizer.compute_gradients(x * x, grad_loss=grad_loss)[0][0]

    with started(tf) as sess:
        values = sess.run([after(None), after(tf.constant([1.0, 10.0]))])
    return [values] + [
        raised(tf, lambda g=g: after(g))
        for g in (
            [tf.constant([1.0, 10.0])],
            (tf.constant([1.0, 10.0]),),
            [1.0, 10.0],
            [],
            2.0,
            tf.constant([1, 2]),
            tf.constant([1.0, 2.0, 3.0]),
        )
    ]
