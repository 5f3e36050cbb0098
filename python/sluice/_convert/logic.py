"""and, or, not, conditional expressions and comparisons, of tensors and others."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .construct import Construct
from .elements import refuse_key
from .errors import StagingError
from .frames import places
from .handed import asked, binary, hand_over, is_users_object, true
from .merge import Outcome, choose
from .refusals import asked_in_vain, forgive
from .texts import is_of_graph, needed
from .values import Tensor, decided, in_graph, number_of, truth
from .variables import Variables

_not = _core.op_function("LogicalNot")

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        op: functools.partial(binary, op) for op in ("==", "!=", "<", "<=", ">", ">=")
    },
    "is": lambda a, b: is_(a, b),
    "is not": lambda a, b: not is_(a, b),
    "in": lambda a, b: contains(a, b),
    "not in": lambda a, b: lacks(a, b),
}

_VALUE = "the value"


def _here(kind: str) -> Construct:
    from .place import user_place

    filename, line = user_place()
    return Construct(kind=kind, filename=filename, line=line)


def _chosen(
    kind: str, pred: Any, first: Callable[[], Any], second: Callable[[], Any]
) -> Any:
    made = choose(
        _here(kind),
        truth(pred),
        lambda: Outcome({_VALUE: first()}),
        lambda: Outcome({_VALUE: second()}),
        blocks=Variables(first, second),
    )
    return made[_VALUE]


def _as_truth(value: Any) -> Any:
    value = true(decided(value))
    tensor = in_graph(value)
    return bool(value) if tensor is None else truth(tensor)


def both(value: Any, *others: Callable[[], Any]) -> Any:
    """The truth of a and b and ..., where only the truth matters."""
    known = true(decided(value))
    tensor = in_graph(known)
    if not others:
        return value if tensor is None else truth(tensor)
    if tensor is None:
        return both(others[0](), *others[1:]) if known else value
    return _chosen(
        "and", tensor, lambda: _as_truth(both(others[0](), *others[1:])),
        lambda: False,
    )


def either(value: Any, *others: Callable[[], Any]) -> Any:
    """The truth of a or b or ..."""
    known = true(decided(value))
    tensor = in_graph(known)
    if not others:
        return value if tensor is None else truth(tensor)
    if tensor is None:
        return value if known else either(others[0](), *others[1:])
    return _chosen(
        "or", tensor, lambda: True,
        lambda: _as_truth(either(others[0](), *others[1:])),
    )


def and_(value: Any, *others: Callable[[], Any]) -> Any:
    """a and b and ...: the last operand evaluated, which is the first false one if any
    is false."""
    if not others:
        return value
    known = true(decided(value))
    tensor = in_graph(known)
    if tensor is None:
        return and_(others[0](), *others[1:]) if known else value
    return _chosen(
        "and", tensor, lambda: and_(others[0](), *others[1:]), lambda: tensor
    )


def or_(value: Any, *others: Callable[[], Any]) -> Any:
    """a or b or ...: the last operand evaluated, which is the first true one if any is
    true."""
    if not others:
        return value
    known = true(decided(value))
    tensor = in_graph(known)
    if tensor is None:
        return value if known else or_(others[0](), *others[1:])
    return _chosen("or", tensor, lambda: tensor, lambda: or_(others[0](), *others[1:]))


def not_(value: Any) -> Any:
    """not a."""
    tensor = in_graph(value)
    return not true(value) if tensor is None else _bool(_not(truth(tensor)))


def _bool(tensor: Any) -> Any:
    """The scalar, marked as a Python bool in the program."""
    tensor._number = True
    return tensor


def if_exp(test: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """a if test else b."""
    test = true(decided(test))
    tensor = in_graph(test)
    if tensor is None:
        return first() if test else second()
    return _chosen("conditional expression", tensor, first, second)


def compare(
    ops: tuple[str, ...], left: Any, right: Any, *others: Callable[[], Any]
) -> Any:
    """a < b < c: b is evaluated once, and c only if the first comparison holds."""
    first = _OPERATORS[ops[0]](left, right)
    if not others:
        return first
    return and_(first, lambda: compare(ops[1:], right, others[0](), *others[1:]))


def is_(a: Any, b: Any) -> bool:
    """a is b."""
    if a is b:
        return True
    a, b = _itself(a), _itself(b)
    for value in (a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else ():
        if value.symbolic and _core.is_one_of_several(value):
            raise StagingError(
                "`is` of a tensor that is another one on some ways: that depends on "
                "the branch taken; wanted it before"
            )
    recorder = _core.recorder()
    if recorder is not None and recorder.may_be_one(a, b):
        raise StagingError(
            "`is` of a tensor that is given and one that the function finds: another "
            "call may give the latter; wanted a flag, or a name"
        )
    return a is b


def _itself(value: Any) -> Any:
    """A number as the Python object, because there is only one True."""
    if isinstance(value, Symbol):
        return value._now()
    return needed(value, "`is` compares") if is_of_graph(value) else value


def is_not(a: Any, b: Any) -> bool:
    """a is not b."""
    return not is_(a, b)


def contains(value: Any, items: Any) -> Any:
    """value in items, where either may be a tensor."""
    rows = in_graph(items)
    if rows is not None:
        return _bool(_any(rows == value))
    if type(items) in (tuple, list, range) and in_graph(value) is not None:
        found: Any = False
        for item in items:
            found = or_(found, functools.partial(operator.eq, value, item))
        return found if in_graph(found) is None else number_of(found, bool)
    own = asked(items, "__contains__")
    if own is not None:
        return bool(own(value))
    refuse_key(items, value)
    if is_of_graph(value):
        value = needed(value, "this is looked up by")
    if is_users_object(value) or is_users_object(items):
        hand_over(value)
        hand_over(items)
    return value in items


def _any(tensor: Any) -> Any:
    return _core.op_function("Any")(tensor)


def lacks(value: Any, items: Any) -> Any:
    """value not in items."""
    return not_(contains(value, items))


def check(test: Any, message: Callable[[], Any], line: int) -> bool:
    """Whether an assertion holds. A graph checks it when it runs."""
    test = true(decided(test))
    tensor = in_graph(test)
    if tensor is None:
        return bool(test)
    before = asked_in_vain()
    try:
        with places() as journal, journal.frame():
            text = message()
    except Exception:  # the imperative run raises it if the assertion fails
        text = None
    forgive(before)
    if text is not None and in_graph(text) is not None:
        raise StagingError(
            f"line {line}: the message of an assert on a tensor is a tensor; "
            "wanted a text"
        )
    words = "assertion failed" if text is None else str(text)
    _core.op_function("Assert")(truth(tensor), message=words)
    return True
