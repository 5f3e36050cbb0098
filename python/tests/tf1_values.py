"""Programs for TensorFlow 1: expressions, as functions of the module `tf`.

Each gives what is fetched: its value, type and shape are compared, or the class
of the error that building or running it raises.
"""

import numpy as np

F64 = np.array([1.5, -2.5, 3.0])
F32 = F64.astype(np.float32)
I32 = np.array([7, -7, 2], np.int32)
EXPRESSIONS = {
    # ---- types of constants ----
    "int": lambda tf: tf.constant(1),
    "ints": lambda tf: tf.constant([1, 2]),
    "large_int": lambda tf: tf.constant(2**40),
    "float": lambda tf: tf.constant(1.5),
    "mixed_list": lambda tf: tf.constant([1, 2.5]),
    "bool": lambda tf: tf.constant([True, False]),
    "string": lambda tf: tf.constant("abc"),
    "strings": lambda tf: tf.constant(["a", b"bc"]),
    "complex": lambda tf: tf.constant(1 + 2j),
    "numpy_f64": lambda tf: tf.constant(F64),
    "numpy_scalar": lambda tf: tf.constant(np.float64(2.0)),
    "numpy_int64": lambda tf: tf.constant(np.int64(3)),
    "list_of_numpy_f64": lambda tf: tf.constant([np.float64(1), np.float64(2)]),
    "list_of_numpy_f32": lambda tf: tf.constant([np.float32(1), np.float32(2)]),
    "list_of_arrays": lambda tf: tf.constant([F64, F64]),
    "int_as_float": lambda tf: tf.constant(3, tf.float32),
    "int_as_f64": lambda tf: tf.constant(3, tf.float64),
    "float_as_int": lambda tf: tf.constant(1.5, tf.int32),
    "bool_as_float": lambda tf: tf.constant(True, tf.float32),
    "bool_as_int": lambda tf: tf.constant(True, tf.int32),
    "int_as_bool": lambda tf: tf.constant(1, tf.bool),
    "string_as_int": lambda tf: tf.constant("a", tf.int32),
    "int_as_string": lambda tf: tf.constant(1, tf.string),
    "array_as_int": lambda tf: tf.constant(F64, tf.int32),
    "array_as_float": lambda tf: tf.constant(F64, tf.float32),
    "filled": lambda tf: tf.constant([1, 2], shape=[2, 2]),
    "filled_number": lambda tf: tf.constant(7.0, shape=[3]),
    "too_many": lambda tf: tf.constant([1, 2, 3], shape=[2]),
    "verified": lambda tf: tf.constant([1, 2], shape=[2], verify_shape=True),
    "not_verified": lambda tf: tf.constant([1], shape=[2], verify_shape=True),
    "reshaped": lambda tf: tf.constant([1, 2, 3, 4], shape=[2, 2]),
    "none": lambda tf: tf.constant(None),
    "none_inside": lambda tf: tf.constant([1, None]),
    "ragged": lambda tf: tf.constant([[1, 2], [3]]),
    "empty": lambda tf: tf.constant([]),
    "dtype_by_name": lambda tf: tf.constant(1, "float64"),
    "dtype_by_numpy": lambda tf: tf.constant(1, np.int64),
    "dtype_by_class": lambda tf: tf.constant(1, float),
    "convert_list": lambda tf: tf.convert_to_tensor([1, 2]),
    "convert_packs": lambda tf: tf.convert_to_tensor([1, tf.constant(2)]),
    "convert_packs_floats": lambda tf: tf.convert_to_tensor([[tf.constant(2.0), 1]]),
    "convert_preferred": lambda tf: tf.convert_to_tensor(1, preferred_dtype=tf.float32),
    "convert_not_preferred": lambda tf: tf.convert_to_tensor(
        1.5, preferred_dtype=tf.int32
    ),
    "convert_other": lambda tf: tf.convert_to_tensor(tf.constant(1), tf.float32),
    "convert_shape": lambda tf: tf.convert_to_tensor(tf.zeros([2, 3]).get_shape()),
    "zeros_int": lambda tf: tf.zeros([2], tf.int32),
    "ones_bool": lambda tf: tf.ones([2], tf.bool),
    "zeros_string": lambda tf: tf.zeros([1], tf.string),
    "zeros_shape_tensor": lambda tf: tf.zeros(tf.constant([2, 1])),
    "zeros_of_shape": lambda tf: tf.zeros(tf.shape(tf.ones([2, 3]))),
    "zeros_like_type": lambda tf: tf.zeros_like([1, 2], dtype=tf.float32),
    "ones_like": lambda tf: tf.ones_like([1.5, 2]),
    "fill": lambda tf: tf.fill([2, 2], 3),
    "fill_vector": lambda tf: tf.fill([2], [3]),
    "range": lambda tf: tf.range(5),
    "range_float": lambda tf: tf.range(3, 1, -0.5),
    "range_mixed": lambda tf: tf.range(0, 1.0, 0.25),
    "range_dtype": lambda tf: tf.range(3, dtype=tf.float32),
    "range_backwards": lambda tf: tf.range(3, 1),
    "range_int64": lambda tf: tf.range(tf.constant(3, tf.int64)),
    "linspace": lambda tf: tf.linspace(0.0, 1.0, 5),
    "linspace_one": lambda tf: tf.linspace(2.0, 9.0, 1),
    # ---- operators and types ----
    "int_plus_int": lambda tf: tf.constant(7) + 2,
    "int_plus_float": lambda tf: tf.constant(7) + 2.5,
    "float_plus_int": lambda tf: tf.constant(7.0) + 2,
    "tensors_of_two_types": lambda tf: tf.constant(7.0) + tf.constant(2),
    "add_of_two_types": lambda tf: tf.add(tf.constant(7.0), tf.constant(2)),
    "add_number_first": lambda tf: tf.add(1, tf.constant(7.0)),
    "multiply_number_first": lambda tf: tf.multiply(2, tf.constant(7.0)),
    "number_first": lambda tf: 2 * tf.constant(7.0),
    "number_minus": lambda tf: 2 - tf.constant([7.0]),
    "float_first_int": lambda tf: 2.5 * tf.constant(7),
    "array_times_tensor": lambda tf: F32 * tf.constant(F32),
    "array_minus_tensor": lambda tf: F64 - tf.constant(F32),
    "tensor_times_array": lambda tf: tf.constant(F32) * F64,
    "numpy_scalar_times_tensor": lambda tf: np.float32(2) * tf.constant(F32),
    "array_matmul_tensor": lambda tf: np.ones((2, 2), np.float32) @ tf.ones([2, 2]),
    "array_less_tensor": lambda tf: F32 < tf.constant([2.0, -3.0, 3.0]),
    "strings_added": lambda tf: tf.constant(["a"]) + tf.constant("b"),
    "int_div": lambda tf: tf.constant(I32) / 2,
    "int64_div": lambda tf: tf.constant(I32.astype(np.int64)) / 2,
    "int8_div": lambda tf: tf.constant(I32.astype(np.int8)) / 2,
    "int_floordiv": lambda tf: tf.constant(I32) // 2,
    "int_mod": lambda tf: tf.constant(I32) % 3,
    "float_floordiv": lambda tf: tf.constant(F32) // 2.0,
    "float_mod": lambda tf: tf.constant(F32) % 2.0,
    "div_ints": lambda tf: tf.div(tf.constant(I32), 2),
    "div_floats": lambda tf: tf.div(tf.constant(F32), 2.0),
    "divide_ints": lambda tf: tf.divide(tf.constant(I32), 2),
    "divide_numbers": lambda tf: tf.divide(1, 2),
    "truediv_numbers": lambda tf: tf.truediv(7, 2),
    "floordiv_numbers": lambda tf: tf.floordiv(-7, 2),
    "floor_div": lambda tf: tf.floor_div(tf.constant(I32), tf.constant(2)),
    "realdiv": lambda tf: tf.realdiv(tf.constant(F32), 2.0),
    "mod_negative": lambda tf: tf.mod(tf.constant(I32), -3),
    "div_by_zero": lambda tf: tf.constant([1, 2]) // tf.constant([1, 0]),
    "truediv_types": lambda tf: tf.truediv(tf.constant(1.0), tf.constant(1)),
    "pow_int": lambda tf: tf.constant([2, 3]) ** 3,
    "pow_float": lambda tf: tf.pow([2.0, 3.0], 0.5),
    "negative_power": lambda tf: tf.constant([2, 3]) ** tf.constant(-1),
    "and": lambda tf: tf.constant([True, False]) & tf.constant([True, True]),
    "or_ints": lambda tf: tf.constant([1, 4]) | tf.constant([2, 4]),
    "invert": lambda tf: ~tf.constant([True, False]),
    "and_float": lambda tf: tf.constant([1.0]) & tf.constant([1.0]),
    "neg": lambda tf: -tf.constant([1, -2]),
    "abs": lambda tf: abs(tf.constant([1.5, -2])),
    "less": lambda tf: tf.constant([1, 3]) < 2,
    "less_types": lambda tf: tf.constant([1, 3]) < 2.5,
    "equal": lambda tf: tf.equal([1, 2], [1, 3]),
    "equal_types": lambda tf: tf.equal(tf.constant(1), tf.constant(1.0)),
    "equal_strings": lambda tf: tf.equal(["a", "b"], "a"),
    "equal_bools": lambda tf: tf.equal([True], [False]),
    "equal_shapes": lambda tf: tf.equal([1, 2], [1, 2, 3]),
    "logical_and_ints": lambda tf: tf.logical_and(1, 2),
    "logical_xor": lambda tf: tf.logical_xor([True, False], [True, True]),
    "sqrt_int": lambda tf: tf.sqrt(tf.constant(4)),
    "exp_int": lambda tf: tf.exp(1),
    "sqrt": lambda tf: tf.sqrt([4.0, 2.0]),
    "square_int": lambda tf: tf.square([3, -2]),
    "sign": lambda tf: tf.sign([3, -2, 0]),
    "floor_int": lambda tf: tf.floor(tf.constant(3)),
    "round": lambda tf: tf.round([0.5, 1.5, 2.5, -0.5]),
    "maximum": lambda tf: tf.maximum([1.0, np.nan, 3.0], [2.0, 2.0, np.nan]),
    "minimum_int": lambda tf: tf.minimum([1, 5], 3),
    "maximum_types": lambda tf: tf.maximum(tf.constant(1), 2.5),
    "squared_difference": lambda tf: tf.squared_difference([1.0, 5.0], 3.0),
    "atan2": lambda tf: tf.atan2([1.0, -1.0], [-1.0, 1.0]),
    "is_nan": lambda tf: tf.is_nan([1.0, np.nan]),
    "add_n": lambda tf: tf.add_n([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "add_n_shapes": lambda tf: tf.add_n([tf.constant([1.0]), tf.constant([1.0, 2.0])]),
    "clip": lambda tf: tf.clip_by_value([1.0, 5.0, 3.0], 2.0, 4.0),
    "clip_ints": lambda tf: tf.clip_by_value([1, 5], 2, 4),
    "cast": lambda tf: tf.cast([1.7, -1.7], tf.int32),
    "cast_bool": lambda tf: tf.cast([0.0, -1.7], tf.bool),
    "cast_same": lambda tf: tf.cast([1.5], tf.float32),
    "to_int32": lambda tf: tf.to_int32([1.7]),
    "saturate": lambda tf: tf.saturate_cast([300.0, -5.0, 7.9], tf.uint8),
    "div_no_nan": lambda tf: tf.div_no_nan([1.0, 2.0], [0.0, 4.0]),
    "shapes_differ": lambda tf: tf.constant([1, 2]) + tf.constant([1, 2, 3]),
    "bool_of_tensor": lambda tf: tf.constant(1) if tf.constant(True) else 2,
    "iterated": lambda tf: list(tf.constant([1, 2])),
    "len": lambda tf: tf.constant(len(tf.constant([1, 2]))),
    "plus_none": lambda tf: tf.constant(1) + None,
    "array_of_tensor": lambda tf: np.sin(tf.constant(1.0)),
    # ---- reductions ----
    "sum_int": lambda tf: tf.reduce_sum([[1, 2], [3, 4]]),
    "sum_uint8": lambda tf: tf.reduce_sum(np.array([200, 100], np.uint8)),
    "sum_bool": lambda tf: tf.reduce_sum([True, True]),
    "sum_axis": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], 1),
    "sum_axis_negative": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], axis=-1),
    "sum_no_axis": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], axis=[]),
    "sum_keep": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], axis=[0], keepdims=True),
    "sum_keep_dims": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], keep_dims=True),
    "sum_indices": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], reduction_indices=1),
    "sum_axis_twice_given": lambda tf: tf.reduce_sum(
        [[1, 2]], axis=0, reduction_indices=1
    ),
    "sum_axis_tensor": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], tf.constant(0)),
    "sum_axis_range": lambda tf: tf.reduce_sum([1, 2], 1),
    "mean_int": lambda tf: tf.reduce_mean([1, 2]),
    "mean_int_negative": lambda tf: tf.reduce_mean([-1, -2]),
    "mean_int_axis": lambda tf: tf.reduce_mean([[1, 2], [5, 4]], 0),
    "mean_float": lambda tf: tf.reduce_mean([1.0, 2.0]),
    "mean_no_axis": lambda tf: tf.reduce_mean([1.0, 2.0], []),
    "mean_bool": lambda tf: tf.reduce_mean([True]),
    "max_no_axis": lambda tf: tf.reduce_max([1.0, 2.0], []),
    "max": lambda tf: tf.reduce_max([[1, 9], [3, 4]], 0),
    "prod": lambda tf: tf.reduce_prod([[1, 9], [3, 4]], 0),
    "all": lambda tf: tf.reduce_all([[True, False], [True, True]], 1),
    "any_no_axis": lambda tf: tf.reduce_any([True, False], []),
    "all_ints": lambda tf: tf.reduce_all([1, 0]),
    "logsumexp": lambda tf: tf.reduce_logsumexp([[1.0, 2.0], [-np.inf, -np.inf]], 1),
    "logsumexp_no_axis": lambda tf: tf.reduce_logsumexp([1.0, 2.0], []),
    "argmax": lambda tf: tf.argmax([[1, 9], [3, 4]]),
    "argmax_axis": lambda tf: tf.argmax([[1, 9], [3, 4]], 1, output_type=tf.int32),
    "argmin_dimension": lambda tf: tf.argmin([[1, 9], [3, 4]], dimension=1),
    "count_nonzero": lambda tf: tf.count_nonzero([[1, 0], [3, 0]], axis=0),
    "cumsum": lambda tf: tf.cumsum([1, 2, 3], exclusive=True, reverse=True),
    "cumprod": lambda tf: tf.cumprod([[1, 2], [3, 4]], axis=1),
    "empty_max": lambda tf: tf.reduce_max(tf.zeros([0])),
    "empty_mean": lambda tf: tf.reduce_mean(tf.zeros([0])),
    "empty_sum": lambda tf: tf.reduce_sum(tf.zeros([0, 2]), 0),
    # ---- shapes ----
    "reshape": lambda tf: tf.reshape(tf.range(6), [2, -1]),
    "reshape_scalar": lambda tf: tf.reshape([[5]], []),
    "reshape_by_number": lambda tf: tf.reshape([[5]], -1),
    "reshape_wrong": lambda tf: tf.reshape(tf.range(6), [4, 2]),
    "transpose": lambda tf: tf.transpose([[1, 2, 3]]),
    "transpose_perm": lambda tf: tf.transpose(tf.zeros([1, 2, 3]), [1, 0, 2]),
    "concat": lambda tf: tf.concat([[[1]], [[2]]], 1),
    "concat_negative": lambda tf: tf.concat([tf.ones([1, 2]), tf.zeros([1, 1])], -1),
    "concat_one": lambda tf: tf.concat([[1, 2]], 0),
    "concat_types": lambda tf: tf.concat([[1], [2.5]], 0),
    "concat_scalars": lambda tf: tf.concat([tf.constant(1), tf.constant(2)], 0),
    "concat_axis_first": lambda tf: tf.concat(0, [[1], [2]]),
    "stack": lambda tf: tf.stack([[1, 2], [3, 4]], axis=1),
    "stack_mixed": lambda tf: tf.stack([tf.constant(1.0), 2]),
    "stack_axis": lambda tf: tf.stack([[1], [2]], axis=3),
    "unstack": lambda tf: tf.unstack([[1, 2], [3, 4]], axis=1),
    "unstack_unknown": lambda tf: tf.unstack(tf.placeholder(tf.float32, [None])),
    "split": lambda tf: tf.split([1, 2, 3, 4], 2),
    "split_sizes": lambda tf: tf.split([1, 2, 3, 4], [1, -1]),
    "split_uneven": lambda tf: tf.split([1, 2, 3], 2),
    "split_axis": lambda tf: tf.split(tf.ones([2, 4]), num_or_size_splits=4, axis=1),
    "expand_dims": lambda tf: tf.expand_dims([1, 2], -1),
    "expand_dims_dim": lambda tf: tf.expand_dims([1, 2], dim=0),
    "expand_dims_none": lambda tf: tf.expand_dims([1, 2]),
    "squeeze": lambda tf: tf.squeeze([[[1], [2]]]),
    "squeeze_axis": lambda tf: tf.squeeze([[[1], [2]]], axis=[0]),
    "squeeze_wrong": lambda tf: tf.squeeze([[[1], [2]]], [1]),
    "squeeze_empty": lambda tf: tf.squeeze([[[1], [2]]], []),
    "tile": lambda tf: tf.tile([[1, 2]], [2, 2]),
    "slice": lambda tf: tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]),
    "slice_wrong": lambda tf: tf.slice([1, 2, 3], [1], [4]),
    "slice_tensor": lambda tf: tf.slice(
        [1, 2, 3], tf.reshape(tf.constant(1), [1]), [2]
    ),
    "pad": lambda tf: tf.pad([[1, 2]], [[1, 0], [0, 1]], constant_values=9),
    "pad_reflect": lambda tf: tf.pad([1, 2, 3], [[2, 1]], "REFLECT"),
    "pad_symmetric": lambda tf: tf.pad([1, 2, 3], [[2, 1]], "symmetric"),
    "pad_mode": lambda tf: tf.pad([1, 2, 3], [[2, 1]], "edge"),
    "reverse": lambda tf: tf.reverse([[1, 2], [3, 4]], [1]),
    "reverse_none": lambda tf: tf.reverse([[1, 2], [3, 4]], []),
    "broadcast_to": lambda tf: tf.broadcast_to([1, 2], [2, 2]),
    "gather": lambda tf: tf.gather([[1, 2], [3, 4]], [1, 0, 1]),
    "gather_axis": lambda tf: tf.gather([[1, 2], [3, 4]], 1, axis=1),
    "gather_outside": lambda tf: tf.gather([1, 2], tf.constant([2])),
    "gather_negative": lambda tf: tf.gather([1, 2], [-1]),
    "gather_float": lambda tf: tf.gather([1, 2], [1.0]),
    "gather_nd": lambda tf: tf.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]),
    "boolean_mask": lambda tf: tf.boolean_mask([[1, 2], [3, 4]], [False, True]),
    "boolean_mask_2d": lambda tf: tf.boolean_mask(
        [[1, 2], [3, 4]], [[False, True], [True, True]]
    ),
    "one_hot": lambda tf: tf.one_hot([1, -1, 3], 3),
    "one_hot_values": lambda tf: tf.one_hot([1], 2, on_value=5, off_value=-1),
    "one_hot_axis": lambda tf: tf.one_hot([0, 1, 1], 2, axis=0, dtype=tf.int32),
    "one_hot_bool": lambda tf: tf.one_hot([0], 2, True, False),
    "where": lambda tf: tf.where([True, False], [1, 2], [3, 4]),
    "where_rows": lambda tf: tf.where(
        [True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    ),
    "where_no_broadcast": lambda tf: tf.where([True, False], [1, 2], 3),
    "where_scalar": lambda tf: tf.where(True, [1, 2], [3, 4]),
    "where_places": lambda tf: tf.where([[True, False], [True, True]]),
    "where_numbers": lambda tf: tf.where([1, 0, 2]),
    "where_half": lambda tf: tf.where([True], [1]),
    "where_types": lambda tf: tf.where([True], tf.constant([1]), tf.constant([1.0])),
    "shape": lambda tf: tf.shape(tf.zeros([2, 3])),
    "shape_type": lambda tf: tf.shape([1, 2], out_type=tf.int64),
    "size": lambda tf: tf.size(tf.zeros([2, 3])),
    "rank": lambda tf: tf.rank(tf.zeros([2, 3])),
    "matmul": lambda tf: tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]),
    "matmul_int": lambda tf: tf.matmul([[1, 2]], [[3, 4]], transpose_b=True),
    "matmul_adjoint": lambda tf: tf.matmul([[1j]], [[2j]], adjoint_a=True),
    "matmul_batch": lambda tf: tf.matmul(tf.ones([2, 1, 3]), tf.ones([2, 3, 2])),
    "matmul_vector": lambda tf: tf.matmul([1.0, 2.0], [[3.0], [4.0]]),
    "matmul_sizes": lambda tf: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])),
    "matmul_types": lambda tf: tf.matmul(tf.ones([1, 1]), tf.ones([1, 1], tf.int32)),
    "tensordot": lambda tf: tf.tensordot([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], 1),
    "tensordot_axes": lambda tf: tf.tensordot(
        tf.ones([2, 3, 4]), tf.ones([4, 2]), [[2, 0], [0, 1]]
    ),
    "index": lambda tf: tf.constant([[1, 2], [3, 4]])[1],
    "index_two": lambda tf: tf.constant([[1, 2], [3, 4]])[1, 0],
    "index_slice": lambda tf: tf.constant([1, 2, 3, 4])[1:-1],
    "index_step": lambda tf: tf.constant([1, 2, 3, 4])[::-2],
    "index_new": lambda tf: tf.constant([1, 2])[:, tf.newaxis],
    "index_dots": lambda tf: tf.zeros([2, 3, 4])[..., 0],
    "index_tensor": lambda tf: tf.constant([1, 2, 3])[tf.constant(1)],
    "index_tensor_range": lambda tf: tf.constant([1, 2, 3])[: tf.constant(2)],
    "index_outside": lambda tf: tf.constant([1, 2, 3])[3],
    "index_float": lambda tf: tf.constant([1, 2, 3])[1.0],
    "index_list": lambda tf: tf.constant([1, 2, 3])[[0, 1]],
    "index_many": lambda tf: tf.constant([1, 2, 3])[0, 0],
    "index_mask": lambda tf: tf.constant([1, 2, 3])[tf.constant([True, False, True])],
    # ---- networks ----
    "relu": lambda tf: tf.nn.relu([-1.0, 2.0]),
    "relu_int": lambda tf: tf.nn.relu([-1, 2]),
    "elu": lambda tf: tf.nn.elu([-1.0, 2.0]),
    "selu": lambda tf: tf.nn.selu([-1.0, 2.0]),
    "relu6": lambda tf: tf.nn.relu6([-1.0, 2.0, 7.0]),
    "leaky_relu": lambda tf: tf.nn.leaky_relu([-1.0, 2.0]),
    "softplus": lambda tf: tf.nn.softplus([-1.0, 200.0]),
    "softsign": lambda tf: tf.nn.softsign([-1.0, 3.0]),
    "softmax": lambda tf: tf.nn.softmax([[1.0, 2.0], [3.0, 3.0]]),
    "softmax_axis": lambda tf: tf.nn.softmax([[1.0, 2.0], [3.0, 3.0]], axis=0),
    "softmax_dim": lambda tf: tf.nn.softmax([[1.0, 2.0]], dim=1),
    "softmax_int": lambda tf: tf.nn.softmax([1, 2]),
    "softmax_axis_wrong": lambda tf: tf.nn.softmax([[1.0, 2.0]], axis=2),
    "log_softmax": lambda tf: tf.nn.log_softmax([[1.0, 2.0], [3.0, 3.0]]),
    "bias_add": lambda tf: tf.nn.bias_add([[1.0, 2.0]], [3.0, 4.0]),
    "bias_add_nchw": lambda tf: tf.nn.bias_add(
        tf.zeros([1, 2, 1, 3]), [3.0, 4.0], data_format="NCHW"
    ),
    "bias_add_vector": lambda tf: tf.nn.bias_add([1.0, 2.0], [3.0, 4.0]),
    "bias_add_matrix": lambda tf: tf.nn.bias_add([[1.0, 2.0]], [[3.0, 4.0]]),
    "xw_plus_b": lambda tf: tf.nn.xw_plus_b([[1.0]], [[2.0]], [3.0]),
    "l2_loss": lambda tf: tf.nn.l2_loss([3.0, 4.0]),
    "l2_normalize": lambda tf: tf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], 1),
    "zero_fraction": lambda tf: tf.nn.zero_fraction([0.0, 1.0, 0.0]),
    "moments": lambda tf: tf.nn.moments(tf.constant([[1.0, 3.0], [2.0, 8.0]]), [0]),
    "moments_keep": lambda tf: tf.nn.moments(
        tf.constant([[1.0, 3.0], [2.0, 8.0]]), [1], keep_dims=True
    ),
    "top_k": lambda tf: list(tf.nn.top_k([1.0, 3.0, 2.0], 2)),
    "top_k_large": lambda tf: list(tf.nn.top_k([1.0, 3.0], 3)),
    "in_top_k": lambda tf: tf.nn.in_top_k([[0.1, 0.9], [0.5, 0.5]], [0, 0], 1),
    "cross_entropy": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=[[0.0, 1.0], [0.5, 0.5]], logits=[[1.0, 2.0], [0.0, 100.0]]
    ),
    "cross_entropy_v2": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=[[0.0, 1.0]], logits=[[1.0, 2.0]]
    ),
    "cross_entropy_positional": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        [[1.0]]
    ),
    "sparse_cross_entropy": lambda tf: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[0, 1], logits=[[1.0, 2.0], [0.0, 100.0]]
        )
    ),
    "sparse_cross_entropy_rank": lambda tf: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[[0]], logits=[[1.0, 2.0]]
        )
    ),
    "sparse_cross_entropy_float": lambda tf: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[0.0], logits=[[1.0, 2.0]]
        )
    ),
    "sparse_cross_entropy_outside": lambda tf: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[0, 2], logits=[[1.0, 2.0], [0.0, 1.0]]
        )
    ),
    "sparse_cross_entropy_negative": lambda tf: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[-1], logits=[[1.0, 2.0]])
    ),
    "sigmoid_cross_entropy": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=[0.0, 1.0, 0.5], logits=[100.0, -100.0, 0.3]
    ),
    "sigmoid_cross_entropy_shapes": lambda tf: (
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[0.0], logits=[1.0, 2.0])
    ),
    "dropout_none": lambda tf: tf.nn.dropout([1.0, 2.0], keep_prob=1.0),
    "dropout_rate": lambda tf: tf.nn.dropout([1.0, 2.0], rate=0.0),
    "dropout_wrong": lambda tf: tf.nn.dropout([1.0, 2.0], rate=1.5),
    "dropout_both": lambda tf: tf.nn.dropout([1.0], keep_prob=0.5, rate=0.5),
    "embedding": lambda tf: tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1]),
    "embedding_mod": lambda tf: tf.nn.embedding_lookup(
        [tf.constant([[0.0], [2.0], [4.0]]), tf.constant([[1.0], [3.0]])],
        [[0, 1, 2], [4, 3, 3]],
    ),
    "embedding_div": lambda tf: tf.nn.embedding_lookup(
        [tf.constant([[0.0], [1.0], [2.0]]), tf.constant([[3.0], [4.0]])],
        [0, 2, 3, 4],
        partition_strategy="div",
    ),
    "embedding_strategy": lambda tf: tf.nn.embedding_lookup(
        [tf.constant([[0.0]]), tf.constant([[3.0]])], [0], partition_strategy="other"
    ),
    "embedding_max_norm": lambda tf: tf.nn.embedding_lookup(
        [[3.0, 4.0], [0.3, 0.4]], [0, 1], max_norm=1.0
    ),
    "embedding_list_of_one": lambda tf: tf.nn.embedding_lookup(
        [tf.constant([[3.0], [4.0]])], [1]
    ),
    "global_norm": lambda tf: tf.global_norm([tf.constant([3.0]), None, [4.0]]),
    "clip_by_global_norm": lambda tf: tf.clip_by_global_norm(
        [tf.constant([3.0]), tf.constant([4.0])], 1.0
    )[0],
    "clip_by_norm": lambda tf: tf.clip_by_norm([[3.0, 4.0], [0.0, 0.0]], 1.0, axes=[1]),
    # ---- gradients ----
    "grad_maximum_tie": lambda tf: _gradients(
        tf, tf.maximum, [1.0, 2.0, 3.0], [1.0, 1, 4]
    ),
    "grad_minimum_tie": lambda tf: _gradients(
        tf, tf.minimum, [1.0, 2.0, 3.0], [1.0, 1, 4]
    ),
    "grad_max_ties": lambda tf: _gradients(tf, tf.reduce_max, [1.0, 3.0, 3.0]),
    "grad_min_ties": lambda tf: _gradients(tf, tf.reduce_min, [1.0, 1.0, 3.0]),
    "grad_relu_zero": lambda tf: _gradients(tf, tf.nn.relu, [0.0, 1.0, -1.0]),
    "grad_relu6_ends": lambda tf: _gradients(tf, tf.nn.relu6, [0.0, 6.0, 3.0]),
    "grad_abs_zero": lambda tf: _gradients(tf, tf.abs, [0.0, 1.0, -1.0]),
    "grad_clip_ends": lambda tf: _gradients(
        tf, lambda x: tf.clip_by_value(x, 0.0, 1.0), [0.0, 1.0, 0.5, -1.0, 2.0]
    ),
    "grad_prod_zero": lambda tf: _gradients(tf, tf.reduce_prod, [0.0, 3.0, 2.0]),
    "grad_sqrt_zero": lambda tf: _gradients(tf, tf.sqrt, [0.0, 4.0]),
    "grad_pow_zero": lambda tf: _gradients(tf, tf.pow, [0.0, 2.0], [2.0, 3.0]),
    "grad_leaky_zero": lambda tf: _gradients(tf, tf.nn.leaky_relu, [0.0, 1.0, -1.0]),
    "grad_elu_zero": lambda tf: _gradients(tf, tf.nn.elu, [0.0, 1.0, -1.0]),
    "grad_selu_zero": lambda tf: _gradients(tf, tf.nn.selu, [0.0, 1.0, -1.0]),
    "grad_sigmoid_loss_zero": lambda tf: _gradients(
        tf,
        lambda x, z: tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x),
        [0.0, 1.0],
        [0.3, 1.0],
    ),
    "grad_logsumexp": lambda tf: _gradients(tf, tf.reduce_logsumexp, [1.0, 2.0]),
    "grad_mean": lambda tf: _gradients(tf, tf.reduce_mean, [1.0, 2.0]),
    "grad_labels_v1": lambda tf: _gradients(
        tf,
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits(labels=z, logits=x),
        [[0.3, 0.7]],
        [[1.0, 2.0]],
    ),
    "grad_labels_v2": lambda tf: _gradients(
        tf,
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=x),
        [[0.3, 0.7]],
        [[1.0, 2.0]],
    ),
    "grad_floor": lambda tf: _gradients(tf, tf.floor, [1.5]),
    "grad_cast": lambda tf: _gradients(
        tf, lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), [1.5]
    ),
    "grad_sign": lambda tf: _gradients(tf, tf.sign, [1.5]),
    "grad_round": lambda tf: _gradients(tf, tf.round, [1.5]),
    "grad_where": lambda tf: _gradients(
        tf, lambda x: tf.where(x > 1.0, x * 2.0, tf.zeros_like(x)), [1.0, 2.0]
    ),
    "grad_square_int": lambda tf: _gradients(tf, tf.square, [1, 2]),
    "grad_stop": lambda tf: _gradients(tf, tf.stop_gradient, [1.0]),
    "grad_ys": lambda tf: _grad_ys(tf, [1.0, 10.0]),
    "grad_ys_type": lambda tf: _grad_ys(tf, tf.constant([1, 10])),
    "grad_ys_shape": lambda tf: _grad_ys(tf, [1.0, 10.0, 3.0]),
    "grad_second": lambda tf: _second(tf),
    "grad_of_list": lambda tf: _of_list(tf),
    "grad_unconnected_zero": lambda tf: tf.gradients(
        tf.constant(1.0), tf.constant([1.0, 2.0]), unconnected_gradients="zero"
    ),
    "grad_clip_by_norm_zero": lambda tf: _gradients(
        tf, lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]
    ),
    "grad_moments": lambda tf: _gradients(
        tf, lambda x: tf.nn.moments(x, [0])[1], [1.0, 2.0, 6.0]
    ),
    "grad_gather": lambda tf: _gradients(
        tf, lambda x: tf.gather(x, [1, 1, 0]) * 2.0, [1.0, 2.0, 3.0]
    ),
    "grad_embedding_mod": lambda tf: _gradients(
        tf,
        lambda a, b: tf.nn.embedding_lookup([a, b], [0, 1, 2, 2]) * 2.0,
        [[0.0], [2.0]],
        [[1.0], [3.0]],
    ),
}


def _gradients(tf, f, *xs):
    xs = [tf.constant(x) for x in xs]
    found = tf.gradients(f(*xs), xs)
    return ["none" if g is None else g for g in found]


def _grad_ys(tf, flow):
    x = tf.constant([1.0, 2.0])
    return tf.gradients(x * x, x, grad_ys=[flow])


def _second(tf):
    x = tf.constant([1.0, 2.0])
    (first,) = tf.gradients(x * x * x, x)
    return tf.gradients(first, [x])


def _of_list(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    return tf.gradients([x * y, x], [x, y], grad_ys=[None, tf.constant(5.0)])
