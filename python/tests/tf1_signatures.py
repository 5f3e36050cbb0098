"""The public names of sluice.compat.tf1 and their arguments, as text.

Made of TensorFlow and of sluice in the same way, so that both can be compared.
"""

import enum
import inspect

# Made of tables, or with arguments that TensorFlow's own class does not show.
OWN = {
    "ConfigProto": "a protocol buffer in TensorFlow",
    "RunOptions": "a protocol buffer in TensorFlow",
    "Tensor": "made by operations",
    "Operation": "made by operations",
    "DType": "there is one of each",
    "Initializer": "a class to derive from",
    "VariableScope": "made by variable_scope",
    "name_scope": "the same, with annotations",
    "with_dependencies": "of tf.python.control_flow_ops",
}


def public_names(tf):
    """(dotted name, object) of everything sluice offers."""
    for name in tf.__all__:
        if name not in ("errors", "math", "nn", "train"):
            yield name, getattr(tf, name)
    for part in ("math", "nn", "train", "errors"):
        module = getattr(tf, part)
        for name in module.__all__:
            yield f"{part}.{name}", getattr(module, name)


def found(tf, dotted):
    """The object of that name, or None."""
    for part in dotted.split("."):
        tf = getattr(tf, part, None)
    return tf


def _default(value):
    if isinstance(value, enum.Enum):
        # A text stands for what is an enumeration in TensorFlow.
        return repr(value.value) if isinstance(value.value, str) else value.name
    return repr(value)


def arguments(function):
    """The names and defaults of a function's arguments, in order; None for what
    has none to show."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(p.kind, "")
        + p.name
        + ("" if p.default is p.empty else f"={_default(p.default)}")
        for p in parameters
        if p.name not in ("self", "cls")
    ]


def methods(kind):
    """The public methods of a class of sluice's, without those that the core's
    class under it has: they are sluice's own."""
    return [
        name
        for name, value in inspect.getmembers(kind)
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.ismethod(value))
    ]


def members(ours):
    """(name, function) of every callable sluice offers, methods among them."""
    for dotted, value in public_names(ours):
        short = dotted.rpartition(".")[2]
        if inspect.isclass(value):
            if issubclass(value, enum.Enum) or short in ("TensorShape", "Dimension"):
                continue
            if not issubclass(value, tuple) and short not in OWN:
                yield dotted, value.__init__
            for name in methods(value):
                if not issubclass(value, (tuple, BaseException)):
                    yield f"{dotted}.{name}", getattr(value, name)
        elif callable(value) and short not in OWN:
            yield dotted, value


def of_tensorflow(tf, dotted):
    """TensorFlow's of that name: its arguments, or None when there is no such."""
    value = found(tf, dotted)
    if value is None:
        return None
    return arguments(value.__init__ if inspect.isclass(value) else value)
