"""The base of SymInt, SymFloat and SymBool, which decides their values."""

from __future__ import annotations

from typing import Any

from .. import _core
from .expression import Atom


class SizeError(TypeError):
    """Python needs a size that depends on elements of tensors."""


class Symbol:
    """The base class of symbolic numbers."""

    __slots__ = ()

    hint: Any
    """The value in the call that is recorded; None when nobody knows it."""

    def _tensor(self) -> Any:
        """The scalar of the graph."""
        raise NotImplementedError

    @property
    def expression(self) -> str:
        """The expression in terms of sizes: "x.shape[1]*4"."""
        raise NotImplementedError

    def _atoms(self) -> list[Atom]:
        raise NotImplementedError

    def _decide(self, key: Any) -> Any:
        """The value. The recording then serves calls in which it is the same."""
        if self.hint is None:
            raise SizeError(
                f"{self.expression} decides what Python does, but depends on "
                "elements of tensors, which are not known while a function is "
                "recorded; wanted sl.cond or sl.where, or sizes of the arguments"
            )
        atoms = self._atoms()
        if all(a.fixed for a in atoms):
            for a in atoms:
                _core.describe_size(*a.leaf)  # raises when the recording is over
            return self.hint
        decided = atoms[0].decided
        if key not in decided:
            _core.require_size(self._tensor(), self.expression)
            decided[key] = self.hint
        return self.hint

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self.hint), (self._now(),)

    def _now(self) -> Any:
        raise NotImplementedError

    # The decided number as text, because code that formats it may use the string for
    # a lookup.
    def __str__(self) -> str:
        return str(self._now())

    def __repr__(self) -> str:
        return repr(self._now())

    def __format__(self, spec: str) -> str:
        return format(self._now(), spec)

    def __hash__(self) -> int:
        return hash(self._now())

    def __getattr__(self, name: str) -> Any:
        # numerator, bit_length, is_integer: those of the decided number.
        if name.startswith("_") or not (hasattr(int, name) or hasattr(float, name)):
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        return getattr(self._now(), name)

    __array_ufunc__ = None  # numpy scalars defer their operators to ours
