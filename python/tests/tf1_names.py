"""Programs for TensorFlow 1: names, graphs, shapes and types.

Each is a function of the module `tf` and returns what is compared: plain data and
numpy's values.
"""

import numpy as np

from tf1_tools import program, raised, started

# ---- names and graphs ----


@program
def names(tf):
    x = tf.constant(1.0)
    y = tf.constant(2.0)
    p = tf.placeholder(tf.float32, name="in")
    again = tf.placeholder(tf.float32, name="in")
    upper = tf.placeholder(tf.float32, name="IN")
    v = tf.Variable(1.0)
    w = tf.Variable(1.0, name="w")
    with tf.name_scope("a") as scope:
        inner = tf.constant(1, name="c")
        with tf.name_scope("b"):
            deep = tf.add(inner, 1, name="sum")
        var = tf.Variable(1.0, name="v")
    with tf.name_scope("a"):
        second = tf.constant(1, name="c")
    with tf.name_scope(scope):
        same = tf.constant(1, name="c")
    with tf.name_scope(None, "dflt"):
        default = tf.constant(1, name="c")
    made = [
        x,
        y,
        p,
        again,
        upper,
        v,
        w,
        inner,
        deep,
        var,
        second,
        same,
        default,
        x + y,
        x * 2,
        x - 1,
        x / y,
        -x,
        x < y,
        tf.add(x, y),
        tf.multiply(x, y),
        tf.reduce_sum(x),
        tf.matmul([[1.0]], [[2.0]]),
        tf.zeros([2]),
        tf.ones([1]),
        tf.reshape(x, [1]),
        tf.concat([[1], [2]], 0),
        tf.identity(x),
        tf.cast(x, tf.int32),
        tf.nn.relu(x),
        tf.exp(x),
        x // y,
        x % y,
        x**2,
        tf.stack([1, 2]),
        tf.range(3),
        tf.shape([1]),
        tf.constant(3),
        tf.transpose([[1]]),
        tf.argmax([1, 2]),
        tf.expand_dims(x, 0),
        tf.square(x),
        tf.gather([1], [0]),
        tf.stop_gradient(x),
        tf.constant([1, 2])[0],
        tf.fill([1], 2),
        tf.one_hot([1], 2),
        tf.tile([1], [2]),
    ]
    return [m.name for m in made] + [scope]


@program
def names_of_operations(tf):
    x = tf.constant(1.0, name="x")
    a = tf.no_op(name="nothing")
    b = tf.group(x, a)
    v = tf.Variable(1.0, name="v")
    return [
        x.op.name,
        a.name,
        b.name,
        v.op.name,
        tf.global_variables_initializer().name,
        tf.no_op().name,
        tf.train.GradientDescentOptimizer(0.1).minimize(v * v).name,
        tf.train.AdamOptimizer(0.1).minimize(v * v, name="step").name,
    ]


@program
def elements_by_name(tf):
    g = tf.get_default_graph()
    x = tf.constant(1.0, name="x")
    v = tf.Variable(3.0, name="v")
    with started(tf) as sess:
        value = sess.run(g.get_tensor_by_name("v:0"))
    return [
        g.get_tensor_by_name("x:0") is x,
        g.get_operation_by_name("x") is x.op,
        g.as_graph_element("x:0") is x,
        g.as_graph_element(v).dtype.base_dtype.name,
        value,
        raised(tf, lambda: g.get_tensor_by_name("x")),
        raised(tf, lambda: g.get_tensor_by_name("y:0")),
        raised(tf, lambda: g.get_tensor_by_name("x:1")),
        raised(tf, lambda: g.get_tensor_by_name(3)),
        raised(tf, lambda: g.get_operation_by_name("y")),
        raised(tf, lambda: g.get_operation_by_name("x:0")),
        raised(tf, lambda: tf.constant(1, name="bad name")),
        raised(tf, lambda: tf.constant(1, name="_under")),
    ]


@program
def finalized_graph(tf):
    g = tf.get_default_graph()
    x = tf.constant(1)
    g.finalize()
    return [
        g.finalized,
        raised(tf, lambda: tf.constant(1)),
        raised(tf, lambda: x + 1),
        raised(tf, lambda: tf.placeholder(tf.float32)),
    ]


@program
def collections_of_graphs(tf):
    tf.add_to_collection("c", 1)
    tf.add_to_collections(["c", "d"], 2)
    found = tf.get_collection("c")
    found.append(7)
    tf.get_collection_ref("d").append(8)
    return [
        tf.get_collection("c"),
        tf.get_collection("d"),
        tf.get_collection("none"),
        tf.GraphKeys.TRAINABLE_VARIABLES,
        tf.GraphKeys.UPDATE_OPS,
    ]


@program
def tensors_in_lists(tf):
    a, b = tf.constant(1), tf.constant(1)
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    return [
        a in [b],
        a in [b, a],
        v in [w],
        v in [w, v],
        a == b,
        a != b,
        a == a,
        v == w,
        len({a: 1, b: 2}),
        len({v, w, v}),
        [a, b].index(b),
        v is not None,
    ]


@program
def shapes_of_tensors(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32)
    s = x.get_shape()
    y.set_shape([None, 2])
    z = tf.zeros([2, 3])
    return [
        str(s),
        s.as_list(),
        s.ndims,
        s[0].value,
        s[1].value,
        int(s[1]),
        len(s),
        s.is_fully_defined(),
        z.shape.num_elements(),
        str(y.shape),
        bool(s == [None, 3]),
        z.shape == (2, 3),
        z.shape[1] == 3,
        (s[0] == 3) is None,
        repr(s),
        repr(tf.Dimension(None)),
        str(tf.TensorShape(None)),
        str(s.merge_with([2, None])),
        raised(tf, lambda: s.merge_with([2, 4])),
        raised(tf, lambda: z.set_shape([3, 3])),
        raised(tf, lambda: tf.TensorShape(None).as_list()),
        str(tf.TensorShape([1]).concatenate([2])),
        [d.value for d in z.shape],
        str(z.shape[1:]),
        str(tf.TensorShape([2])),
        str(tf.TensorShape([])),
        s.is_compatible_with([5, 3]),
        raised(tf, lambda: s.assert_has_rank(3)),
    ]


@program
def dtypes(tf):
    f, i = tf.float32, tf.int32
    return [
        f.name,
        repr(f),
        f.is_floating,
        i.is_integer,
        tf.bool.is_integer,
        i.max,
        f.size,
        tf.string.size,
        f == np.float32,
        f == "float32",
        f == float,
        i == int,
        f != i,
        tf.as_dtype("int64").name,
        tf.as_dtype(np.float64).name,
        tf.as_dtype(bool).name,
        f.as_numpy_dtype.__name__,
        tf.string.as_numpy_dtype.__name__,
        f.base_dtype == f,
        raised(tf, lambda: tf.as_dtype(int)),
        raised(tf, lambda: tf.bool.max),
        raised(tf, lambda: tf.as_dtype("nothing")),
        tf.half.name,
        tf.double.name,
        tf.constant(1).dtype == tf.int32,
        tf.uint8.min,
        f.is_compatible_with(i),
    ]
