"""User generators during a recording, from one yield to the next."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Generator, Iterator
from typing import Any

from .. import _core
from .code_reads import reads_of
from .errors import StagingError, Unconvertible
from .refusals import values_may_decide

_CONTEXT_MANAGER = contextlib.contextmanager(lambda: iter(())).__code__


def _converted(function: types.FunctionType) -> Any:
    """The generator with its expressions rewritten; None if that is impossible."""
    from .build import as_function, converted_code
    from .runtime import Runtime

    if getattr(function, "__sl_do_not_convert__", False):
        return None
    try:
        return as_function(function, converted_code(function, Runtime, True))
    except Unconvertible:
        return None


def followed(
    function: types.FunctionType, args: Any, kwargs: dict[str, Any]
) -> Generator[Any, Any, Any]:
    """The generator, which reports to the recorder, if there is one."""
    recorder = _core.recorder()
    body = None if recorder is None else _converted(function)
    if recorder is not None and body is None:
        recorder.unconverted(function, args)
    inner = (body or function)(*args, **kwargs)
    frame = None if recorder is None else recorder.frames[-1]
    try:
        _goes_on(function, frame)
        out = next(inner)
        while True:
            try:
                got = yield out
            except GeneratorExit:
                if recorder is None:
                    inner.close()
                elif recorder is _core.recorder():
                    recorder.function(function)
                    inner.close()
                else:
                    _close_for_nothing(function, inner, recorder)
                raise
            except BaseException as error:
                _goes_on(function, frame)
                out = inner.throw(error)
            else:
                _goes_on(function, frame)
                out = inner.send(got)
    except StopIteration as end:
        return end.value


def _close_for_nothing(function: Any, inner: Any, recorder: Any) -> None:
    """Closes a generator left over from a recording that ended or was abandoned. The
    effects of its `finally` belong to calls."""
    before = _core.set_recorder(recorder)
    try:
        recorder.function(function)
        with contextlib.suppress(Exception):  # of tensors that are no more
            inner.close()
    finally:
        recorder.rollback()
        _core.set_recorder(before)


def _goes_on(function: types.FunctionType, frame: Any) -> None:
    """Notes that a generator resumes. It keeps its position, so elements that one path
    of a branch takes would be missing on the other."""
    recorder = _core.recorder()
    if recorder is None or frame is None:
        return
    names = reads_of(function.__code__)
    if names.stored_globals or names.stored_free:
        recorder.told += 1
    recorder.function(function)
    if recorder.frames[-1] is frame:
        return
    values_may_decide()
    code = function.__code__
    raise StagingError(
        f"{code.co_filename}:{code.co_firstlineno}: the generator "
        f"{function.__qualname__} is begun outside of a branch or loop that a tensor "
        "decides and goes on in it, or the other way round; wanted a list, or both "
        "in one place"
    )


def rest(iterator: Iterator[Any], place: str) -> Iterator[Any]:
    """The remaining elements of a loop that a tensor may have ended. They are taken in
    any case, so taking them must not change anything."""
    recorder = _core.recorder()
    while True:
        told = recorder.told if recorder is not None else 0
        try:
            item = next(iterator)
        except StopIteration:
            return
        finally:
            if recorder is not None and recorder.told != told:
                values_may_decide()
                raise StagingError(
                    f"{place}: a tensor may end this loop, and what it goes over is "
                    "code that changes objects when more is taken; wanted a list"
                )
        yield item


def managed(function: Any, inner: types.FunctionType) -> Any:
    """The replacement for a function that contextlib.contextmanager made of a
    generator; None for any other function."""
    from .calls import callee

    if function.__code__ is not _CONTEXT_MANAGER:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        made: Any = contextlib._GeneratorContextManager
        return made(callee(inner), args, kwargs)

    return call
