"""What objects of the library tell who records code that uses them.

A captured function runs the library's own Python once. What that reads of an object
is a guard, what it cannot do again in every call is refused, and functions that the
user gave are converted as those the code calls itself.
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
    """Throws where code is recorded, with the user's line. In a branch that a tensor
    decides the values of the call decide first, so that code which is not reached
    refuses nothing."""
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
    """A method that captured code does not call: "Sampler.__iter__() " and why."""

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
    """Around recorded code of which not every call takes the tensors it makes. What
    else it does would be done by all: the values of the call decide about that."""
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
    """A method of an object, which every call calls. It is no copy's."""

    def __init__(self, method: Any, owner: Any) -> None:
        self._method, self._owner = method, owner
        self.__name__ = method.__name__

    def __deepcopy__(self, _: Any) -> _Done:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._method(self._owner, *args, **kwargs)


def done_by_calls(method: F) -> F:
    """A method that is called for its effect: calls of a captured function have it,
    each with its own tensors, when the graph has run."""

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
    """A number that an object has when it is asked, as code that is recorded sees
    it: a guard, and the number of each call once it has changed twice."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask
        self._fed: Any = None

    @property
    def now(self) -> Any:
        """What it is, or what stands for it in the graph that is recorded."""
        return self._ask() if self._fed is None else self._fed

    @now.setter
    def now(self, value: Any) -> None:
        from ._symbols.symbol import Symbol

        # A plain number is put back when the recording ends: it was there all along.
        self._fed = value if isinstance(value, Symbol) else None

    def read(self, text: str) -> Any:
        """The number, noted by who records."""
        value = self.now
        recorder = _core.recorder()
        if recorder is not None:
            from ._convert.places import SLOT

            recorder.read(SLOT, self, "now", value, text)
        return value


# By object, and by what is asked of it: guards refer weakly to what they ask. Not all
# of these objects can be keys.
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
    """Code that asks for what is a guard as a whole."""
    before = _core.set_recorder(None)
    try:
        yield
    finally:
        _core.set_recorder(before)


def watched(owner: Any, name: str, ask: Callable[[Any], Any]) -> Watched:
    """That of an object and a name, whose number is ask(owner)."""
    known = _asked_of(owner)
    if name not in known:
        itself = weakref.ref(owner)

        def now() -> Any:
            with _not_recorded():
                return ask(itself())

        known[name] = Watched(now)
    return known[name]


def number(method: F) -> F:
    """A method that gives a number: for code that is recorded, that of each call."""
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
    """A method that gives plain numbers and texts in lists and dicts: for code that
    is recorded the whole of it is a guard."""
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
    """owner.name for a method of owner's: a guard where code is recorded."""
    recorder = _core.recorder()
    return getattr(owner, name) if recorder is None else recorder.attr(owner, name)


def item_of(owner: Any, key: Any) -> Any:
    """owner[key], where the user may have written what that does."""
    if _core.recorder() is None:
        return owner[key]
    from ._convert.handed import item

    return item(owner, key)


def called(owner: Any, function: Any) -> Any:
    """What to call instead of a function of the user's that an object has: where
    code is recorded it is converted."""
    recorder = _core.recorder()
    if recorder is None or function is None:
        return function
    if recorder.from_outside(owner):
        name = getattr(function, "__name__", type(function).__name__)
        recorder.value(function, name)
    return recorder.call(function)
