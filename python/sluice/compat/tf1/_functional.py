"""map_fn, scan and folds: loops over the slices of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ._dtypes import as_dtype, int32, int64
from ._emit import convert, emit
from ._flow import cond
from ._loops import while_loop
from ._graphs import graph_of, opened
from ._nest import flatten, is_nested, map_structure, pack, same
from ._shapes import TensorShape
from ._tensor import wrap

__all__ = ["foldl", "foldr", "map_fn", "scan"]


class _Items:
    """The slices of tensors along their first axes, one after the other."""

    def __init__(self, what: str, elems: Any) -> None:
        self.like = elems
        self.tensors = [convert(e, name="elem") for e in flatten(elems)]
        for x in self.tensors:
            if x.shape.ndims == 0:
                raise ValueError(
                    f"{what}: elements must be at least 1+ dimensional Tensors, not "
                    "scalars"
                )
        self.graph = self.tensors[0].graph
        self.lists = [_core.List.of(x._core) for x in self.tensors]
        self.count: int | None = None
        for x in self.tensors:
            size = None if x.shape.ndims is None else x.shape[0].value
            if size is not None and self.count not in (None, size):
                raise ValueError(
                    f"{what}: the first axes have {self.count} and {size} elements"
                )
            self.count = size if self.count is None else self.count

    def size(self) -> Any:
        """How many there are, int32."""
        if self.count is not None:
            return convert(self.count, int32, name="n")
        size = wrap(self.graph, self.lists[0].size())
        return emit(None, "cast", size, dtype=int32)

    def at(self, index: Any) -> Any:
        """One of them, in the structure of the elements."""
        from ._fills import told_shape

        place = emit(None, "cast", index, dtype=int64)._core
        found = []
        for x, items in zip(self.tensors, self.lists):
            one = wrap(self.graph, items.get(place))
            found.append(told_shape(one, x.shape[1:]))
        return pack(self.like, found)


class _Kept:
    """What is collected: lists of the results of iterations."""

    def __init__(self, items: _Items, types: list[Any], size: Any) -> None:
        self.items, self.types = items, types
        wide = emit(None, "cast", size, dtype=int64)._core
        self.shapes: list[Any] = [None] * len(types)
        from ._tensor_array import TensorArray, _Kind

        self.start = []
        for kind in types:
            made = object.__new__(TensorArray)
            made._kind = _Kind(kind, None, True, True)
            made._graph = items.graph
            made._list = _core.List.sized(kind._core, wide, None)
            self.start.append(made)

    def write(self, what: str, arrays: Any, index: Any, values: Any) -> list[Any]:
        """The lists with these values there."""
        place = emit(None, "cast", index, dtype=int64)._core
        made = []
        for i, (array, value) in enumerate(zip(arrays, values)):
            value = convert(value, hint=self.types[i])
            if value.dtype != self.types[i]:
                raise TypeError(
                    f"{what}: the function gives {value.dtype.name}; wanted "
                    f"{self.types[i].name}, which dtype says"
                )
            self.shapes[i] = value.shape
            made.append(array._with(array._list.set(place, value._core)))
        return made

    def stacked(self, arrays: Any) -> list[Any]:
        """The lists as tensors."""
        from ._fills import told_shape

        found = []
        for array, shape in zip(arrays, self.shapes):
            whole = TensorShape([self.items.count]).concatenate(shape)
            made = _stack(array, shape, self.items)
            found.append(emit(None, "identity", told_shape(made, whole)))
        return found


def _stack(array: Any, shape: TensorShape, items: _Items) -> Any:
    def all_of() -> Any:
        return wrap(array.graph, array._list.stack())

    if items.count or not shape.is_fully_defined():
        return all_of()
    from ._fills import zeros

    none = zeros([0, *shape.as_list()], array.dtype)
    if items.count == 0:
        return none
    return cond(items.size() > 0, all_of, lambda: none)


def _checked(what: str, fn: Any, parallel_iterations: Any) -> int:
    if not callable(fn):
        raise TypeError(f"{what}: fn must be callable.")
    return 10 if parallel_iterations is None else int(parallel_iterations)


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """fn of each slice along the first axis, stacked.

    `dtype` is the structure of types of what it gives: that of the elements when
    left out. `infer_shape=False` would allow slices of different shapes, which
    cannot be stacked; `swap_memory` changes no result.
    """
    parallel = _checked("map_fn", fn, parallel_iterations)
    if fn_output_signature is not None:
        if dtype is not None:
            raise TypeError("map_fn: dtype and fn_output_signature are one; wanted one")
        dtype = fn_output_signature
    del swap_memory, infer_shape
    graph = graph_of(flatten(elems))
    with opened(graph), graph.name_scope(name or "map"):
        items = _Items("map_fn", elems)
        like = dtype
        if dtype is None:
            like = map_structure(lambda x: x.dtype, pack(elems, items.tensors))
        types = [as_dtype(t) for t in flatten(like)]
        size = items.size()
        kept = _Kept(items, types, size)

        def body(i: Any, arrays: Any) -> Any:
            made = fn(items.at(i))
            same("map_fn: dtype and what fn gives", like, made)
            return i + 1, kept.write("map_fn", arrays, i, flatten(made))

        _, arrays = while_loop(
            lambda i, _: i < size,
            body,
            (convert(0, int32, name="i"), kept.start),
            parallel_iterations=parallel,
            back_prop=back_prop,
        )
        return pack(like, _stopped(kept.stacked(arrays), back_prop))


def _stopped(values: list[Any], back_prop: bool) -> list[Any]:
    return values if back_prop else [emit(None, "stop_gradient", v) for v in values]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All values of an accumulator that fn takes on, slice after slice.

    Without an initializer the first slice is it. `swap_memory` and `infer_shape`
    change no result.
    """
    parallel = _checked("scan", fn, parallel_iterations)
    del swap_memory, infer_shape
    graph = graph_of(flatten(elems))
    with opened(graph), graph.name_scope(name or "scan"):
        items = _Items("scan", elems)
        size = items.size()
        given = initializer is not None
        like = initializer if given else elems
        one = convert(1, int32, name="one")
        first = size - one if reverse else convert(0, int32, name="first")
        if given:
            state = [convert(v, name="initializer") for v in flatten(initializer)]
        else:
            if items.count == 0:
                raise ValueError("scan: there are no elements and no initializer")
            state = flatten(items.at(first))
        kept = _Kept(items, [s.dtype for s in state], size)
        arrays = kept.start
        if not given:
            arrays = kept.write("scan", arrays, first, state)
            first = first - one if reverse else first + one

        def body(i: Any, state: Any, arrays: Any) -> Any:
            made = fn(pack(like, state), items.at(i))
            same("scan: the accumulator and what fn gives", like, made)
            new = [
                convert(m, name="state", hint=s.dtype)
                for m, s in zip(flatten(made), state)
            ]
            arrays = kept.write("scan", arrays, i, new)
            return (i - one if reverse else i + one), new, arrays

        _, _, arrays = while_loop(
            lambda i, *_: i >= 0 if reverse else i < size,
            body,
            (first, state, arrays),
            parallel_iterations=parallel,
            back_prop=back_prop,
        )
        return pack(like, _stopped(kept.stacked(arrays), back_prop))


def _fold(
    what: str,
    fn: Any,
    elems: Any,
    initializer: Any,
    parallel_iterations: Any,
    back_prop: bool,
    name: str,
    backwards: bool,
) -> Any:
    parallel = _checked(what, fn, parallel_iterations)
    graph = graph_of(flatten(elems))
    with opened(graph), graph.name_scope(name):
        items = _Items(what, elems)
        size = items.size()
        one = convert(1, int32, name="one")
        first = size - one if backwards else convert(0, int32, name="first")
        if initializer is None:
            if items.count == 0:
                raise ValueError(f"{what}: there are no elements and no initializer")
            state = items.at(first)
            first = first - one if backwards else first + one
        else:
            state = map_structure(lambda v: convert(v, name="initializer"), initializer)
        alone = not is_nested(state)

        def body(i: Any, state: Any) -> Any:
            made = fn(state[0] if alone else state, items.at(i))
            return (i - one if backwards else i + one), [made] if alone else made

        _, last = while_loop(
            lambda i, _: i >= 0 if backwards else i < size,
            body,
            (first, [state] if alone else state),
            parallel_iterations=parallel,
            back_prop=back_prop,
        )
        return last[0] if alone else last


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last value of an accumulator that fn takes on, slice after slice.

    `swap_memory` changes no result.
    """
    del swap_memory
    return _fold(
        "foldl",
        fn,
        elems,
        initializer,
        parallel_iterations,
        back_prop,
        name or "foldl",
        False,
    )


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The same from the last slice to the first.

    `swap_memory` changes no result.
    """
    del swap_memory
    return _fold(
        "foldr",
        fn,
        elems,
        initializer,
        parallel_iterations,
        back_prop,
        name or "foldr",
        True,
    )
