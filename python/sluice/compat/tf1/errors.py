"""What steps fail with: TensorFlow's classes, their codes and fields.

While a graph is built wrong arguments are ValueErrors and TypeErrors; a step
that fails raises one of these. `message` is the system's own.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """A step failed; `op` is the operation that did, where that is known."""

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: int, *args: Any
    ) -> None:
        super().__init__(node_def, op, message, error_code, *args)
        self._node_def, self._op = node_def, op
        self._message, self._error_code = message, error_code

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """Its record: `name`, `op` (the type), `input`, `device`; or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """As errors.INVALID_ARGUMENT."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """There are none."""
        return {}

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        return f"{self._message}\n\nErrors may have originated from {self._op.name!r}"


def _kind(name: str, code: int, about: str) -> type[OpError]:
    def __init__(self: Any, node_def: Any, op: Any, message: str, *args: Any) -> None:
        OpError.__init__(self, node_def, op, message, code, *args)

    def __reduce__(self: Any) -> Any:
        return type(self), (self.node_def, None, self.message)

    members = {
        "__init__": __init__,
        "__reduce__": __reduce__,
        "__doc__": about,
        "__module__": __name__,
    }
    return type(name, (OpError,), members)


CancelledError = _kind("CancelledError", CANCELLED, "A step was stopped.")
UnknownError = _kind("UnknownError", UNKNOWN, "It is not known why.")
InvalidArgumentError = _kind(
    "InvalidArgumentError", INVALID_ARGUMENT, "An operation was given what it refuses."
)
DeadlineExceededError = _kind(
    "DeadlineExceededError", DEADLINE_EXCEEDED, "A step took too long."
)
NotFoundError = _kind("NotFoundError", NOT_FOUND, "What was asked for is not there.")
AlreadyExistsError = _kind(
    "AlreadyExistsError", ALREADY_EXISTS, "What was to be made is there."
)
PermissionDeniedError = _kind(
    "PermissionDeniedError", PERMISSION_DENIED, "It is not allowed."
)
ResourceExhaustedError = _kind(
    "ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory, or space, is used up."
)
FailedPreconditionError = _kind(
    "FailedPreconditionError", FAILED_PRECONDITION, "As reading what has no value yet."
)
AbortedError = _kind("AbortedError", ABORTED, "A step was given up.")
OutOfRangeError = _kind("OutOfRangeError", OUT_OF_RANGE, "There is no more.")
UnimplementedError = _kind("UnimplementedError", UNIMPLEMENTED, "It is not there.")
InternalError = _kind("InternalError", INTERNAL, "The system is broken.")
UnavailableError = _kind("UnavailableError", UNAVAILABLE, "It is not there right now.")
DataLossError = _kind("DataLossError", DATA_LOSS, "Data are damaged.")
UnauthenticatedError = _kind("UnauthenticatedError", UNAUTHENTICATED, "Who is it?")

_KINDS = [k for k in vars().values() if isinstance(k, type) and issubclass(k, OpError)]
_KINDS.remove(OpError)
__all__ = [k.__name__ for k in _KINDS] + [
    "OpError",
    "error_code_from_exception_type",
    "exception_type_from_error_code",
    *(name for name in list(vars()) if name.isupper() and name[0] != "_"),
]

_by_code = {k(None, None, "").error_code: k for k in _KINDS}
_by_name = {k.__name__.removesuffix("Error"): k for k in _KINDS}
_NODE = re.compile(r'\(node "([^"]*)"\)')


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of a code."""
    return _by_code[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of a class."""
    return cls(None, None, "").error_code


class NodeDef:
    """The record of an operation: its name, its type and its inputs' names."""

    def __init__(self, name: str, op: str, inputs: list[str], device: str) -> None:
        self.name, self.op, self.input, self.device = name, op, inputs, device

    def __repr__(self) -> str:
        return f'name: "{self.name}"\nop: "{self.op}"\n'


def _whose(name: str, graph: Any) -> str:
    """The operation a node belongs to: what one needs beside itself is in a scope of
    its name."""
    scope = name.rpartition("/")[0]
    return scope if scope and scope in graph else name


def from_step(error: BaseException, graph: Any) -> BaseException:
    """TensorFlow's error for one of a step's; itself where it is none."""
    code = getattr(error, "sluice_code", None)
    kind = _by_name.get(str(code))
    if kind is None:
        return error
    op = None
    found = _NODE.search(str(error))
    if found is not None and found[1] in graph:
        op = graph.get_operation_by_name(_whose(found[1], graph))
    return kind(None if op is None else op.node_def, op, str(error))


@contextlib.contextmanager
def of_steps(graph: Any) -> Iterator[None]:
    """Whatever a step raises inside comes out as TensorFlow's."""
    try:
        yield
    except Exception as error:
        other = from_step(error, graph)
        if other is error:
            raise
        raise other from None
