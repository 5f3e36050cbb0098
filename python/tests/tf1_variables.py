"""Programs for TensorFlow 1: variables, scopes and optimizers.

Each is a function of the module `tf` and returns what is compared: plain data and
numpy's values.
"""

import numpy as np

from tf1_tools import PROCEDURES, program, raised, started

# ---- variables ----


@program
def variables(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    n = tf.Variable(1, trainable=False, name="n")
    w = tf.Variable(v.initialized_value() * 2, name="w")
    f = tf.Variable(lambda: tf.ones([2]), name="f")
    sess = tf.Session()
    found = [raised(tf, lambda: sess.run(v))]
    sess.run(tf.global_variables_initializer())
    found += [
        sess.run([v, n, w, f]),
        v.eval(sess),
        v.name,
        v.op.name,
        v.dtype.base_dtype.name,
        str(v.shape),
        v.get_shape().as_list(),
        n.trainable,
        [x.name for x in tf.global_variables()],
        [x.name for x in tf.trainable_variables()],
        sess.run(v.initial_value),
        sess.run(v.value()),
        sess.run(v.read_value()),
        sess.run(v.assign([3.0, 4.0])),
        sess.run(v),
        sess.run(v.assign_add([1.0, 1.0])),
        sess.run(v.assign_sub([1.0, 0.0])),
        sess.run(tf.assign(n, 5)),
        sess.run(tf.assign_add(n, 2)),
        sess.run(tf.assign_sub(n, 1)),
        sess.run(v.initializer),
        sess.run(v),
    ]
    v.load([9.0, 9.0], sess)
    found += [
        sess.run(v),
        raised(tf, lambda: v.assign([1.0, 2.0, 3.0])),
        raised(tf, lambda: v.assign(tf.constant([1, 2]))),
        raised(tf, lambda: n.assign(1.5)),
        raised(tf, lambda: tf.Variable()),
        raised(tf, lambda: tf.Variable(tf.placeholder(tf.float32, [None]))),
        raised(tf, lambda: list(v)),
        raised(tf, lambda: tf.Variable(1.0, collections="c")),
    ]
    return found


@program
def variable_operators(tf):
    v = tf.Variable([1.0, 2.0])
    n = tf.Variable([3, 4])
    a = np.array([2.0, 3.0], np.float32)
    with started(tf) as sess:
        return sess.run(
            [
                v + 1,
                1 + v,
                v * a,
                a * v,
                a - v,
                v / 2,
                2 / v,
                -v,
                v**2,
                abs(v),
                v[0],
                v > 1.5,
                n / 2,
                n // 2,
                n % 2,
                np.float32(2) * v,
                v * v,
                tf.reduce_sum(v),
                tf.matmul([v], [v], transpose_b=True),
                v[1:],
                tf.concat([v, v], 0),
                tf.stack([v, a]),
                tf.cast(n, tf.float32),
                tf.convert_to_tensor(v),
            ]
        )


@program
def variable_dtypes(tf):
    made = [
        tf.Variable(1),
        tf.Variable(1.5),
        tf.Variable(np.float64(1)),
        tf.Variable([True]),
        tf.Variable(1, dtype=tf.float32),
        tf.Variable(np.zeros(2)),
        tf.Variable(tf.zeros([1], tf.int64)),
    ]
    return [v.dtype.base_dtype.name for v in made] + [
        raised(tf, lambda: tf.Variable(1.5, dtype=tf.int32)),
        raised(tf, lambda: tf.Variable(tf.zeros([1]), dtype=tf.int32)),
    ]


@program
def initializers(tf):
    shapes = {}

    def get(name, *args, **keywords):
        shapes[name] = tf.get_variable(name, *args, **keywords)

    get("zeros", [2], initializer=tf.zeros_initializer())
    get("class", [2], initializer=tf.ones_initializer)
    get("number", initializer=1.5)
    get("whole", initializer=3)
    get("array", initializer=np.array([1.0, 2.0]))
    get("tensor", initializer=tf.constant([1, 2]))
    get("list", initializer=[1.0, 2.0])
    get("constant", [2, 2], initializer=tf.constant_initializer([1, 2, 3]))
    get("function", initializer=lambda: tf.ones([3]))
    get("called", [2], initializer=lambda shape, dtype=None: tf.fill(shape, 7.0))
    get(
        "called_more",
        [2],
        initializer=lambda shape, dtype=None, partition_info=None: tf.fill(shape, 8.0),
    )
    get("int_default", [2], tf.int32)
    get("typed", [2], tf.float64, initializer=tf.ones_initializer())
    get("size", 3, initializer=tf.zeros_initializer())
    with started(tf) as sess:
        return [
            sess.run(shapes),
            [v.dtype.base_dtype.name for v in shapes.values()],
            raised(tf, lambda: tf.get_variable("n1")),
            raised(tf, lambda: tf.get_variable("n2", [None])),
            raised(
                tf, lambda: tf.get_variable("n3", [2], initializer=tf.constant(1.0))
            ),
            raised(tf, lambda: tf.get_variable("n4", [2], initializer=1.0)),
            raised(tf, lambda: tf.get_variable("zeros", [2])),
        ]


@program
def random_initializers(tf):
    makers = {
        "uniform": tf.random_uniform_initializer(),
        "uniform2": tf.random_uniform_initializer(-2, 2, seed=1),
        "normal": tf.random_normal_initializer(1.0, 0.1),
        "truncated": tf.truncated_normal_initializer(stddev=0.1),
        "glorot": tf.glorot_uniform_initializer(),
        "glorot_normal": tf.glorot_normal_initializer(),
        "scaling": tf.variance_scaling_initializer(),
        "default": None,
    }
    made = {k: tf.get_variable(k, [100, 50], initializer=m) for k, m in makers.items()}
    with started(tf) as sess:
        values = sess.run(made)
    # To two digits they are the same whatever was drawn.
    bounds = {
        "uniform": 1,
        "uniform2": 2,
        "truncated": 0.2,
        "glorot": 0.2,
        "default": 0.2,
        "glorot_normal": 2.3 * 0.1155,
        "scaling": 2.3 * 0.1,
    }
    return {
        k: [
            bool(abs(v.mean() - (0.5 if k == "uniform" else k == "normal")) < 0.06),
            (
                round(float(v.std()) / 0.02) / 50
                if k not in ("uniform", "uniform2")
                else 0
            ),
            bool(np.abs(v).max() <= bounds.get(k, 9)),
        ]
        for k, v in values.items()
    }


@program
def initializer_objects(tf):
    one = tf.constant_initializer(2, dtype=tf.int32)
    with tf.Session() as sess:
        return [
            sess.run(one([2])),
            sess.run(one([1], dtype=tf.float32)),
            sess.run(tf.zeros_initializer()([2])),
            one.get_config(),
            tf.glorot_uniform_initializer(seed=3).get_config(),
            raised(tf, lambda: tf.constant_initializer(object())),
            raised(tf, lambda: tf.variance_scaling_initializer(mode="other")),
            raised(tf, lambda: tf.random_normal_initializer(dtype=tf.int32)),
        ]


@program
def variable_scopes(tf):
    found = []
    with tf.variable_scope("a") as scope:
        x = tf.get_variable("x", [1])
        op = tf.constant(1, name="op")
        with tf.variable_scope("b", reuse=tf.AUTO_REUSE):
            y = tf.get_variable("y", [2])
            found.append(tf.get_variable("y", [2]) is y)
            plain = tf.Variable(1.0, name="plain")
        found.append(scope.name)
    with tf.variable_scope("a", reuse=True) as again:
        found += [tf.get_variable("x", [1]) is x, again.reuse]
        second = tf.constant(1, name="op")
        found.append(raised(tf, lambda: tf.get_variable("z", [1])))
        found.append(raised(tf, lambda: tf.get_variable("x", [2])))
        found.append(raised(tf, lambda: tf.get_variable("x", [1], tf.int32)))
    with tf.variable_scope(scope, reuse=True):
        found.append(tf.get_variable("x") is x)
        third = tf.constant(1, name="op")
    with tf.variable_scope("other"):
        with tf.variable_scope(scope):
            found.append(raised(tf, lambda: tf.get_variable("x", [1])))
            inside = tf.get_variable("new", [1])
            fourth = tf.constant(1, name="op")
    with tf.variable_scope(None, "dflt"):
        d1 = tf.get_variable("d", [1])
    with tf.variable_scope(None, "dflt"):
        d2 = tf.get_variable("d", [1])
    with tf.variable_scope(
        "i", initializer=tf.constant_initializer(5.0), dtype=tf.float64
    ):
        five = tf.get_variable("five", [2])
        with tf.variable_scope("deep"):
            deep = tf.get_variable("five", [1])
    with tf.name_scope("n"):
        unscoped = tf.get_variable("u", [1])
        with tf.variable_scope("v"):
            scoped = tf.get_variable("u", [1])
            made = tf.add(1, 2)
    with tf.variable_scope("r") as r:
        tf.get_variable("x", [1])
        r.reuse_variables()
        found.append(tf.get_variable("x", [1]).name)
    with started(tf) as sess:
        found += [sess.run(five), sess.run(deep)]
    return (
        found
        + [
            t.name
            for t in (
                x,
                op,
                y,
                plain,
                second,
                third,
                inside,
                fourth,
                d1,
                d2,
                five,
                deep,
                unscoped,
                scoped,
                made,
            )
        ]
        + [
            [v.name for v in tf.global_variables("a")],
            [
                v.name
                for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="a/b")
            ],
            tf.get_variable_scope().name,
            [v.name for v in scope.global_variables()],
            raised(tf, lambda: tf.variable_scope(None)),
        ]
    )


@program
def regularizers(tf):
    half = lambda v: tf.reduce_sum(v) * 0.5  # noqa: E731
    ones = tf.ones_initializer()
    with tf.variable_scope("s", regularizer=half, initializer=ones):
        tf.get_variable("a", [2])
        tf.get_variable("b", [3], regularizer=lambda v: None)
    tf.get_variable("c", [4], regularizer=half, initializer=ones)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    with started(tf) as sess:
        return sess.run(losses)


@program
def local_variables(tf):
    a = tf.Variable(1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    b = tf.get_local_variable("b", [1], initializer=tf.ones_initializer())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = [raised(tf, lambda: sess.run(a))]
        sess.run(tf.local_variables_initializer())
        return found + [
            sess.run([a, b]),
            len(tf.global_variables()),
            [v.name for v in tf.local_variables()],
            b.trainable,
        ]


@program
def scattered(tf):
    v = tf.Variable([[1.0], [2.0], [3.0]])
    with started(tf) as sess:
        return [
            sess.run(tf.scatter_add(v, [0, 0, 2], [[1.0], [1.0], [5.0]])),
            sess.run(tf.scatter_sub(v, [1], [[1.0]])),
            sess.run(tf.scatter_update(v, [2], [[0.0]])),
            raised(tf, lambda: sess.run(tf.scatter_add(v, tf.constant([7]), [[1.0]]))),
            sess.run(tf.is_variable_initialized(v)),
        ]


@program
def gradients_by_values_of_variables(tf):
    v = tf.Variable([1.0, 2.0])
    y = v * v + v.value()
    with started(tf) as sess:
        return sess.run([tf.gradients(y, v)[0], tf.gradients(y, v.value())[0]])


# ---- optimizers ----

OPTIMIZERS = {
    "gd": lambda t, lr: t.GradientDescentOptimizer(lr),
    "momentum": lambda t, lr: t.MomentumOptimizer(lr, 0.9),
    "nesterov": lambda t, lr: t.MomentumOptimizer(lr, 0.9, use_nesterov=True),
    "adam": lambda t, lr: t.AdamOptimizer(lr),
    "adam_epsilon": lambda t, lr: t.AdamOptimizer(lr, 0.8, 0.9, epsilon=0.1),
    "adagrad": lambda t, lr: t.AdagradOptimizer(lr),
    "adagrad_start": lambda t, lr: t.AdagradOptimizer(lr, 1.0),
    "adadelta": lambda t, lr: t.AdadeltaOptimizer(lr, 0.9, 1e-3),
    "rmsprop": lambda t, lr: t.RMSPropOptimizer(lr),
    "rmsprop_momentum": lambda t, lr: t.RMSPropOptimizer(lr, 0.8, 0.5, 1e-2),
    "rmsprop_centered": lambda t, lr: t.RMSPropOptimizer(
        lr, 0.8, 0.5, 1e-2, centered=True
    ),
}


def _dense(make):
    def run(tf):
        w = tf.Variable([[1.0, -2.0], [0.5, 3.0]], name="w")
        b = tf.Variable([0.1, 0.2], name="b")
        x = tf.constant([[1.0, 2.0], [-1.0, 0.5]])
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - 1.0))
        step = tf.Variable(0, trainable=False, name="step")
        opt = make(tf.train, 0.1)
        train = opt.minimize(loss, global_step=step)
        with started(tf) as sess:
            for _ in range(4):
                got = sess.run(train)
            values = sess.run([w, b, step, loss])
            slots = [sess.run(opt.get_slot(w, n)) for n in opt.get_slot_names()]
        return [
            values,
            slots,
            got,
            opt.get_slot_names(),
            opt.get_name(),
            [v.name for v in tf.global_variables()],
            [v.name for v in tf.trainable_variables()],
            [v.name for v in opt.variables()],
        ]

    return run


def _sparse(make):
    def run(tf):
        table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), name="t")
        ids = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids) - 1.0))
        train = make(tf.train, 0.1).minimize(loss)
        with started(tf) as sess:
            for batch in ([0, 2, 2], [1], [2, 0]):
                sess.run(train, {ids: batch})
            return sess.run(table)

    return run


for _name, _make in OPTIMIZERS.items():
    PROCEDURES[f"optimizer_{_name}"] = _dense(_make)
    PROCEDURES[f"optimizer_sparse_{_name}"] = _sparse(_make)


@program
def optimizer_parts(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.Variable([3.0], name="w")
    n = tf.Variable(1.0, trainable=False)
    loss = tf.reduce_sum(v * v) + n
    opt = tf.train.GradientDescentOptimizer(tf.constant(0.5))
    pairs = opt.compute_gradients(loss)
    weighted = opt.compute_gradients(v * v, [v], grad_loss=tf.constant([1.0, 10.0]))
    scaled = opt.minimize(v * v, var_list=[v], grad_loss=tf.constant([1.0, 10.0]))
    only = opt.compute_gradients(loss, var_list=[v])
    with started(tf) as sess:
        found = [
            sess.run(pairs[0][0]),
            pairs[1][0] is None,
            pairs[0][1] is v,
            sess.run(weighted[0][0]),
            len(only),
        ]
        sess.run(scaled)
        found.append(sess.run(v))
        sess.run(opt.apply_gradients([(tf.constant([1.0, 1.0]), v), (None, w)]))
        found.append(sess.run(v))
    return found + [
        raised(tf, lambda: opt.minimize(tf.reduce_sum(w * 1.0), var_list=[v])),
        raised(tf, lambda: opt.apply_gradients([])),
        raised(tf, lambda: opt.apply_gradients([(None, v)])),
        raised(tf, lambda: opt.minimize(loss, var_list=[])),
        raised(tf, lambda: opt.compute_gradients(tf.constant(1), [v])),
        raised(tf, lambda: opt.compute_gradients(loss, gate_gradients=7)),
        raised(tf, lambda: opt.minimize(loss, unknown=3)),
        raised(tf, lambda: tf.train.AdadeltaOptimizer(0.1, unknown=3)),
        raised(tf, lambda: tf.train.AdagradOptimizer(0.1, -1.0)),
        raised(tf, lambda: tf.train.RMSPropOptimizer()),
        raised(tf, lambda: tf.nn.embedding_lookup(v, [0], unknown=3)),
    ]


@program
def learning_rates(tf):
    v = tf.Variable(1.0)
    rate = tf.placeholder(tf.float32, [])
    fed = tf.train.GradientDescentOptimizer(rate).minimize(v * v)
    called = tf.train.GradientDescentOptimizer(lambda: 0.25).minimize(v * v)
    double = tf.Variable(1.0, dtype=tf.float64)
    other = tf.train.AdamOptimizer(0.1).minimize(double * double, var_list=[double])
    with started(tf) as sess:
        sess.run(fed, {rate: 0.125})
        found = [sess.run(v)]
        sess.run(called)
        sess.run(other)
        return found + [sess.run(v), sess.run(double)]


@program
def sparse_gradients(tf):
    table = tf.Variable(np.ones((4, 2), np.float32), name="t")
    rows = tf.gather(table, [1, 1, 3])
    (g,) = tf.gradients(rows * 2.0, table)
    (mixed,) = tf.gradients(tf.reduce_sum(rows) + tf.reduce_sum(table), table)
    with started(tf) as sess:
        value = sess.run(g)
        return [
            type(g).__name__,
            value,
            sess.run(tf.convert_to_tensor(g)),
            sess.run(mixed),
            sess.run(tf.global_norm([g])),
            g.dtype.name,
            sess.run(tf.clip_by_global_norm([g], 1.0)[0][0]).values,
        ]


@program
def global_steps(tf):
    found = [tf.train.get_global_step() is None]
    step = tf.train.get_or_create_global_step()
    found += [
        step.name,
        step.dtype.base_dtype.name,
        tf.train.get_global_step() is step,
        raised(tf, tf.train.create_global_step),
        step in tf.trainable_variables(),
    ]
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
    with started(tf) as sess:
        sess.run(train)
        return found + [sess.run(step), tf.train.global_step(sess, step)]
