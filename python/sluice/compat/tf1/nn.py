"""Parts of networks by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._checks import checked_value, same_size_at, same_sizes
from ._constants import known, known_ints
from ._dtypes import as_dtype, int32, int64
from ._emit import convert, emit, scoped, typed_constant
from ._math import _REALS, same_type, allowed
from ._reduce import axes_of, one_of, reduced
from ._tensor import Tensor
from .errors import InvalidArgumentError

# Extended by the functions made from the table below.
__all__ = [
    "bias_add",
    "dropout",
    "embedding_lookup",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "moments",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "top_k",
    "xw_plus_b",
    "zero_fraction",
]


def _activation(op: str, label: str) -> Callable[..., Any]:
    def call(features: Any, name: str | None = None) -> Any:
        with scoped(name, label, features) as full:
            x = convert(features, name="features")
            if op in ("relu", "relu6") and x.dtype.is_integer:
                low = emit(None, "maximum", x, typed_constant(0, x.dtype, "zero"))
                top = 6 if op == "relu6" else x.dtype.max
                return emit(full, "minimum", low, typed_constant(top, x.dtype, "top"))
            allowed(label, x.dtype, _REALS)
            return emit(full, op, x)

    call.__name__ = call.__qualname__ = op
    call.__doc__ = f"{label} of each element."
    return call


for _name, _label in {
    "relu": "Relu",
    "relu6": "Relu6",
    "elu": "Elu",
    "softplus": "Softplus",
    "softsign": "Softsign",
}.items():
    globals()[_name] = _activation(_name, _label)
    __all__.append(_name)


def sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x))."""
    from . import _math

    return vars(_math)["sigmoid"](x, name)


def tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent."""
    from . import _math

    return vars(_math)["tanh"](x, name)


def selu(features: Any, name: str | None = None) -> Any:
    """scale * x, and scale * alpha * (exp(x) - 1) where it is below zero."""
    with scoped(name, "Selu", features) as full:
        x = convert(features, name="features")
        allowed("Selu", x.dtype, _REALS)
        scale = typed_constant(1.0507009873554804934193349852946, x.dtype, "scale")
        alpha = typed_constant(1.7580993408473768599402175208123, x.dtype, "alpha")
        below = emit(None, "less", x, typed_constant(0, x.dtype, "zero"))
        low = emit(None, "where", below, x, emit(None, "zeros_like", x))
        curve = emit(None, "mul", emit(None, "expm1", low), alpha)
        return emit(full, "where", below, curve, emit(None, "mul", x, scale))


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """x, or alpha times x where it is below zero."""
    with scoped(name, "LeakyRelu", features) as full:
        x = convert(features, name="features")
        if x.dtype.is_integer:
            from ._dtypes import float32

            x = emit(None, "cast", x, dtype=float32)
        low = emit(None, "mul", x, convert(alpha, x.dtype, name="alpha"))
        zero = typed_constant(0, x.dtype, "zero")
        return emit(full, "where", emit(None, "greater", x, zero), x, low)


def _over(op: str, label: str) -> Callable[..., Any]:
    def call(
        logits: Any, axis: int | None = None, name: str | None = None, dim: Any = None
    ) -> Any:
        axis = one_of("axis", axis, dim, "dim")
        with scoped(name, label, logits) as full:
            x = convert(logits, name="logits")
            allowed(label, x.dtype, _REALS)
            along = -1 if axis is None else int(axis)
            rank = x.shape.ndims
            if rank is not None and not -rank <= along < rank:
                raise InvalidArgumentError(
                    None, None, f"`axis` is {along}; wanted one of {rank} of the logits"
                )
            return emit(full, op, x, axis=along)

    call.__name__ = call.__qualname__ = op
    call.__doc__ = f"{label} along an axis, the last when none is given."
    return call


softmax = _over("softmax", "Softmax")
log_softmax = _over("log_softmax", "LogSoftmax")


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """The bias added along the last axis, or axis 1 for the format "NC...".

    The bias is a vector, the value has at least two axes.
    """
    with scoped(name, "BiasAdd", value, bias) as full:
        x = convert(value, name="input")
        b = convert(bias, x.dtype, name="bias")
        first = False
        if data_format is not None:
            if data_format.startswith("NC"):
                first = True
            elif not (data_format.startswith("N") and data_format.endswith("C")):
                raise ValueError(
                    "`data_format` must be of the form `N...C` or `NC...`. Received: "
                    f"{data_format}"
                )
        rank = x.shape.ndims
        b.shape.assert_has_rank(1)
        if rank is not None and rank < 2:
            raise ValueError(f"bias_add: the value is {x.shape}; wanted 2 axes or more")
        if rank is not None:
            size = x.shape[1 if first else rank - 1]
            if not size.is_compatible_with(b.shape[0]):
                raise ValueError(
                    f"Dimensions must be equal, but are {size} and {b.shape[0]} for "
                    "BiasAdd"
                )
        if rank is None:
            raise NotImplementedError("bias_add: wanted the number of axes known")
        b = same_size_at(b, x, 1 if first else rank - 1, "BiasAdd")
        if first:
            for _ in range(rank - 2):
                b = emit(None, "expand_dims", b, axis=-1)
        return emit(full, "add", x, b)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """x times weights, plus biases."""
    from ._linalg import matmul

    with scoped(name, "xw_plus_b", x, weights, biases) as full:
        x = convert(x, name="x")
        product = matmul(x, convert(weights, x.dtype, name="weights"))
        return bias_add(product, biases, name=f"{full}/")


def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of squares."""
    with scoped(name, "L2Loss", t) as full:
        x = convert(t, name="t")
        allowed("L2Loss", x.dtype, _REALS)
        total = emit(None, "sum", emit(None, "square", x))
        return emit(full, "mul", total, typed_constant(0.5, x.dtype, "half"))


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    """x by the root of its sum of squares along axes, at least epsilon."""
    axis = one_of("axis", axis, dim, "dim")
    with scoped(name, "l2_normalize", x) as full:
        from ._math import maximum

        x = convert(x, name="x")
        axes = axes_of(axis, x.shape.ndims, "l2_normalize")
        squares = reduced(None, "sum", emit(None, "square", x), axes, True)
        least = typed_constant(epsilon, x.dtype, "epsilon")
        scale = emit(None, "rsqrt", maximum(squares, least))
        return emit(full, "mul", x, scale)


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The share of the elements that are zero, float32."""
    from ._dtypes import float32
    from ._reduce import count_nonzero

    with scoped(name, "zero_fraction", value) as full:
        x = convert(value, name="value")
        count = emit(None, "cast", count_nonzero(x), dtype=float32)
        total = emit(None, "cast", emit(None, "size", x), dtype=float32)
        zeros = emit(None, "sub", total, count)
        return emit(full, "div", zeros, total)


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Elements set to zero at random; the rest grow to make up for it.

    `noise_shape` is the shape of what is drawn, which then broadcasts.
    """
    from ._random import uniform

    given = rate
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        given = keep_prob
    if given is None:
        raise ValueError(f"`rate` must be a scalar tensor or a float; got {given}")
    with scoped(name, "dropout", x) as full:
        x = convert(x, name="x")
        allowed("dropout", x.dtype, _REALS)
        one = typed_constant(1, x.dtype, "one")
        fixed = known(given)
        if fixed is not None:
            share = float(fixed)
            drop = share if rate is not None else 1.0 - share
            if not 0.0 <= drop < 1.0:
                raise ValueError(
                    "`rate` must be a scalar tensor or a float in the range [0, 1). "
                    f"Received: rate={drop}"
                )
            if drop == 0.0:
                return x
            amount = typed_constant(drop, x.dtype, "rate")
        else:
            amount = convert(given, x.dtype, name="rate")
            if rate is None:
                amount = emit(None, "sub", one, amount)
        sizes = _sizes_of_noise(noise_shape, x)
        (drawn,) = uniform(sizes, x.dtype, seed)
        kept = emit(None, "greater_equal", drawn, amount)
        scale = emit(None, "div", one, emit(None, "sub", one, amount))
        grown = emit(None, "mul", x, scale)
        return emit(full, "mul", grown, emit(None, "cast", kept, dtype=x.dtype))


def _sizes_of_noise(noise_shape: Any, x: Any) -> Any:
    """What is drawn: a shape, or a tensor that is one when a step runs."""
    from ._arrays import shape

    if noise_shape is None:
        return x.shape if x.shape.is_fully_defined() else shape(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    given = [None if n is None else int(n) for n in noise_shape]
    if len(given) != x.shape.ndims:
        raise ValueError(
            f"dropout: noise_shape has {len(given)} sizes; wanted {x.shape.ndims}"
        )
    own = x.shape.as_list()
    sizes = [o if n is None else n for o, n in zip(own, given)]
    if None not in sizes:
        return sizes
    asked = shape(x)
    return [asked[i] if n is None else n for i, n in enumerate(sizes)]


# ---- Losses ----


def _both(what: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(f"Both labels and logits must be provided for {what}.")


def _soft_cross_entropy(full: str, labels: Any, logits: Any, axis: Any) -> Any:
    logits = convert(logits, name="logits")
    labels = convert(labels, logits.dtype, name="labels")
    allowed("softmax_cross_entropy_with_logits", logits.dtype, _REALS)
    if not labels.shape.is_compatible_with(logits.shape):
        # As in TensorFlow, which broadcasts one to the other.
        labels = emit(None, "add", labels, emit(None, "zeros_like", logits))
        logits = emit(None, "add", logits, emit(None, "zeros_like", labels))
    rows = emit(None, "log_softmax", logits, axis=axis)
    # A zero label contributes nothing, even if the logarithm is infinite.
    nothing = emit(None, "equal", labels, emit(None, "zeros_like", labels))
    product = emit(None, "mul", labels, rows)
    product = emit(None, "where", nothing, emit(None, "zeros_like", rows), product)
    return emit(full, "neg", emit(None, "sum", product, axes=[axis]))


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Any:
    """The cross entropy of each row; labels are distributions, with gradients."""
    axis = one_of("axis", axis, dim, "dim")
    _both("softmax_cross_entropy_with_logits_v2", labels, logits)
    with scoped(name, "softmax_cross_entropy_with_logits", labels, logits) as full:
        return _soft_cross_entropy(full, labels, logits, -1 if axis is None else axis)


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int | None = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """The same, the labels constants for gradients.

    `axis` counts with `dim=None` alone, as in TensorFlow.
    """
    from ._select import stop_gradient

    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    along = axis if dim is None else dim
    _both("softmax_cross_entropy_with_logits", labels, logits)
    with scoped(name, "softmax_cross_entropy_with_logits_sg", labels, logits) as full:
        x = convert(logits, name="logits")
        fixed = stop_gradient(convert(labels, x.dtype, name="labels"))
        return _soft_cross_entropy(full, fixed, x, along)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of each row; labels are classes.

    A step fails where a label is no class.
    """
    _both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    label = "SparseSoftmaxCrossEntropyWithLogits"
    with scoped(name, label, labels, logits) as full:
        x, which = convert(logits, name="logits"), convert(labels, name="labels")
        allowed(label, x.dtype, _REALS)
        if which.dtype not in (int32, int64):
            raise TypeError(
                f"{label}: labels are {which.dtype.name}; wanted int32/int64"
            )
        if x.shape.ndims is None or which.shape.ndims is None:
            raise NotImplementedError(f"{label}: wanted operands of known ranks")
        if x.shape.ndims == 0:
            raise ValueError(f"Logits cannot be scalars - received shape {x.shape}.")
        if which.shape.ndims != x.shape.ndims - 1:
            raise ValueError(
                "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
                f"labels.shape={which.shape} of rank {which.shape.ndims} and "
                f"logits.shape={x.shape} of rank {x.shape.ndims}"
            )
        if not which.shape.is_compatible_with(x.shape[:-1]):
            raise ValueError(
                f"Shape mismatch: The shape of labels (received {which.shape}) should "
                f"equal the shape of logits except for the last dimension (received "
                f"{x.shape})."
            )
        classes = x.shape[-1].value
        if classes is None:
            raise NotImplementedError(f"{label}: wanted the number of classes known")
        which = _last_checked(same_sizes(which, x, label, -1), classes)
        hot = emit(None, "one_hot", which, depth=classes, dtype=x.dtype)
        rows = emit(None, "log_softmax", x, axis=-1)
        zero = emit(None, "zeros_like", rows)
        chosen = emit(
            None,
            "where",
            emit(None, "greater", hot, emit(None, "zeros_like", hot)),
            rows,
            zero,
        )
        return emit(full, "neg", emit(None, "sum", chosen, axes=[-1]))


def _last_checked(which: Any, classes: int) -> Any:
    """The labels, once the step has seen that all are classes."""
    zero = typed_constant(0, which.dtype, "zero")
    count = typed_constant(classes, which.dtype, "classes")
    fits = emit(
        None,
        "logical_and",
        emit(None, "greater_equal", which, zero),
        emit(None, "less", which, count),
    )
    message = f"received a label value outside the valid range of [0, {classes})"
    return checked_value(which, fits, [which], message)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of each element."""
    _both("sigmoid_cross_entropy_with_logits", labels, logits)
    with scoped(name, "logistic_loss", labels, logits) as full:
        x, z = convert(logits, name="logits"), convert(labels, name="labels")
        same_type("logistic_loss", x, z)
        if not z.shape.is_compatible_with(x.shape):
            raise ValueError(
                "`logits` and `labels` must have the same shape, received "
                f"({x.shape} vs {z.shape})."
            )
        # max(x, 0) - x z + log(1 + exp(-|x|)); NaN propagates.
        zero = emit(None, "zeros_like", x)
        below = emit(None, "greater_equal", x, zero)
        top = emit(None, "where", below, x, zero)
        away = emit(None, "where", below, emit(None, "neg", x), x)
        tail = emit(None, "log1p", emit(None, "exp", away))
        front = emit(None, "sub", top, emit(None, "mul", x, z))
        return emit(full, "add", front, tail)


# ---- Others ----


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The mean and the variance over these axes.

    `shift` is out of use, in TensorFlow, too.
    """
    del shift
    keep = bool(one_of("keepdims", keepdims, keep_dims, "keep_dims"))
    with scoped(name, "moments", x):
        x = convert(x, name="x")
        allowed("moments", x.dtype, _REALS)
        along = axes_of(axes, x.shape.ndims, "moments")
        if along == []:
            return x, emit(None, "zeros_like", x)
        mean = emit(None, "mean", x, axes=along, keep_dims=True)
        fixed = emit(None, "stop_gradient", mean)
        away = emit(None, "squared_difference", x, fixed)
        variance = emit(None, "mean", away, axes=along, keep_dims=keep)
        if not keep:
            mean = emit(None, "mean", x, axes=along, keep_dims=False)
        return mean, variance


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = int32,
    name: str | None = None,
) -> Any:
    """The k largest along the last axis, and where they are."""
    kind = as_dtype(index_type)
    with scoped(name, "TopKV2", input) as full:
        x = convert(input, name="input")
        count = known_ints(k, "top_k: k")[0]
        if x.shape.ndims == 0:
            raise ValueError("top_k: the input is a scalar; wanted an axis")
        last = None if x.shape.ndims is None else x.shape[-1].value
        if last is not None and count > last:
            raise ValueError(
                f"input must have last dimension >= k = {count} but is " f"{last}"
            )
        values, where = emit(full, "top_k", x, k=count, sorted=sorted)
        return TopK(values, emit(None, "cast", where, dtype=kind))


from collections import namedtuple  # noqa: E402

TopK = namedtuple("TopKV2", ["values", "indices"])


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Whether each target is among the k largest of its row, those as large
    included."""
    from ._arrays import expand_dims, reshape

    with scoped(name, "InTopK", predictions, targets) as full:
        x, which = convert(predictions, name="predictions"), convert(targets)
        count = known_ints(k, "in_top_k: k")[0]
        classes = x.shape[-1].value
        if classes is None:
            raise NotImplementedError("in_top_k: wanted the number of classes known")
        hot = emit(None, "one_hot", which, depth=classes, dtype=x.dtype)
        zero = emit(None, "zeros_like", x)
        own = emit(None, "where", emit(None, "greater", hot, zero), x, zero)
        mine = expand_dims(emit(None, "sum", own, axes=[1]), 1)
        larger = emit(None, "cast", emit(None, "greater", x, mine), dtype=int64)
        rank = emit(None, "sum", larger, axes=[1])
        bound = typed_constant(count, int64, "k")
        inside = emit(None, "less", rank, bound)
        fits = emit(
            None,
            "logical_and",
            emit(None, "isfinite", reshape(mine, [-1])),
            emit(None, "any_of", emit(None, "greater", hot, zero), axes=[1]),
        )
        return emit(full, "logical_and", inside, fits)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """The rows of params at ids, which are always checked.

    Of a list of P tensors row i is in number i % P ("mod"), or in the stretch of
    rows it belongs to ("div"); with max_norm rows are clipped to that norm.
    """
    from ._arrays import gather
    from ._embedding import partitioned_rows

    del validate_indices
    if params is None:
        raise ValueError("params must be specified")
    parts = list(params) if isinstance(params, (list, tuple)) else [params]
    if not parts:
        raise ValueError("Length of params is currently 0.")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            f"Unrecognized partition strategy. Received={partition_strategy}"
        )
    with scoped(name, "embedding_lookup", *parts, ids) as full:
        where = convert(ids, name="ids")
        if len(parts) == 1 and max_norm is None:
            return gather(parts[0], where, name=f"{full}/")
        if len(parts) == 1:
            rows = gather(parts[0], where)
        else:
            rows = partitioned_rows(parts, where, partition_strategy)
        if max_norm is None:
            return emit(full, "identity", rows)
        from ._gradients import clip_by_norm

        rank, own = where.shape.ndims, rows.shape.ndims
        if rank is None or own is None:
            raise NotImplementedError("embedding_lookup: max_norm of an unknown rank")
        return clip_by_norm(rows, max_norm, list(range(rank, own)), f"{full}/")
