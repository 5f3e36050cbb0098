"""Every optional argument of the functions of sluice.compat.tf1, set to what is not
its default: `calls()` gives (text, function of tf), as tf1_sweep.py does.

A function is listed once, with arguments it can do without others; its parameters
come from its signature, their values from tables: by function and name, or by name
alone. What is in no table fails the test, so that a new argument needs a value.
"""

import inspect
import re

import numpy as np

A = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
B = np.array([[2.0, 1.0, -3.0], [1.0, 0.25, 2.0]], np.float32)
TRUE = np.array([[True, False, True], [False, False, True]])
WHOLE = np.array([[3, 0, 2], [1, 2, 0]], np.int32)
ONE_HOT = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
POSITIVE = np.abs(A) + np.float32(0.1)

UNARY = """abs ceil cos cosh digamma erf erfc exp expm1 floor identity is_finite
is_inf is_nan lgamma negative ones_like rank round sign sigmoid sin size shape
sinh square tan tanh to_double to_float to_int32 to_int64 zeros_like
reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum argmax
argmin count_nonzero cumprod cumsum transpose stop_gradient atan asinh
nn.l2_loss nn.relu nn.relu6 nn.elu nn.selu nn.softplus nn.softsign nn.leaky_relu
nn.softmax nn.log_softmax nn.zero_fraction nn.l2_normalize nn.top_k nn.tanh
nn.sigmoid math.softmax math.log_softmax math.l2_normalize math.top_k
math.reduce_sum math.cumsum""".split()
POSITIVES = "log log1p sqrt rsqrt reciprocal acosh".split()
BINARY = """add subtract multiply div divide truediv realdiv floordiv floor_div floormod
mod equal not_equal less less_equal greater greater_equal maximum minimum
squared_difference atan2 div_no_nan""".split()
BOOLS = "logical_and logical_or logical_xor".split()


def _slices(tf, x):
    return tf.unstack(tf.constant(x))


def _variable(tf):
    v = tf.Variable(tf.constant(A), name="v")
    return v


# Arguments, as a function of tf: a list, or a dict.
BASE = {
    "add_n": lambda tf: [_slices(tf, A)],
    "boolean_mask": lambda tf: [A, np.array([True, False])],
    "broadcast_to": lambda tf: [A[0], [2, 3]],
    "cast": lambda tf: [A, tf.int32],
    "clip_by_global_norm": lambda tf: [[A, B], 2.0],
    "clip_by_norm": lambda tf: [A, 1.5],
    "clip_by_value": lambda tf: [A, -1.0, 1.0],
    "concat": lambda tf: [[A, B], 0],
    "constant": lambda tf: [[1, 2, 3, 4, 5, 6]],
    "convert_to_tensor": lambda tf: [[1, 2]],
    "expand_dims": lambda tf: {"input": A, "axis": 0},
    "fill": lambda tf: [[2, 2], 3.0],
    "gather": lambda tf: [A, np.array([1, 0])],
    "gather_nd": lambda tf: [A, np.array([[1, 0], [0, 2]])],
    "global_norm": lambda tf: [[A, B]],
    "linspace": lambda tf: [1.0, 2.0, 5],
    "matmul": lambda tf: [A[:, :2], B[:, :2]],
    "one_hot": lambda tf: [np.array([0, 2]), 3],
    "ones": lambda tf: [[2, 2]],
    "pad": lambda tf: [A, [[1, 1], [2, 0]]],
    "pow": lambda tf: [POSITIVE, B],
    "range": lambda tf: [2],
    "reduce_all": lambda tf: [TRUE],
    "reduce_any": lambda tf: [TRUE],
    "reshape": lambda tf: [A, [3, 2]],
    "reverse": lambda tf: [A, [1]],
    "saturate_cast": lambda tf: [A * 200, tf.uint8],
    "shape_n": lambda tf: [[A, B[0]]],
    "slice": lambda tf: [A, [0, 1], [2, 2]],
    "split": lambda tf: [A, [1, 1]],
    "squeeze": lambda tf: [A[None, :, None]],
    "stack": lambda tf: [[A, B]],
    "tensordot": lambda tf: [A, B, [[1], [1]]],
    "tile": lambda tf: [A, [2, 1]],
    "tuple": lambda tf: [[tf.constant(A), tf.constant(B)]],
    "unstack": lambda tf: [A],
    "where": lambda tf: [TRUE],
    "zeros": lambda tf: [[2, 2]],
    "logical_not": lambda tf: [TRUE],
    "acos": lambda tf: [A / 5],
    "asin": lambda tf: [A / 5],
    "atanh": lambda tf: [A / 5],
    "assign": lambda tf: [_variable(tf), B],
    "assign_add": lambda tf: [_variable(tf), B],
    "assign_sub": lambda tf: [_variable(tf), B],
    "scatter_add": lambda tf: [_variable(tf), [1], B[:1]],
    "scatter_sub": lambda tf: [_variable(tf), [1], B[:1]],
    "scatter_update": lambda tf: [_variable(tf), [1], B[:1]],
    "cond": lambda tf: {
        "pred": tf.constant(True),
        "true_fn": lambda: tf.constant(1.0),
        "false_fn": lambda: tf.constant(2.0),
    },
    "case": lambda tf: [
        [(tf.constant(False), lambda: tf.constant(1.0))],
        lambda: tf.constant(2.0),
    ],
    "foldl": lambda tf: [lambda a, x: a + 2.0 * x, tf.constant(A)],
    "foldr": lambda tf: [lambda a, x: a + 2.0 * x, tf.constant(A)],
    "scan": lambda tf: [lambda a, x: a + 2.0 * x, tf.constant(A)],
    "map_fn": lambda tf: [lambda x: x * 2.0, tf.constant(A)],
    "while_loop": lambda tf: [
        lambda i: i < 10,
        lambda i: i + 3,
        [tf.constant(0)],
    ],
    "gradients": lambda tf: _gradients(tf),
    "nn.bias_add": lambda tf: [A, B[0]],
    "nn.dropout": lambda tf: [np.ones((4, 6), np.float32)],
    "nn.embedding_lookup": lambda tf: [A, np.array([1, 0, 1])],
    "nn.in_top_k": lambda tf: [A, np.array([2, 1]), 1],
    "nn.moments": lambda tf: [A, [0]],
    "nn.sigmoid_cross_entropy_with_logits": lambda tf: {"labels": ONE_HOT, "logits": A},
    "nn.softmax_cross_entropy_with_logits": lambda tf: {"labels": ONE_HOT, "logits": A},
    "nn.softmax_cross_entropy_with_logits_v2": lambda tf: [ONE_HOT, A],
    "nn.sparse_softmax_cross_entropy_with_logits": lambda tf: {
        "labels": np.array([1, 0]),
        "logits": A,
    },
    "nn.xw_plus_b": lambda tf: [A, B.T, np.array([1.0, 2.0], np.float32)],
}
BASE.update({n: lambda tf: [A] for n in UNARY})
BASE.update({n: lambda tf: [POSITIVE + 1] for n in POSITIVES})
BASE.update({n: lambda tf: [A, B] for n in BINARY})
BASE.update({n: lambda tf: [TRUE, ~TRUE] for n in BOOLS})


def _gradients(tf):
    x = tf.constant(A)
    return [[x * x, x * 3.0], [x]]


# By the name of the parameter; a function makes the value from tf.
VALUES = {
    "name": "given",
    "axis": 0,
    "dim": 0,
    "dimension": 0,
    "reduction_indices": 0,
    "keepdims": True,
    "keep_dims": True,
    "exclusive": True,
    "reverse": True,
    "use_locking": True,
    "parallel_iterations": 1,
    "back_prop": False,
    "swap_memory": True,
    "output_type": lambda tf: tf.int32,
    "out_type": lambda tf: tf.int64,
    "dtype": lambda tf: tf.float64,
    "optimize": False,
    "strict": True,
    "validate_shape": False,
    "validate_indices": False,
    "colocate_gradients_with_ops": True,
    "gate_gradients": True,
    "sorted": False,
    "epsilon": 2.0,
    "infer_shape": False,
    "layout": lambda tf: None,
    "conjugate": True,
    "index_type": lambda tf: tf.int64,
}
# By function and parameter: of a different value, or with other arguments.
SPECIAL = {
    ("count_nonzero", "dtype"): lambda tf: {"dtype": tf.int32},
    ("count_nonzero", "input"): lambda tf: {"input": B, "input_tensor": None},
    ("zeros_like", "dtype"): lambda tf: {"dtype": tf.int32},
    ("ones_like", "dtype"): lambda tf: {"dtype": tf.int32},
    ("transpose", "perm"): lambda tf: {"perm": [1, 0]},
    ("boolean_mask", "axis"): lambda tf: {"mask": [True, False, True], "axis": 1},
    ("case", "default"): lambda tf: {"default": lambda: tf.constant(7.0)},
    ("case", "exclusive"): lambda tf: {"exclusive": True},
    ("clip_by_global_norm", "use_norm"): lambda tf: {"use_norm": tf.constant(9.0)},
    ("clip_by_norm", "axes"): lambda tf: {"axes": 1},
    ("cond", "fn1"): lambda tf: {"fn1": lambda: tf.constant(5.0), "true_fn": None},
    ("cond", "fn2"): lambda tf: {"fn2": lambda: tf.constant(5.0), "false_fn": None},
    ("cond", "true_fn"): lambda tf: {"true_fn": lambda: tf.constant(5.0)},
    ("cond", "false_fn"): lambda tf: {"false_fn": lambda: tf.constant(5.0)},
    ("constant", "shape"): lambda tf: {"shape": [2, 3]},
    ("constant", "verify_shape"): lambda tf: {"shape": [2, 4], "verify_shape": True},
    ("convert_to_tensor", "preferred_dtype"): lambda tf: {
        "preferred_dtype": tf.float32
    },
    ("convert_to_tensor", "dtype_hint"): lambda tf: {"dtype_hint": tf.float32},
    ("expand_dims", "axis"): lambda tf: {"axis": 1},
    ("expand_dims", "dim"): lambda tf: {"dim": 1, "axis": None},
    ("foldl", "initializer"): lambda tf: {"initializer": tf.constant(A[0])},
    ("foldr", "initializer"): lambda tf: {"initializer": tf.constant(A[0])},
    ("scan", "initializer"): lambda tf: {"initializer": tf.constant(A[0])},
    ("gather", "axis"): lambda tf: {"axis": 1},
    ("gather", "batch_dims"): lambda tf: {"indices": WHOLE[:, :1] % 3, "batch_dims": 1},
    ("gather_nd", "batch_dims"): lambda tf: {"indices": [[1], [0]], "batch_dims": 1},
    ("gather_nd", "bad_indices_policy"): lambda tf: {
        "indices": [[9, 0]],
        "bad_indices_policy": "IGNORE",
    },
    ("gradients", "grad_ys"): lambda tf: {"grad_ys": [tf.constant(B), tf.constant(A)]},
    ("gradients", "aggregation_method"): lambda tf: {
        "aggregation_method": tf.AggregationMethod.EXPERIMENTAL_TREE
    },
    ("gradients", "stop_gradients"): lambda tf: _stopped(tf),
    ("gradients", "unconnected_gradients"): lambda tf: {
        "ys": [tf.constant(1.0)],
        "xs": [tf.constant(A)],
        "unconnected_gradients": "zero",
    },
    ("linspace", "axis"): lambda tf: {"start": [1.0], "stop": [2.0], "axis": 1},
    ("map_fn", "dtype"): lambda tf: {
        "fn": lambda x: tf.cast(x, tf.int32),
        "dtype": tf.int32,
    },
    ("map_fn", "fn_output_signature"): lambda tf: {
        "fn": lambda x: tf.cast(x, tf.int32),
        "fn_output_signature": tf.int32,
    },
    ("matmul", "transpose_a"): lambda tf: {"transpose_a": True},
    ("matmul", "transpose_b"): lambda tf: {"transpose_b": True},
    ("matmul", "adjoint_a"): lambda tf: {"adjoint_a": True},
    ("matmul", "adjoint_b"): lambda tf: {"adjoint_b": True},
    ("matmul", "a_is_sparse"): lambda tf: {"a_is_sparse": True},
    ("matmul", "b_is_sparse"): lambda tf: {"b_is_sparse": True},
    ("matmul", "output_type"): lambda tf: {"output_type": tf.int32},
    ("matmul", "grad_a"): lambda tf: {"grad_a": True},
    ("matmul", "grad_b"): lambda tf: {"grad_b": True},
    ("one_hot", "on_value"): lambda tf: {"on_value": 5.0},
    ("one_hot", "off_value"): lambda tf: {"off_value": -1.0},
    ("pad", "mode"): lambda tf: {"paddings": [[1, 1], [2, 0]], "mode": "REFLECT"},
    ("pad", "constant_values"): lambda tf: {"constant_values": 9},
    ("range", "limit"): lambda tf: {"limit": 7},
    ("range", "delta"): lambda tf: {"limit": 9, "delta": 3},
    ("split", "axis"): lambda tf: {"num_or_size_splits": [1, 2], "axis": 1},
    ("split", "num"): lambda tf: {"num": 2},
    ("squeeze", "axis"): lambda tf: {"axis": [0]},
    ("squeeze", "squeeze_dims"): lambda tf: {"squeeze_dims": [2]},
    ("stack", "axis"): lambda tf: {"axis": 1},
    ("tuple", "control_inputs"): lambda tf: {"control_inputs": [tf.no_op()]},
    ("unstack", "axis"): lambda tf: {"axis": 1},
    ("unstack", "num"): lambda tf: {"num": 2},
    ("where", "x"): lambda tf: {"x": A, "y": B},
    ("where", "y"): lambda tf: {"x": B, "y": A},
    ("while_loop", "shape_invariants"): lambda tf: {
        "shape_invariants": [tf.TensorShape([])]
    },
    ("while_loop", "maximum_iterations"): lambda tf: {"maximum_iterations": 2},
    ("while_loop", "return_same_structure"): lambda tf: {"return_same_structure": True},
    ("nn.bias_add", "data_format"): lambda tf: {
        "value": A[None, :, :, None],
        "bias": B[0][:2],
        "data_format": "NCHW",
    },
    ("nn.dropout", "keep_prob"): lambda tf: {"keep_prob": 1.0},
    ("nn.dropout", "rate"): lambda tf: {"rate": 0.0},
    ("nn.dropout", "noise_shape"): lambda tf: {"keep_prob": 1.0, "noise_shape": [4, 1]},
    ("nn.dropout", "seed"): lambda tf: {"keep_prob": 1.0, "seed": 3},
    ("nn.embedding_lookup", "partition_strategy"): lambda tf: {
        "params": [A, B],
        "ids": [0, 1, 2],
        "partition_strategy": "div",
    },
    ("nn.embedding_lookup", "max_norm"): lambda tf: {"max_norm": 1.0},
    ("nn.leaky_relu", "alpha"): lambda tf: {"alpha": 0.5},
    ("nn.moments", "shift"): lambda tf: {"shift": tf.constant(1.0)},
    ("nn.top_k", "k"): lambda tf: {"k": 2},
    ("math.top_k", "k"): lambda tf: {"k": 2},
    ("nn.sigmoid_cross_entropy_with_logits", "labels"): lambda tf: {"labels": B},
    ("nn.sigmoid_cross_entropy_with_logits", "logits"): lambda tf: {"logits": B},
    ("nn.softmax_cross_entropy_with_logits", "labels"): lambda tf: {
        "labels": ONE_HOT * 2
    },
    ("nn.softmax_cross_entropy_with_logits", "logits"): lambda tf: {"logits": B},
    ("nn.sparse_softmax_cross_entropy_with_logits", "labels"): lambda tf: {
        "labels": np.array([2, 2])
    },
    ("nn.sparse_softmax_cross_entropy_with_logits", "logits"): lambda tf: {"logits": B},
}
# What differs by intent; docs/python/tf1.md says so.
KNOWN = {
    "scan infer_shape": "slices are stacked: they have one shape",
    "map_fn infer_shape": "slices are stacked: they have one shape",
    "gradients name": "their operations are in gradients/",
    "glorot_normal_initializer dtype": "TensorFlow forgets it",
    "glorot_uniform_initializer dtype": "TensorFlow forgets it",
}
# Of which programs (tf1_flow.py, tf1_names.py, tf1_variables.py, ...) see the effect,
# or which have no argument that may be left out.
ELSEWHERE = """add_to_collection add_to_collections as_dtype colocate_with
control_dependencies device get_collection get_collection_ref get_seed global_variables
group initialize_variables is_variable_initialized local_variables no_op no_regularizer
placeholder placeholder_with_default set_random_seed to_bfloat16 trainable_variables
variable_scope variables_initializer train.add_queue_runner train.start_queue_runners
train.assert_global_step train.create_global_step train.get_global_step
train.get_or_create_global_step train.global_step get_variable get_local_variable
multinomial random_normal random_shuffle random_uniform truncated_normal""".split()
# Given already.
SAME = {"count_nonzero": ["input_tensor"]}


def _stopped(tf):
    x = tf.constant(A)
    y = x * 2.0
    return {"ys": [y * x], "xs": [x], "stop_gradients": [y]}


def found(tf, dotted):
    for part in dotted.split("."):
        tf = getattr(tf, part)
    return tf


def parameters(tf, dotted):
    """Those with a default."""
    signature = inspect.signature(found(tf, dotted))
    return [
        p.name
        for p in signature.parameters.values()
        if p.default is not p.empty and p.name not in SAME.get(dotted, ())
    ]


def _flat(made):
    if isinstance(made, (list, tuple)) and not hasattr(made, "_fields"):
        return [t for m in made for t in _flat(m)]
    if hasattr(made, "_fields"):
        return [t for m in made for t in _flat(m)]
    return [made]


def _first(tensor):
    return re.sub(r"_\d+$", "", tensor.name.split(":")[0].split("/")[0])


def _call(dotted, parameter):
    def build(tf):
        function = found(tf, dotted)
        given = BASE[dotted](tf)
        if not isinstance(given, dict):
            names = list(inspect.signature(function).parameters)
            given = dict(zip(names, given))
        if parameter is not None:
            special = SPECIAL.get((dotted, parameter))
            if special is not None:
                given.update(special(tf))
            else:
                value = VALUES[parameter]
                given[parameter] = value(tf) if callable(value) else value
        made = function(**{k: v for k, v in given.items() if v is not None})
        tensors = [t for t in _flat(made) if t is not None]
        # The first part of a name: what an operation consists of is one's own.
        if parameter == "name":
            return [*tensors, *[_first(t) for t in tensors if hasattr(t, "op")]]
        return tensors

    return build


def calls(ours):
    """(text, function of tf) of every parameter; None for one in no table."""
    for dotted in BASE:
        yield dotted, _call(dotted, None)
        for parameter in parameters(ours, dotted):
            known = parameter in VALUES or (dotted, parameter) in SPECIAL
            yield f"{dotted} {parameter}", _call(dotted, parameter) if known else None
