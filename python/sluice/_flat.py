"""Arguments as flat lists: the tensors that transforms differentiate, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from . import _core

_FLOATS = (_core.float16, _core.bfloat16, _core.float32, _core.float64,
           _core.complex64)  # fmt: skip
_identity = _core.op_function("Identity")
zeros_like = _core.op_function("ZerosLike")
_VARIABLE = getattr(_core, "Variable", ())


def is_array(leaf: Any) -> bool:
    """Whether a leaf is a tensor, or an array of another library."""
    return (
        isinstance(leaf, _core.Tensor)
        or isinstance(leaf, _VARIABLE)
        or hasattr(leaf, "__dlpack__")
        or hasattr(leaf, "__array__")
    )


def to_tensor(leaf: Any) -> Any:
    """Arrays of other libraries as tensors; tensors and variables unchanged."""
    if isinstance(leaf, _core.Tensor) or isinstance(leaf, _VARIABLE):
        return leaf
    return _identity(leaf)


def carries_gradient(leaf: Any) -> bool:
    """Whether a gradient with respect to this tensor makes sense."""
    return leaf.dtype in _FLOATS


def flatten(tree: Any) -> tuple[list[Any], _core.TreeDef]:
    """Leaves and structure of a tree."""
    leaves, structure = _core.tree_flatten(tree)
    return leaves, structure


def as_list(value: Any) -> Any:
    """An iterator, such as net.parameters(), as a list; other values unchanged."""
    return list(value) if isinstance(value, Iterator) else value


class Arguments:
    """Arguments of a call with their tensors taken out.

    `tensors` are those that `wanted` accepts; `rebuild` replaces them by others. With
    `numbers`, a float that is a whole argument counts as a tensor.
    """

    def __init__(
        self,
        args: Sequence[Any],
        wanted: Callable[[Any], bool] = lambda tensor: True,
        *,
        numbers: bool = False,
    ) -> None:
        args = tuple(as_list(arg) for arg in args)
        if numbers:
            args = tuple(_identity(a) if type(a) is float else a for a in args)
        self._leaves, self.tree = flatten(args)
        self.tensors: list[Any] = []
        self._places: list[int] = []
        for place, leaf in enumerate(self._leaves):
            if not is_array(leaf):
                continue
            tensor = self._leaves[place] = to_tensor(leaf)
            if wanted(tensor):
                self.tensors.append(tensor)
                self._places.append(place)

    def rebuild(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments with these values in place of `tensors`."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors):
            leaves[place] = tensor
        args: tuple[Any, ...] = self.tree.unflatten(leaves)
        return args

    def forget(self) -> None:
        """Drops the tensors and keeps their positions."""
        for place in self._places:
            self._leaves[place] = None
        self.tensors = []

    def spread(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """A tree like the arguments, with None for leaves that are not tensors."""
        leaves: list[Any] = [None] * len(self._leaves)
        for place, value in zip(self._places, values):
            leaves[place] = value
        tree: tuple[Any, ...] = self.tree.unflatten(leaves)
        return tree

    def static_key(self) -> tuple[Any, ...]:
        """The leaves that are not tensors, as a key to compare with other calls."""
        taken = set(self._places)
        rest = (leaf for i, leaf in enumerate(self._leaves) if i not in taken)
        return (self.tree, tuple(self._places), tuple((type(x), x) for x in rest))


class Held:
    """A tree whose tensors do not keep their graph alive.

    It is for values that the graph itself keeps, such as code that will build
    gradients. Otherwise the two would keep each other alive forever.
    """

    def __init__(self, tree: Any) -> None:
        leaves, self._tree = flatten(tree)
        self._leaves = [
            _core.HeldTensor(x) if isinstance(x, _core.Tensor) and x.symbolic else x
            for x in leaves
        ]

    def get(self) -> Any:
        """The tree. Its graph must still exist."""
        return self._tree.unflatten(
            [x.get() if isinstance(x, _core.HeldTensor) else x for x in self._leaves]
        )


class Results:
    """The results of a function, as a list of tensors and a structure."""

    def __init__(self, value: Any, what: str) -> None:
        leaves, self.tree = flatten(value)
        self.tensors = []
        for leaf in leaves:
            if not is_array(leaf) and not isinstance(leaf, (bool, int, float)):
                raise TypeError(
                    f"{what} returned a {type(leaf).__name__}; "
                    "wanted tensors, or trees of tensors"
                )
            self.tensors.append(_identity(leaf) if not is_array(leaf) else leaf)
        self.tensors = [to_tensor(leaf) for leaf in self.tensors]


def called(f: Callable[..., Any]) -> Callable[..., Any]:
    """f for a call now, with its control flow converted if a graph is being built."""
    if not _core.is_building():
        return f
    from ._convert.calls import callee
    from ._convert.object_reads import is_users

    recorder = _core.recorder()
    if recorder is not None and is_users(f):
        if not recorder._made_here(f):
            recorder.value(f, f.__name__)
    made: Callable[..., Any] = callee(f)
    return made


F = TypeVar("F", bound=Callable[..., Any])


def as_it_is(wrapper: F) -> F:
    """Marks a Sluice function as not converted; the user function inside it is."""
    setattr(wrapper, "__sl_do_not_convert__", True)
    return wrapper


def name_of(f: Any) -> str:
    """A function's name, for messages."""
    return getattr(f, "__name__", None) or type(f).__name__
