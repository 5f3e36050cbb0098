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

# Whether a tensor of a graph that is written in place stays the object it is.
IN_PLACE: bool = hasattr(Tensor, "_deferred")

# By rank: what a number becomes when it meets one of a later kind. Floats have the
# digits they have in Python; with a tensor they take its type.
_DEFAULTS = {bool: _core.bool, int: _core.int64, float: _core.float64}
# And what a number that a graph has computed is in Python.
PYTHON = {dtype: kind for kind, dtype in _DEFAULTS.items()}
_SYMBOLS = {SymBool: _core.bool, SymInt: _core.int64, SymFloat: _core.float64}


class _Missing:
    """The value of a variable that has none."""

    def __repr__(self) -> str:
        return "<no value>"


MISSING: Any = _Missing()


def in_graph(value: Any) -> Any:
    """The tensor as part of the graph being recorded; None when it is not one.

    A tensor of the program around it is read when the graph runs, so that it
    counts while one is recorded. Sizes that depend on elements count, too; others
    are numbers that Python decides by.
    """
    if isinstance(value, Symbol) and value.hint is None:
        return value._tensor()
    if not isinstance(value, Tensor):
        return None
    if not value.symbolic:
        value = _identity(value)
    return value if value.symbolic else None


def decided(value: Any) -> Any:
    """The element of a tensor, as a number of Python's, where values decide:
    the recording serves calls in which it is the same. Else what it was."""
    tensor = value
    if isinstance(value, Symbol) and value.hint is None:
        tensor = value._tensor()
    if not isinstance(tensor, Tensor):
        return value
    element = _core.decide(tensor)
    return value if element is None else element


def truth(tensor: Any) -> Any:
    """A scalar of bool, as `if` understands the tensor."""
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


_HELD = 9.22e18  # as python/src/number_checks.cc has it


def number_of(tensor: Any, kind: type, name: str = "") -> Any:
    """What float, int or bool make of a tensor: a number. No gradient flows through
    it, and it stays what it is when the tensor is written."""
    shape = known_sizes(tensor)
    if shape and any(size not in (1, None) for size in shape):
        if kind is bool and not name:
            truth(tensor)  # says what is wrong
        raise ValueError(
            f"{name or kind.__name__}() of a tensor of shape {_sizes(shape)}; wanted "
            "one element"
        )
    tensor = tensor.detach().clone()
    if shape is None or shape:
        tensor = _reshape(tensor, [])
    if kind is int and (tensor.dtype in _FLOATS or tensor.dtype == _core.int64):
        # Python has no integer for NaN and infinities, and we have none for more;
        # nor for those that counting from there would not fit.
        wide = _cast(tensor, dtype=_core.float64)
        words = "int() of a number that int64 does not hold, or hardly"
        _core.op_function("Assert")(abs(wide) < _HELD, message=words)
    made = truth(tensor) if kind is bool else _cast(tensor, dtype=_DEFAULTS[kind])
    made._number = True
    return made


def python_number(tensor: Any) -> Any:
    """The class of the number of Python's that a tensor stands for; else None."""
    if not tensor.symbolic:
        return None
    kind = getattr(tensor, "_sl_python", None)
    if kind is None and tensor._number:
        kind = PYTHON.get(tensor.dtype)
    return kind


def refuse_number(tensor: Any, function: Any) -> None:
    """Throws what a function says of a number, if the tensor stands for one."""
    kind = python_number(tensor)
    if kind is not None:
        function(kind(0))


def is_mixed(tensor: Any) -> bool:
    """Whether it is a number on some way through a branch and a tensor on another,
    or numbers of two classes."""
    return getattr(tensor, "_sl_mixed", False)


def class_of(value: Any) -> Any:
    """What a value is outside: a tensor, a number of some class, or either."""
    if isinstance(value, Tensor):
        return None if is_mixed(value) else python_number(value) or Tensor
    return value.__class__


def is_number(value: Any) -> bool:
    """Whether it is a number that takes the type of what it meets."""
    return type(value) in _DEFAULTS or isinstance(value, Symbol)


def number_dtype(value: Any) -> Any:
    """The type a number has on its own."""
    for kind, dtype in _SYMBOLS.items():
        if isinstance(value, kind):
            return dtype
    return _DEFAULTS[type(value)]


def can_be(value: Any, dtype: Any) -> bool:
    """Whether a number may become a tensor of that type."""
    if isinstance(value, bool):
        return bool(dtype == _core.bool)
    if isinstance(value, int):
        return bool(dtype != _core.bool and dtype != _core.string)
    return dtype in _FLOATS


def stands_for(value: Any, dtype: Any) -> bool:
    """The same of numbers that the graph computes, too."""
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
        # Of a type of its own: one that a function is given would take another.
        made = _cast(value, dtype=dtype or value.dtype)
        made._number = True
        return made
    if is_number(value):
        dtype = dtype or number_dtype(value)
        if type(value) is float and dtype in _FLOATS:
            value = _core.tensor(value, dtype=dtype)  # all its digits
        made = _cast(value, dtype=dtype)
        # Nobody writes to a number: `n += 1` makes another.
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
    """A tree whose containers are new: what is done to it happens to no other."""
    if isinstance(value, (Tensor, *_DEFAULTS)) or value is None:
        return value
    leaves, structure = flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return value
    return structure.unflatten(leaves)


def copied(value: Any) -> Any:
    """What recorded code has returned: containers are put back when it ends."""
    recorder = _core.recorder()
    if recorder is None or not recorder.converted:
        return new_containers(value)
    return recorder.returned(value)


def dummy(like: Any, before: Any = None) -> Any:
    """A value of the same structure, types and known sizes, never to be read.

    What was there before may have the sizes that are not known: lanes, some of
    which take the other way, want them to fit together.
    """
    if isinstance(like, Spec) and isinstance(before, Tensor) and like.resembles(before):
        return before
    return _map(like, _dummy_leaf)


def _dummy_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Spec):
        return leaf.zeros()
    return leaf


class Spec:
    """What is known of a tensor: type and sizes."""

    def __init__(self, tensor: Any) -> None:
        self.dtype = tensor.dtype
        self.shape = _core.known_shape(tensor)
        self.number = python_number(tensor) is not None

    def resembles(self, tensor: Any) -> bool:
        """Whether type and number of axes are those of a tensor."""
        sizes = _core.known_shape(tensor)
        if self.shape is None or sizes is None:
            return False
        return bool(self.dtype == tensor.dtype) and len(self.shape) == len(sizes)

    def zeros(self) -> Any:
        """A tensor like it."""
        zero = False if self.dtype == _core.bool else 0
        scalar = _cast(zero, dtype=self.dtype)
        if not self.shape:
            if self.number:
                scalar._number = True
            return scalar
        sizes = [1 if size is None else size for size in self.shape]
        return _core.op_function("Fill")(sizes, scalar)


class ListSpec:
    """The same of a List."""

    def __init__(self, like: Any) -> None:
        self.dtype = like.dtype

    def empty(self) -> Any:
        """A List without elements."""
        return _core.List(self.dtype)


def spec(value: Any) -> Any:
    """The tree with its tensors replaced by what is known of them."""
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
    """What a value is, for messages."""
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
    """Whether two things that are no tensors are one to the program."""
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
