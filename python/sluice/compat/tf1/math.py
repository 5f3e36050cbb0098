"""tf.math: functions of `tf` that TensorFlow has there, too, under the same names."""

from __future__ import annotations

from . import _math, _reduce, _select, nn

_OF_TF = """abs acos acosh add add_n argmax argmin asin asinh atan atan2 atanh ceil cos
cosh count_nonzero cumprod cumsum digamma divide equal erf erfc exp expm1 floor floordiv
floormod greater greater_equal is_finite is_inf is_nan less less_equal lgamma log log1p
logical_and logical_not logical_or logical_xor maximum minimum mod multiply negative
not_equal pow reciprocal reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean
reduce_min reduce_prod reduce_sum round rsqrt sigmoid sign sin sinh sqrt square
squared_difference subtract tan tanh truediv""".split()
_OF_NN = """in_top_k l2_normalize log_softmax softmax softplus softsign top_k
zero_fraction""".split()

__all__ = [*_OF_TF, *_OF_NN]

for _part in (nn, _select, _reduce, _math):
    for _name in __all__:
        if _name in _part.__all__:
            globals()[_name] = vars(_part)[_name]
