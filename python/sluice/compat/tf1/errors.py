"""What steps fail with: Python's own classes, by TensorFlow's names."""

from __future__ import annotations

__all__ = [
    "AbortedError",
    "CancelledError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "ResourceExhaustedError",
    "UnimplementedError",
]

OpError = Exception
OutOfRangeError = IndexError
InvalidArgumentError = ValueError
NotFoundError = LookupError
DeadlineExceededError = TimeoutError
ResourceExhaustedError = MemoryError
UnimplementedError = NotImplementedError
CancelledError = RuntimeError
AbortedError = RuntimeError
FailedPreconditionError = RuntimeError
