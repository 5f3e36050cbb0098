"""Units of a model: modules whose parameters are gathered and released together."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from ... import _core
from ...autograd import Function
from ...nn import Module, Parameter
from ...nn import _module as nn_module
from ...utils.checkpoint import checkpoint
from .._group import get_rank, get_world_size, group_name
from ..nn import functional as collectives

__all__ = ["Unit", "fully_shard", "units_of"]

_UNIT = "_fsdp_unit"  # the attribute for a module's unit

# Whole parameters that were sharded but are still referenced: used in another
# module, one of them would become an unrelated tensor.
_whole: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def fully_shard(
    module: Module,
    *,
    reshard_after_forward: bool | None = None,
    process_group: Any = None,
) -> Module:
    """Every rank keeps its part of each of the module's parameters; they are whole
    while the module runs only. Returns the module, changed in place.

    Modules inside that are to be gathered by themselves are sharded before. The
    parameters that are left are those of rank 0, flat, cut into equal parts; what
    `parameters()` gives from then on are the parts, so optimizers are made after
    this. `backward()` leaves in `grad` this rank's part of the average.

    reshard_after_forward: whole parameters are let go after the forward, and
    gathered again by `backward()`, which computes the module's forward again.
    False: they are kept until then. None: True, but for modules that contain others
    that are sharded.
    """
    if not isinstance(module, Module):
        raise TypeError(
            f"fully_shard: module is a {type(module).__name__}; wanted a Module"
        )
    if _UNIT in module.__dict__:
        raise ValueError(
            f"fully_shard: this {type(module).__name__} is sharded already; wanted "
            "one call for each module, the inner ones first"
        )
    Unit(module, process_group, reshard_after_forward)
    return module


def units_of(module: Module, what: str) -> list[Unit]:
    """The units of a module and of its submodules."""
    found = [m.__dict__[_UNIT] for m in module.modules() if _UNIT in m.__dict__]
    if not found:
        raise ValueError(
            f"{what}: no part of this {type(module).__name__} is sharded; wanted one "
            "that fully_shard() was called for"
        )
    return found


class _Gather(Function):
    """All ranks' tensors, one after the other. The gradient is this rank's part of
    the average, where that of `all_gather_tensor` is one of the sum."""

    @staticmethod
    def forward(ctx: Any, part: Any, group: Any) -> Any:
        ctx.group = group
        return collectives.all_gather_tensor(part, group)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return collectives.reduce_scatter_tensor(grad, "avg", ctx.group), None


class Entry(NamedTuple):
    """A parameter of a unit, with all places that refer to it."""

    places: list[tuple[Module, str]]
    shape: tuple[int, ...]
    elements: int  # of the whole parameter
    each: int  # elements of a part; the last ones are padded with zeros

    @property
    def part(self) -> Any:
        """This rank's part."""
        module, name = self.places[0]
        return module.__dict__["_parameters"][name]


class Part(Parameter):
    """This rank's part of a parameter."""

    _is_part = True  # see _parts.py


class Unit:
    """The data of one sharded module, which holds it. `forward` replaces the
    module's forward.

    Used by the thread that trains, on all ranks in the same order.
    """

    def __init__(self, module: Module, group: Any, reshard: bool | None) -> None:
        self.group = group
        self.ranks, self.rank = get_world_size(group), get_rank(group)
        inner = [m for m in module.modules() if _UNIT in m.__dict__]
        self.reshard = not inner if reshard is None else bool(reshard)
        places = _places(module, {id(m) for one in inner for m in one.modules()})
        self._former: list[Any] = []  # weak references to the whole parameters
        self.entries = self._shared_out(places)
        for _, buffer in module.named_buffers():
            _core.dist_broadcast(buffer, 0, group_name(group), False)
        module.__dict__[_UNIT] = self
        self._module, self._module_forward = module, module.forward
        if self.entries:
            module.__dict__["forward"] = self.forward

    # ---- Setup ----

    def _shared_out(self, places: dict[int, list[tuple[Module, str]]]) -> list[Entry]:
        wholes = [ps[0][0].__dict__["_parameters"][ps[0][1]] for ps in places.values()]
        for whole, where in zip(wholes, places.values()):
            if _whole.get(id(whole)) is whole:
                module, name = where[0]
                raise ValueError(
                    f"fully_shard: {name} of this {type(module).__name__} is shared "
                    "with a module that was sharded before; wanted both in one call"
                )
        name = group_name(self.group)
        # All broadcasts start before the first is waited for.
        works = [_core.dist_broadcast(w, 0, name, True) for w in wholes]
        for work in works:
            work.wait()
        entries = []
        for whole, where in zip(wholes, places.values()):
            count = whole.numel()
            entry = Entry(where, tuple(whole.shape), count, -(-count // self.ranks))
            part = Part(self.cut(entry, whole), whole.requires_grad)
            for module, name in where:
                module.__dict__["_parameters"][name] = part
            _whole[id(whole)] = whole
            self._former.append(weakref.ref(whole))
            entries.append(entry)
        _core.bump_epoch()  # recordings used the whole parameters
        return entries

    # ---- Parts and whole parameters ----

    def cut(self, entry: Entry, whole: Any) -> Any:
        """This rank's part of a whole tensor, as a separate tensor."""
        import sluice as sl

        with sl.no_grad():
            begin = min(self.rank * entry.each, entry.elements)
            end = min(begin + entry.each, entry.elements)
            part = whole.detach().reshape(-1)[begin:end]
            missing = entry.each - (end - begin)
            if missing == 0:
                return part.clone()
            return sl.concat([part, sl.zeros([missing], dtype=part.dtype)], 0)

    def joined(self, entry: Entry, part: Any) -> Any:
        """The whole tensor made of every rank's part, without a gradient."""
        import sluice as sl

        with sl.no_grad():
            flat = collectives.all_gather_tensor(part.detach(), self.group)
            return flat[: entry.elements].reshape(entry.shape)

    def _gathered(self) -> list[Any]:
        """All whole parameters, gathered by one collective per dtype, in which the
        parts of a rank are contiguous."""
        import sluice as sl

        alike: dict[Any, list[Entry]] = {}
        for entry in self.entries:
            part = entry.part
            alike.setdefault((part.dtype, part.requires_grad), []).append(entry)
        whole: dict[int, Any] = {}
        for (_, learns), entries in alike.items():
            parts = [entry.part for entry in entries]
            flat = parts[0] if len(parts) == 1 else sl.concat(parts, 0)
            if learns:
                flat = _Gather.apply(flat, self.group)
            else:
                flat = collectives.all_gather_tensor(flat, self.group)
            rows = flat.reshape(self.ranks, -1)
            sizes = [entry.each for entry in entries]
            columns = [rows] if len(sizes) == 1 else sl.split(rows, sizes, 1)
            for entry, column in zip(entries, columns):
                one = column.reshape(-1)
                if entry.elements != self.ranks * entry.each:
                    one = one[: entry.elements]
                whole[id(entry)] = one.reshape(entry.shape)
        return [whole[id(entry)] for entry in self.entries]

    # ---- Calls ----

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the module with whole parameters."""
        if self._former and _core.is_grad_enabled():
            self._look_for_former()
        if not (self.reshard and _core.is_grad_enabled()):
            return self._with_whole(*args, **kwargs)
        begun = False

        def run(*args: Any, **kwargs: Any) -> Any:
            nonlocal begun
            if not begun:
                begun = True
                return self._with_whole(*args, **kwargs)
            with self._buffers_aside():
                return self._with_whole(*args, **kwargs)

        return checkpoint(run, *args, **kwargs)

    def _look_for_former(self) -> None:
        """Checks once for an optimizer made before sharding, which would train unused
        tensors."""
        former, self._former = self._former, []
        alive = sum(whole() is not None for whole in former)
        if alive:
            warnings.warn(
                f"fully_shard: {alive} of {len(former)} whole parameters of this "
                f"{type(self._module).__name__} are still held by something that was "
                "made before it was sharded; optimizers are made afterwards",
                stacklevel=2,
            )

    @contextlib.contextmanager
    def _buffers_aside(self) -> Iterator[None]:
        """Discards writes to buffers inside the scope: running statistics were already
        updated when the forward first ran."""
        tables = [m.__dict__["_buffers"] for m in self._module.modules()]
        kept = [dict(table) for table in tables]
        try:
            for table in tables:
                for name, buffer in table.items():
                    if buffer is not None:
                        table[name] = buffer.detach().clone()
            yield
        finally:
            for table, before in zip(tables, kept):
                table.update(before)

    def _with_whole(self, *args: Any, **kwargs: Any) -> Any:
        parts = [entry.part for entry in self.entries]
        own = nn_module.converted_forward
        run = self._module_forward if own is None else own(self._module_forward)
        try:
            for entry, whole in zip(self.entries, self._gathered()):
                for module, name in entry.places:
                    module.__dict__["_parameters"][name] = whole
            return run(*args, **kwargs)
        finally:
            for entry, part in zip(self.entries, parts):
                for module, name in entry.places:
                    module.__dict__["_parameters"][name] = part


def _places(module: Module, others: set[int]) -> dict[int, list[tuple[Module, str]]]:
    """The places of each parameter, except in modules that have units."""
    found: dict[int, list[tuple[Module, str]]] = {}
    for part in module.modules():
        if id(part) in others:
            continue
        for name, p in part.__dict__["_parameters"].items():
            if p is not None:
                found.setdefault(id(p), []).append((part, name))
    return found
