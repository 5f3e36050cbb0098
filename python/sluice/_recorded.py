"""Reports from library objects to the recorder of code that uses them.

A captured function runs the library's own Python code once. What that code reads of an
object becomes a guard, effects that cannot be repeated in every call are refused, and
functions that the user passed are converted like those that the code calls itself.
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from . import _core

__all__: list[str] = []

F = TypeVar("F", bound=Callable[..., Any])


def refuse(what: str, wanted: str) -> None:
    """Throws during a recording, with the user's line. In a branch that a tensor
    decides, the values of the call decide first, so that unreached code refuses
    nothing."""
    recorder = _core.recorder()
    if recorder is None:
        return
    from ._convert.errors import StagingError
    from ._convert.place import user_place
    from ._convert.refusals import values_may_decide

    if recorder.depth > 1:
        values_may_decide()
    filename, line = user_place()
    raise StagingError(f"{filename}:{line}: {what}; {wanted}")


def not_recorded(why: str, wanted: str) -> Callable[[F], F]:
    """Marks a method that captured code cannot call: "Sampler.__iter__() " and why."""

    def of(method: F) -> F:
        @functools.wraps(method)
        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            if _core.recorder() is not None:
                refuse(f"{type(self).__name__}.{method.__name__}() {why}", wanted)
            return method(self, *args, **kwargs)

        return checked  # type: ignore[return-value]

    return of


def refuse_files(what: str) -> None:
    """Throws where captured code would read or write a file, once for all calls."""
    refuse(
        f"{what} reads or writes a file, and would do so only when the function is "
        "recorded",
        "wanted it outside of the function",
    )


@contextlib.contextmanager
def on_some_ways(what: str) -> Iterator[None]:
    """A scope for recorded code whose tensors only some calls use. Its other effects
    would happen in all calls, so the values of the call decide about those."""
    recorder = _core.recorder()
    if recorder is None:
        yield
        return
    from ._convert.frames import changed
    from ._convert.refusals import values_may_decide

    with recorder.frame() as frame:
        yield
        for place, before in frame.values():
            if changed(place, before):
                values_may_decide()
                refuse(
                    f"{what} changes {place.text}, and tensors decide whether it is "
                    "called",
                    "wanted it outside of the function",
                )


class _Done:
    """A method of an object that every call runs. It stays bound to the original
    when copied."""

    def __init__(self, method: Any, owner: Any) -> None:
        self._method, self._owner = method, owner
        self.__name__ = method.__name__

    def __deepcopy__(self, _: Any) -> _Done:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._method(self._owner, *args, **kwargs)


def done_by_calls(method: F) -> F:
    """Decorates a method that is called for its effect. Every call of a captured
    function repeats it with its own tensors after the graph has run."""

    @functools.wraps(method)
    def done(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _core.recorder() is None:
            return method(self, *args, **kwargs)
        from ._convert.printing import said

        if not said(_Done(method, self), args, kwargs):
            refuse(
                f"{type(self).__name__}.{method.__name__}() is in a branch or loop "
                "that a tensor decides, and is done by Python after the graph has run",
                "wanted it outside of that",
            )
        return None

    return done  # type: ignore[return-value]


class Watched:
    """A number of an object as recorded code sees it: a guard, or an input that each
    call feeds once it has changed twice."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask
        self._fed: Any = None

    @property
    def now(self) -> Any:
        """The number, or its stand-in in the graph being recorded."""
        return self._ask() if self._fed is None else self._fed

    @now.setter
    def now(self, value: Any) -> None:
        from ._symbols.symbol import Symbol

        # A plain number is restored when the recording ends: it is the original.
        self._fed = value if isinstance(value, Symbol) else None

    def read(self, text: str) -> Any:
        """The number, noted by the recorder."""
        value = self.now
        recorder = _core.recorder()
        if recorder is not None:
            from ._convert.places import SLOT

            recorder.read(SLOT, self, "now", value, text)
        return value


# Keyed by object and by the name of the number. Guards refer weakly to the objects,
# not all of which are hashable.
_asked: dict[int, tuple[weakref.ref[Any], dict[str, Watched]]] = {}


def _asked_of(owner: Any) -> dict[str, Watched]:
    known = _asked.get(id(owner))
    if known is None or known[0]() is not owner:
        number = id(owner)
        gone = weakref.ref(owner, lambda ref: _forget(number, ref))
        known = _asked[number] = gone, {}
    return known[1]


def _forget(number: int, ref: Any) -> None:
    known = _asked.get(number)
    if known is not None and known[0] is ref:
        del _asked[number]


@contextlib.contextmanager
def _not_recorded() -> Iterator[None]:
    """A scope for code whose result is a guard as a whole."""
    before = _core.set_recorder(None)
    try:
        yield
    finally:
        _core.set_recorder(before)


def watched(owner: Any, name: str, ask: Callable[[Any], Any]) -> Watched:
    """The Watched of an object and a name, whose number is ask(owner)."""
    known = _asked_of(owner)
    if name not in known:
        itself = weakref.ref(owner)

        def now() -> Any:
            with _not_recorded():
                return ask(itself())

        known[name] = Watched(now)
    return known[name]


def number(method: F) -> F:
    """Decorates a method that gives a number: in recorded code, that of each call."""
    name = method.__name__

    @functools.wraps(method)
    def asked(self: Any) -> Any:
        recorder = _core.recorder()
        if recorder is None:
            return method(self)
        text = recorder.text(self, name)
        recorder.check_settled(self, text)
        return watched(self, name, method).read(text)

    return asked  # type: ignore[return-value]


def as_seen(method: F) -> F:
    """Decorates a method that gives plain numbers and strings in lists and dicts. In
    recorded code the whole result is a guard."""
    name = method.__name__

    @functools.wraps(method)
    def asked(self: Any) -> Any:
        recorder = _core.recorder()
        if recorder is None:
            return method(self)
        text = recorder.text(self, name) + "()"
        recorder.check_settled(self, text)
        watched(self, name, lambda owner: repr(method(owner))).read(text)
        with _not_recorded():
            return method(self)

    return asked  # type: ignore[return-value]


def read(owner: Any, name: str) -> Any:
    """owner.name, read inside a method of owner: a guard in recorded code."""
    recorder = _core.recorder()
    return getattr(owner, name) if recorder is None else recorder.attr(owner, name)


def item_of(owner: Any, key: Any) -> Any:
    """owner[key], where user code may implement it."""
    if _core.recorder() is None:
        return owner[key]
    from ._convert.handed import item

    return item(owner, key)


def called(owner: Any, function: Any) -> Any:
    """The replacement for a user function that an object holds. It is converted in
    recorded code."""
    recorder = _core.recorder()
    if recorder is None or function is None:
        return function
    if recorder.from_outside(owner):
        name = getattr(function, "__name__", type(function).__name__)
        recorder.value(function, name)
    return recorder.call(function)
