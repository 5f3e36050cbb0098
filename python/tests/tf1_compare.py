"""Runs programs of TensorFlow 1 and says what came of them, as plain data.

The same data for TensorFlow and for sluice.compat.tf1: values with numpy's type
and shape, classes of errors, texts and numbers.
"""

import numpy as np

_PLAIN = (
    TypeError,
    KeyError,
    IndexError,
    NotImplementedError,
    ValueError,
    RuntimeError,
    OverflowError,
    AttributeError,
    AssertionError,
)


def error_name(tf, error):
    """The class of TensorFlow's, or else of Python's."""
    if isinstance(error, tf.errors.OpError):
        return type(error).__name__
    for kind in _PLAIN:
        if isinstance(error, kind):
            return kind.__name__
    return type(error).__name__


def plain(value):
    """Arrays, scalars and structures as lists, dicts and texts."""
    if isinstance(value, np.generic) and not isinstance(value, bytes):
        return {"scalar": str(value.dtype), "element": plain(value.item())}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin1")}
    if isinstance(value, np.ndarray):
        return {
            "array": str(value.dtype),
            "shape": list(value.shape),
            "elements": [plain(v) for v in value.reshape(-1).tolist()],
        }
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if hasattr(value, "_fields"):
        return {"fields": {k: plain(getattr(value, k)) for k in value._fields}}
    if isinstance(value, dict):
        return {"dict": {str(k): plain(v) for k, v in value.items()}}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [plain(v) for v in value]}
    return {"text": str(value)}


def _tensors(fetch):
    if isinstance(fetch, (list, tuple)):
        return [t for f in fetch for t in _tensors(f)]
    return [fetch]


def _kind(t):
    t = getattr(t, "values", None) if hasattr(t, "dense_shape") else t
    return [t.dtype.name.replace("_ref", ""), str(t.get_shape())]


def expression(tf, build):
    """What an expression gives: value, types and shapes, or an error."""
    with tf.Graph().as_default():
        try:
            fetch = build(tf)
        except Exception as error:
            return {"refused": error_name(tf, error)}
        fixed = [f for f in _tensors(fetch) if not isinstance(f, str)]
        kinds = [_kind(t) for t in fixed]
        if not fixed:
            return {"value": plain(fetch)}
        try:
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                if isinstance(fetch, list):
                    value = [f if isinstance(f, str) else sess.run(f) for f in fetch]
                else:
                    value = sess.run(fetch)
        except Exception as error:
            return {"failed": error_name(tf, error)}
    return {"value": plain(value), "kinds": kinds}


def procedure(tf, run):
    """What a program returns, or the class of what it raises."""
    with tf.Graph().as_default():
        try:
            return {"value": plain(run(tf))}
        except Exception as error:
            return {"raised": error_name(tf, error)}


def refused_earlier(want, got):
    """Whether building refuses what would fail when it runs."""
    return set(got) == {"refused"} and set(want) == {"failed"}


def differences(want, got, at="", rtol=3e-5):
    """Where two of them differ: numbers by more than rounding."""
    if isinstance(want, float) and isinstance(got, float):
        if want == got or (want != want and got != got):
            return []
        if abs(want - got) <= rtol * max(abs(want), abs(got)) + 1e-7:
            return []
        return [f"{at}: {got}, TensorFlow {want}"]
    if type(want) is not type(got):
        return [f"{at}: {got}, TensorFlow {want}"]
    if isinstance(want, dict):
        if set(want) != set(got):
            return [f"{at}: {got}, TensorFlow {want}"]
        return [
            d for k in want for d in differences(want[k], got[k], f"{at}.{k}", rtol)
        ]
    if isinstance(want, list):
        if len(want) != len(got):
            return [f"{at}: {got}, TensorFlow {want}"]
        return [
            d
            for i, (w, g) in enumerate(zip(want, got))
            for d in differences(w, g, f"{at}[{i}]", rtol)
        ]
    return [] if want == got else [f"{at}: {got}, TensorFlow {want}"]
