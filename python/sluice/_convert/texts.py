"""Strings that depend on tensors of a graph: every call makes its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import NumberWanted
from .left_behind import tensor_inside
from .lists import refuse_grown
from .place import user_place
from .refusals import values_may_decide
from .values import Tensor, decided, flatten, in_graph, python_number

# How to format a value: as in an f-string (the code of !r and the like, and the format
# spec), or by one of these, with the string whose method it is.
_BY: dict[str, Callable[[str, Any], str]] = {
    "%": lambda text, value: text % value,
    "format": lambda text, value: text.format(*value[0], **value[1]),
    "join": lambda text, value: text.join(value),
}


def shown(value: Any, how: Any, spec: Any) -> str:
    """The string of one part whose value is known."""
    by = _BY.get(how)
    if by is not None:
        return by(spec, value)
    if how == ord("r"):
        value = repr(value)
    elif how == ord("s"):
        value = str(value)
    elif how == ord("a"):
        value = ascii(value)
    return format(value, spec)


class Text(str):
    """A string that depends on elements. `parts`: strings, and [value, how, spec]."""

    parts: list[Any]

    @staticmethod
    def of(*parts: Any) -> Text:
        """A Text of these parts."""
        made = Text("<text of a tensor>")
        made.parts = []
        for part in parts:
            if type(part) is Text:
                made.parts += part.parts
            else:
                made.parts.append(part)
        return made

    # Also runs for `text += more`, and wherever Python itself joins two strings.
    def __add__(self, other: str) -> Any:
        return Text.of(self, other) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Any:
        return Text.of(other, self) if isinstance(other, str) else NotImplemented

    def now(self) -> str:
        """The string in the call being recorded, where its values decide."""
        return "".join(
            p if isinstance(p, str) else shown(_known(p[0]), p[1], _known(p[2]))
            for p in self.parts
        )


# Messages call it str, as the program does.
Text.__name__ = Text.__qualname__ = "str"


def depends(value: Any) -> bool:
    """Whether the string of a value depends on elements of tensors."""
    if isinstance(value, Tensor) or type(value) is Text:
        return True
    return tensor_inside([value]) is not None or any(
        isinstance(leaf, Tensor) or type(leaf) is Text for leaf in _leaves(value)
    )


def _leaves(value: Any) -> list[Any]:
    if type(value) in (list, tuple, dict):
        return flatten(value)[0]
    return []


class Shown(str):
    """The text of an object, used in place of the object."""

    def __repr__(self) -> str:
        return str(self)


class Later:
    """The same for a text that depends on elements."""

    def __init__(self, text: Text) -> None:
        self.text = text


class Shot:
    """A snapshot of a tensor whose class shows in the text."""

    def __init__(self, tensor: Any, kind: type) -> None:
        self.tensor, self.kind = tensor, kind


def as_now(value: Any) -> Any:
    """A copy of the value as it is now: containers and tensors may be written later."""
    if isinstance(value, Tensor):
        return _tensor_now(value)
    refuse_grown("a text", value)
    if type(value) in (list, tuple):
        return type(value)(map(as_now, value))
    if type(value) is dict:
        return {k: as_now(v) for k, v in value.items()}
    from .elements import own_text

    own = own_text(value)
    if own is not None:
        return Later(own) if type(own) is Text else Shown(own)
    leaves, structure = flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return value
    return structure.unflatten([as_now(leaf) for leaf in leaves])


def _tensor_now(tensor: Any) -> Any:
    from .mixed import refuse

    refuse("a text", tensor)
    if python_number(tensor) is not None:
        return tensor
    parameter = type(tensor).__name__ == "Parameter"
    if type(tensor) is not Tensor and not parameter:
        return tensor
    made = tensor.detach().clone()
    if tensor.requires_grad:
        made.requires_grad_()
    return Shot(made, type(tensor)) if parameter else made


def ordered(value: Any) -> Any:
    """A key for Python's sort, with elements of the graph as in this call."""
    if type(value) is tuple:
        return tuple(map(ordered, value))
    if isinstance(value, Tensor):
        value = in_graph(value)
    if type(value) is Text or isinstance(value, Tensor) and value.symbolic:
        return needed(value, "this is ordered by")
    return value


def needed(value: Any, what: str) -> Any:
    """A number or string of the graph as a Python object: the one of the call being
    recorded, where its values decide. Else the function is recorded again so that they
    do."""
    made = value.now() if type(value) is Text else decided(value)
    if made is not value:
        kind = python_number(value) if isinstance(value, Tensor) else None
        return made if kind is None else kind(made)
    values_may_decide()
    filename, line = user_place()
    raise NumberWanted(
        f"{filename}:{line}: {what} a number or text that depends on elements of "
        "tensors, which are known only when the graph runs; wanted a tensor's "
        "operation, or it outside of the function"
    )


def _known(value: Any) -> Any:
    if type(value) is Text:
        return value.now()
    if isinstance(value, Tensor):
        if python_number(value) or not _core.decides():
            return needed(value, "a text is made of")
        return value  # shows its elements in this call
    if type(value) in (list, tuple):
        return type(value)(map(_known, value))
    if type(value) is dict:
        return {k: _known(v) for k, v in value.items()}
    return value


def known_all(values: Any, what: str) -> Any:
    """The arguments of a call that needs Python numbers and strings."""
    return tuple(needed(v, what) if is_of_graph(v) else v for v in values)


def is_of_graph(value: Any) -> bool:
    """Whether the value is a number or string that the graph computes."""
    if type(value) is Text:
        return True
    return isinstance(value, Tensor) and python_number(value) is not None


def attr(owner: Any, name: str) -> Any:
    """owner.name. A number of the graph has the attributes of a Python number."""
    kind = python_number(owner) if isinstance(owner, Tensor) else None
    if kind is None:
        from .mixed import refuse

        refuse(f".{name}", owner)
        if isinstance(owner, _core.List) and hasattr(list, name):
            refuse_grown(f".{name}", owner)
        return _core.attr(owner, name)
    getattr(kind(0), name)  # raises for an unknown name
    return getattr(needed(owner, f"{name} is asked of"), name)


def _as_python(name: str) -> Callable[..., Any]:
    plain = getattr(str, name)

    def method(self: Text, *args: Any, **kwargs: Any) -> Any:
        known = needed(self, f"{name.strip('_')}() wants")
        return plain(known, *known_all(args, name), **kwargs)

    return method


# All methods but these read the characters, so they need the actual string.
_LEFT = frozenset(
    "__new__ __init__ __getattribute__ __setattr__ __delattr__ __class__ __doc__ "
    "__dir__ __init_subclass__ __subclasshook__ __reduce__ __reduce_ex__ "
    "__getnewargs__ __sizeof__ __getstate__ maketrans".split()
)
for _name in dir(str):
    if _name not in _LEFT and callable(getattr(str, _name)):
        setattr(Text, _name, _as_python(_name))
