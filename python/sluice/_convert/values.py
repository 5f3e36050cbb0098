"""Values as the runtime sees them: tensors, numbers, trees of them, the rest."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._symbols.numbers import Symbol, SymBool, SymFloat, SymInt, known_sizes
from .refusals import asked_in_vain, forgive

Tensor = _core.Tensor
_identity = _core.op_function("Identity")
_cast = _core.op_function("Cast")
_reshape = _core.op_function("Reshape")

# Whether a tensor of a graph stays the same object when it is written in place.
IN_PLACE: bool = hasattr(Tensor, "_deferred")

# In order of promotion: a number takes the kind of a later one that it meets. Floats
# have Python's precision; combined with a tensor they take its dtype.
_DEFAULTS = {bool: _core.bool, int: _core.int64, float: _core.float64}
# The Python class of a number that a graph has computed.
PYTHON = {dtype: kind for kind, dtype in _DEFAULTS.items()}
_SYMBOLS = {SymBool: _core.bool, SymInt: _core.int64, SymFloat: _core.float64}


class _Missing:
    """The value of an unbound variable."""

    def __repr__(self) -> str:
        return "<no value>"


MISSING: Any = _Missing()


def in_graph(value: Any) -> Any:
    """The tensor as part of the graph being recorded; None for other values.

    A captured tensor is read when the graph runs, so it counts during a recording.
    Sizes that depend on elements count too. Other sizes are numbers that Python
    branches on.
    """
    if isinstance(value, Symbol) and value.hint is None:
        return value._tensor()
    if not isinstance(value, Tensor):
        return None
    if not value.symbolic:
        value = _identity(value)
    return value if value.symbolic else None


def decided(value: Any) -> Any:
    """The element of a tensor as a Python number, where the values of the call decide:
    the recording then serves calls with the same element. Else the value unchanged."""
    tensor = value
    if isinstance(value, Symbol) and value.hint is None:
        tensor = value._tensor()
    if not isinstance(tensor, Tensor):
        return value
    element = _core.decide(tensor)
    return value if element is None else element


def truth(tensor: Any) -> Any:
    """The truth of a tensor for `if`, as a bool scalar."""
    if tensor.dtype != _core.bool:
        tensor = tensor != 0
    shape = known_sizes(tensor)
    if shape:
        if any(size not in (1, None) for size in shape):
            raise ValueError(
                f"bool() of a tensor of shape {_sizes(shape)} has no one answer; "
                "wanted any() or all()"
            )
        tensor = _reshape(tensor, [])
    return tensor


def _sizes(shape: Any) -> str:
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


_HELD = 9.22e18  # the same limit as in python/src/number_checks.cc


def number_of(tensor: Any, kind: type, name: str = "") -> Any:
    """The number that float, int or bool makes of a tensor. No gradient flows through
    it, and a write to the tensor does not change it."""
    shape = known_sizes(tensor)
    if shape and any(size not in (1, None) for size in shape):
        if kind is bool and not name:
            truth(tensor)  # raises the error
        raise ValueError(
            f"{name or kind.__name__}() of a tensor of shape {_sizes(shape)}; wanted "
            "one element"
        )
    tensor = tensor.detach().clone()
    if shape is None or shape:
        tensor = _reshape(tensor, [])
    if kind is int and (tensor.dtype in _FLOATS or tensor.dtype == _core.int64):
        # NaN and infinities have no integer in Python. Larger numbers do not fit our
        # integers, or leave no room to count on from there.
        wide = _cast(tensor, dtype=_core.float64)
        words = "int() of a number that int64 does not hold, or hardly"
        _core.op_function("Assert")(abs(wide) < _HELD, message=words)
    made = truth(tensor) if kind is bool else _cast(tensor, dtype=_DEFAULTS[kind])
    made._number = True
    return made


def python_number(tensor: Any) -> Any:
    """The class of the Python number that a tensor represents; else None."""
    if not tensor.symbolic:
        return None
    kind = getattr(tensor, "_sl_python", None)
    if kind is None and tensor._number:
        kind = PYTHON.get(tensor.dtype)
    return kind


def refuse_number(tensor: Any, function: Any) -> None:
    """Throws the error of a function for numbers, if the tensor represents one."""
    kind = python_number(tensor)
    if kind is not None:
        function(kind(0))


def is_mixed(tensor: Any) -> bool:
    """Whether the value is a number on one path of a branch and a tensor on another, or
    numbers of two classes."""
    return getattr(tensor, "_sl_mixed", False)


def class_of(value: Any) -> Any:
    """The class of a value outside the graph: Tensor, a number class, None if mixed."""
    if isinstance(value, Tensor):
        return None if is_mixed(value) else python_number(value) or Tensor
    return value.__class__


def is_number(value: Any) -> bool:
    """Whether the value is a number that takes the dtype of its operand."""
    return type(value) in _DEFAULTS or isinstance(value, Symbol)


def number_dtype(value: Any) -> Any:
    """The dtype of a number on its own."""
    for kind, dtype in _SYMBOLS.items():
        if isinstance(value, kind):
            return dtype
    return _DEFAULTS[type(value)]


def can_be(value: Any, dtype: Any) -> bool:
    """Whether a number may become a tensor of that dtype."""
    if isinstance(value, bool):
        return bool(dtype == _core.bool)
    if isinstance(value, int):
        return bool(dtype != _core.bool and dtype != _core.string)
    return dtype in _FLOATS


def stands_for(value: Any, dtype: Any) -> bool:
    """The same, also for numbers that the graph computes."""
    if isinstance(value, Tensor):
        kind = python_number(value)
        return kind is not None and can_be(kind(0), dtype)
    return is_number(value) and can_be(value, dtype)


_FLOATS = (_core.float32, _core.float64, _core.float16, _core.bfloat16, _core.complex64)


def as_tensor(value: Any, dtype: Any = None) -> Any:
    """A leaf as a tensor; None when it cannot be one."""
    if isinstance(value, Tensor):
        if python_number(value) is None:
            return value
        # With a fixed dtype: a function would convert a plain number argument.
        made = _cast(value, dtype=dtype or value.dtype)
        made._number = True
        return made
    if is_number(value):
        dtype = dtype or number_dtype(value)
        if type(value) is float and dtype in _FLOATS:
            value = _core.tensor(value, dtype=dtype)  # full precision
        made = _cast(value, dtype=dtype)
        # Numbers are never written in place: `n += 1` makes a new one.
        made._number = True
        return made
    if hasattr(value, "__array__") and hasattr(value, "dtype"):
        return _identity(value)
    return None


def flatten(value: Any) -> tuple[list[Any], Any]:
    """The leaves of a tree, and its structure."""
    leaves, structure = _core.tree_flatten(value)
    return list(leaves), structure


def new_containers(value: Any) -> Any:
    """The tree with new containers, so that writes to it affect no other tree."""
    if isinstance(value, (Tensor, *_DEFAULTS)) or value is None:
        return value
    leaves, structure = flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return value
    return structure.unflatten(leaves)


def copied(value: Any) -> Any:
    """A copy of a returned value, since containers are restored after the recording."""
    recorder = _core.recorder()
    if recorder is None or not recorder.converted:
        return new_containers(value)
    return recorder.returned(value)


def dummy(like: Any, before: Any = None) -> Any:
    """A value of the same structure, dtypes and known sizes that is never read.

    The earlier value may have the unknown sizes. Lanes that take different paths need
    their sizes to match.
    """
    if isinstance(like, Spec) and isinstance(before, Tensor) and like.resembles(before):
        return before
    return _map(like, _dummy_leaf)


def _dummy_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Spec):
        return leaf.zeros()
    return leaf


class Spec:
    """The known facts about a tensor: dtype and sizes."""

    def __init__(self, tensor: Any) -> None:
        self.dtype = tensor.dtype
        self.shape = _core.known_shape(tensor)
        self.number = python_number(tensor) is not None

    def resembles(self, tensor: Any) -> bool:
        """Whether a tensor has the same dtype and number of axes."""
        sizes = _core.known_shape(tensor)
        if self.shape is None or sizes is None:
            return False
        return bool(self.dtype == tensor.dtype) and len(self.shape) == len(sizes)

    def zeros(self) -> Any:
        """A tensor of zeros with these facts."""
        zero = False if self.dtype == _core.bool else 0
        scalar = _cast(zero, dtype=self.dtype)
        if not self.shape:
            if self.number:
                scalar._number = True
            return scalar
        sizes = [1 if size is None else size for size in self.shape]
        return _core.op_function("Fill")(sizes, scalar)


class ListSpec:
    """The same for a List."""

    def __init__(self, like: Any) -> None:
        self.dtype = like.dtype

    def empty(self) -> Any:
        """A List without elements."""
        return _core.List(self.dtype)


def spec(value: Any) -> Any:
    """The tree with its tensors replaced by their specs."""
    return _map(value, lambda leaf: Spec(leaf) if isinstance(leaf, Tensor) else leaf)


def _map(tree: Any, f: Any) -> Any:
    if isinstance(tree, _core.List):
        return ListSpec(tree)
    if isinstance(tree, ListSpec):
        return tree.empty()
    if type(tree) in (tuple, list):
        return type(tree)(_map(part, f) for part in tree)
    if type(tree) is dict:
        return {key: _map(part, f) for key, part in tree.items()}
    leaves, structure = flatten(tree)
    if len(leaves) == 1 and leaves[0] is tree:
        return f(tree)
    return structure.unflatten([f(leaf) for leaf in leaves])


def describe(value: Any) -> str:
    """A description of a value for messages."""
    if value is MISSING:
        return "undefined"
    if isinstance(value, Tensor):
        sizes = _core.known_shape(value)
        if sizes is None:
            return f"a tensor of {_dtype_name(value.dtype)}"
        text = ", ".join("?" if size is None else str(size) for size in sizes)
        return f"a tensor of {_dtype_name(value.dtype)}[{text}]"
    if value is None:
        return "None"
    if isinstance(value, Symbol):
        return f"{value.expression} (a size)"
    if is_number(value) or isinstance(value, str):
        return f"{value!r} (a Python {type(value).__name__})"
    if isinstance(value, (tuple, list, dict)):
        text = str(flatten(value)[1]).removeprefix("TreeDef(").removesuffix(")")
        return f"a {type(value).__name__} {text}"
    return f"a {type(value).__name__}"


def _dtype_name(dtype: Any) -> str:
    return str(dtype).rsplit(".", 1)[-1]


def same(a: Any, b: Any) -> bool:
    """Whether two values that are not tensors are equal to the program."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Symbol):
        return (a == b) is True  # whatever the sizes are
    if type(a) is float:
        return a == b and math.copysign(1, a) == math.copysign(1, b)  # -0.0 is not 0.0
    before = asked_in_vain()
    try:
        return bool(a == b)
    except Exception:
        forgive(before)
        return False
