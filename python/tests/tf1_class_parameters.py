"""Every argument of optimizers, initializers, queues and variables of
sluice.compat.tf1, set to what is not its default: `programs()` gives (text, program)
that says what an object does which was made with it. See tf1_parameters.py.
"""

import inspect

import numpy as np

OPTIMIZERS = {
    "GradientDescentOptimizer": {"learning_rate": 0.1},
    "MomentumOptimizer": {"learning_rate": 0.1, "momentum": 0.5},
    "AdagradOptimizer": {"learning_rate": 0.1},
    "AdadeltaOptimizer": {"learning_rate": 0.5},
    "AdamOptimizer": {"learning_rate": 0.1},
    "RMSPropOptimizer": {"learning_rate": 0.1},
}
OPTIMIZER_VALUES = {
    "learning_rate": 0.25,
    "rho": 0.5,
    "epsilon": 0.1,
    "use_locking": True,
    "name": "Given",
    "initial_accumulator_value": 0.5,
    "beta1": 0.5,
    "beta2": 0.5,
    "use_own_namescope_for_non_slot_vars": True,
    "use_nesterov": True,
    "decay": 0.5,
    "momentum": 0.5,
    "centered": True,
}
MINIMIZE = {
    "global_step": lambda tf, v, w: tf.train.create_global_step(),
    "var_list": lambda tf, v, w: [v],
    "gate_gradients": lambda tf, v, w: 0,
    "aggregation_method": lambda tf, v, w: tf.AggregationMethod.EXPERIMENTAL_TREE,
    "colocate_gradients_with_ops": lambda tf, v, w: True,
    "name": lambda tf, v, w: "given",
    "grad_loss": lambda tf, v, w: tf.constant(3.0),
}


def _trained(kind, arguments, minimize=None):
    def run(tf):
        v = tf.Variable([1.0, -2.0], name="v")
        w = tf.Variable([0.5], name="w")
        loss = tf.reduce_sum(v * v) + tf.reduce_sum(w * 3.0)
        optimizer = getattr(tf.train, kind)(**arguments)
        more = {}
        if minimize is not None:
            more[minimize] = MINIMIZE[minimize](tf, v, w)
        step = optimizer.minimize(loss, **more)
        kept = [(n, optimizer.get_slot(v, n)) for n in optimizer.get_slot_names()]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(step)
            names = [x.name for x in tf.global_variables()]
            values = sess.run(tf.global_variables())
            slots = {n: sess.run(s) for n, s in kept}
        return [dict(zip(names, values)), slots, step.name if more else None]

    return run


INITIALIZERS = {
    "constant_initializer": {"value": 2.0},
    "zeros_initializer": {},
    "ones_initializer": {},
    "random_normal_initializer": {},
    "random_uniform_initializer": {},
    "truncated_normal_initializer": {},
    "glorot_normal_initializer": {},
    "glorot_uniform_initializer": {},
    "variance_scaling_initializer": {},
}
INITIALIZER_VALUES = {
    "value": 5.0,
    "verify_shape": True,
    "dtype": lambda tf: tf.float64,
    "seed": 7,
    "mean": 100.0,
    "stddev": 1e-6,
    "minval": 0.5,
    "maxval": 0.75,
    "scale": 1e-12,
    "mode": "fan_out",
    "distribution": "uniform",
}


def _initialised(kind, arguments, parameter):
    """Drawn numbers are others than TensorFlow's; where they lie is not."""

    def run(tf):
        given = dict(arguments)
        if parameter is not None:
            value = INITIALIZER_VALUES[parameter]
            given[parameter] = value(tf) if callable(value) else value
            # Both ends, where one needs the other; what is not drawn at all.
            if parameter == "minval":
                given["maxval"] = 0.75
        initializer = getattr(tf, kind)(**given)
        x = initializer([40, 50])
        with tf.Session() as sess:
            value = sess.run(x)
            again = sess.run(x) if "seed" in given else None
        config = {k: str(v) for k, v in initializer.get_config().items()}
        size = float(np.abs(value).max())
        return [
            str(value.dtype),
            list(value.shape),
            int(np.round(value.mean() / 50)),
            0 if size == 0 else int(np.floor(np.log10(size))),
            again is not None and bool((again == value).all()),
            config,
        ]

    return run


DRAWN = {
    "random_normal": [[40, 50]],
    "truncated_normal": [[40, 50]],
    "random_uniform": [[40, 50]],
    "random_shuffle": [np.arange(200.0)],
    "multinomial": [np.log([[0.5, 0.5], [0.1, 0.9]]), 60],
}


def _drawn(function, parameter):
    def run(tf):
        given = {}
        if parameter is not None:
            values = {"output_dtype": lambda tf: tf.int32, **INITIALIZER_VALUES}
            value = values[parameter]
            given[parameter] = value(tf) if callable(value) else value
        x = getattr(tf, function)(*DRAWN[function], **given)
        y = getattr(tf, function)(*DRAWN[function], **given)
        with tf.Session() as sess:
            value, other = sess.run([x, y])
        with tf.Session() as sess:
            again = sess.run(x)
        size = float(np.abs(value).max())
        return [
            x.dtype.name,
            str(x.get_shape()),
            int(np.round(value.mean() / 50)),
            int(np.floor(np.log10(size))) if parameter != "stddev" else size < 1e-4,
            bool((value >= 0.5).all()) and parameter == "minval",
            bool((value == other).all()),
            bool((value == again).all()),
        ]

    return run


QUEUES = {
    "FIFOQueue": {"capacity": 9, "dtypes": ["float32"], "shapes": [[]]},
    "PaddingFIFOQueue": {"capacity": 9, "dtypes": ["float32"], "shapes": [[]]},
    "RandomShuffleQueue": {
        "capacity": 9,
        "min_after_dequeue": 0,
        "dtypes": ["float32"],
        "shapes": [[]],
    },
    "PriorityQueue": {"capacity": 9, "types": ["float32"], "shapes": [[]]},
}
QUEUE_VALUES = {
    "shapes": [[2]],
    "names": ["a"],
    "shared_name": "shared",
    "name": "given",
    "seed": 3,
}


def _queued(kind, parameter):
    def run(tf):
        given = dict(QUEUES[kind])
        for k in ("dtypes", "types"):
            if k in given:
                given[k] = [tf.as_dtype(t) for t in given[k]]
        if parameter is not None:
            given[parameter] = QUEUE_VALUES[parameter]
        queue = getattr(tf, kind)(**given)
        shape = [2] if parameter == "shapes" else []
        value = tf.ones(shape) * 3.0
        put = {"a": value} if parameter == "names" else [value]
        if kind == "PriorityQueue":
            first = tf.constant(1, tf.int64)
            put = {"a": value} if parameter == "names" else [first, value]
        enqueue, one = queue.enqueue(put), queue.dequeue()
        with tf.Session() as sess:
            sess.run(enqueue)
            return [sess.run(one), queue.name, [str(s) for s in queue.shapes]]

    return run


VARIABLE = {
    "trainable": lambda tf: False,
    "collections": lambda tf: ["mine"],
    "validate_shape": lambda tf: False,
    "dtype": lambda tf: tf.float64,
    "name": lambda tf: "given",
    "caching_device": lambda tf: "/cpu:0",
    "constraint": lambda tf: lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "use_resource": lambda tf: True,
    "initializer": lambda tf: tf.constant_initializer(5.0),
    "regularizer": lambda tf: lambda x: tf.reduce_sum(x) * 2.0,
    "shape": lambda tf: [2],
    "expected_shape": lambda tf: [2],
}


def _variables(function, parameter):
    def run(tf):
        given = {"initializer": tf.constant([1.0, 2.0])}
        if function == "Variable":
            given = {"initial_value": [1.0, 2.0]}
        elif parameter == "initializer":
            given = {"shape": [2]}
        elif parameter == "shape":
            given = {"initializer": tf.zeros_initializer()}
        elif parameter == "dtype":
            given = {"shape": [2], "initializer": tf.zeros_initializer()}
        if parameter is not None:
            given[parameter] = VARIABLE[parameter](tf)
        if function != "Variable":
            given["name"] = "v"
        v = getattr(tf, function)(**given)
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        with tf.Session() as sess:
            sess.run(v.initializer)
            return [
                v.name,
                v.dtype.base_dtype.name,
                str(v.get_shape()),
                sess.run(v),
                [x.name for x in tf.trainable_variables()],
                [x.name for x in tf.global_variables()],
                [x.name for x in tf.local_variables()],
                [x.name for x in tf.get_collection("mine")],
                v.constraint is not None,
                sess.run(losses),
            ]

    return run


def _with_default(function, values):
    names = inspect.signature(function).parameters.values()
    for p in names:
        if p.default is not p.empty and p.name in values:
            yield p.name


def programs(ours):
    """(text, program) of every argument of classes, and of variables."""
    for kind, given in OPTIMIZERS.items():
        signature = inspect.signature(getattr(ours.train, kind).__init__)
        for p in signature.parameters:
            if p in OPTIMIZER_VALUES:
                made = _trained(kind, {**given, p: OPTIMIZER_VALUES[p]})
                yield f"{kind} {p}", made
        for p in MINIMIZE:
            yield f"{kind}.minimize {p}", _trained(kind, given, p)
    for kind, given in INITIALIZERS.items():
        yield kind, _initialised(kind, given, None)
        for p in _with_default(getattr(ours, kind).__init__, INITIALIZER_VALUES):
            yield f"{kind} {p}", _initialised(kind, given, p)
    for function in DRAWN:
        yield function, _drawn(function, None)
        values = {**INITIALIZER_VALUES, "output_dtype": None}
        for p in _with_default(getattr(ours, function), values):
            yield f"{function} {p}", _drawn(function, p)
    for kind in QUEUES:
        yield kind, _queued(kind, None)
        for p in _with_default(getattr(ours, kind).__init__, QUEUE_VALUES):
            yield f"{kind} {p}", _queued(kind, p)
    for function in ("Variable", "get_variable", "get_local_variable"):
        yield function, _variables(function, None)
        found_in = getattr(ours, function)
        found_in = found_in.__init__ if inspect.isclass(found_in) else found_in
        for p in _with_default(found_in, VARIABLE):
            yield f"{function} {p}", _variables(function, p)
