"""Models over several ranks, by the names of torch.nn.parallel."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import _core
from ._module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A model of which every rank has a copy and its own data.

    At the start all copies become that of rank 0. ``backward()`` averages the
    gradients over the ranks, bucket by bucket while the rest is computed, so that
    the optimizers of all ranks make the same step. Buffers are those of rank 0
    before every forward in training, unless ``broadcast_buffers`` says otherwise.

    Every parameter has a gradient on every rank; with ``find_unused_parameters``
    those that have none count as zero where another rank has one. Of tables with
    ``sparse=True`` the rows that have gradients are sent, not the whole. Modules with
    ``of_this_rank = True`` are others on every rank, and let alone.

    ``device_ids``, ``output_device``, ``dim``, ``gradient_as_bucket_view`` and
    ``static_graph`` are accepted and change nothing: a model is on one device,
    gradients are parts of buckets in any case, and which parameters have none is
    found out in every step.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        from ..distributed._group import group_name

        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(
                "DistributedDataParallel: module is a "
                f"{type(module).__name__}; wanted a Module"
            )
        if bucket_cap_mb is not None and not bucket_cap_mb > 0:
            raise ValueError(
                f"DistributedDataParallel: bucket_cap_mb is {bucket_cap_mb}; wanted "
                "more than 0"
            )
        self.module = module
        fields = self.__dict__
        fields["_group"] = group_name(process_group)
        fields["_ranks"] = _core.dist_world_size(fields["_group"])
        fields["_broadcast_buffers"] = broadcast_buffers
        fields["_sync"] = True
        # It changes after each no_sync(), so that functions are recorded again.
        fields["_own"] = object()
        other = fields["_other"] = _of_this_rank(module)
        shared = [(n, p) for n, p in module.named_parameters() if id(p) not in other]
        named = [(n, p) for n, p in shared if p.requires_grad]
        if not named:
            raise ValueError(
                "DistributedDataParallel: the module has no parameters that require "
                "gradients; wanted at least one"
            )
        if init_sync:
            self._broadcast([p for _, p in shared])
            self._broadcast(self._buffers_of_all())
        fields["_reducer"] = _core.gradient_reducer(
            [p for _, p in named],
            [n for n, _ in named],
            fields["_group"],
            _bucket_bytes([p for _, p in named], bucket_cap_mb),
            find_unused_parameters,
            _sparse(module, [p for _, p in named]),
        )

    def _broadcast(self, tensors: list[Any]) -> None:
        """All at once: each is waited for when the last was begun."""
        if self._ranks == 1:
            return
        works = [_core.dist_broadcast(t, 0, self._group, True) for t in tensors]
        for work in works:
            work.wait()

    def _buffers_of_all(self) -> list[Any]:
        buffers = [b for _, b in self.module.named_buffers()]
        return [b for b in buffers if id(b) not in self._other]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the module."""
        sync = self._syncs()
        if self._broadcast_buffers and sync and self.training:
            self._broadcast(self._buffers_of_all())
        if not sync or self._ranks == 1 or not _core.nn_building():
            return self.module(*args, **kwargs)
        return self._recorded(args, kwargs)

    def _syncs(self) -> bool:
        """Whether gradients are averaged now. A captured function that asks is
        recorded again when that changes."""
        sync: bool = _core.attr(self, "_sync")
        if not sync and _core.recorder() is not None:
            raise NotImplementedError(
                "DistributedDataParallel: no_sync() around a captured function, where "
                "gradients are averaged before they are added up; wanted the step "
                "without sl.function, or no no_sync()"
            )
        _core.attr(self, "_own")
        if _core.recorder() is not None and self._adds_to_own():
            raise RuntimeError(
                "DistributedDataParallel: gradients were added up under no_sync(), and "
                "a captured function would add averages to them; wanted backward() "
                "without sl.function before, which averages them, or zero_grad()"
            )
        return sync

    def _adds_to_own(self) -> bool:
        """Whether there are gradients that are this rank's alone."""
        if not self._reducer.unaveraged:
            return False
        return any(p.grad is not None for p in self.module.parameters())

    def _recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """In a captured function gradients flow back through an op for each
        bucket, whose gradient is the average over the ranks."""
        places: list[tuple[Any, str, Any]] = []
        for part in self.module.modules():
            table = part.__dict__["_parameters"]
            places += [
                (table, name, p)
                for name, p in table.items()
                if p is not None and p.requires_grad and id(p) not in self._other
            ]
        of_dtype: dict[Any, dict[int, Any]] = {}
        for _, _, p in places:
            of_dtype.setdefault(p.dtype, {})[id(p)] = p
        averaged: dict[int, Any] = {}
        for same in of_dtype.values():
            outs = _core.dist_call(
                "AllReduceGradients", list(same.values()), "", 0, -1, self._group
            )
            averaged.update(zip(same, outs))
        try:
            for table, name, p in places:
                table[name] = averaged[id(p)]
            return self.module(*args, **kwargs)
        finally:
            for table, name, p in places:
                table[name] = p

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise TypeError(
            "deepcopy of a DistributedDataParallel: a copy would average gradients of "
            "its own; wanted a copy of its module"
        )

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, ``backward()`` adds up this rank's gradients alone; the first one
        outside averages all that was added up."""
        if _core.recorder() is not None:
            raise NotImplementedError(
                "DistributedDataParallel: no_sync() in a captured function, where "
                "gradients are averaged before they are added up; wanted the step "
                "without sl.function"
            )
        before = self._sync
        self._sync = self._reducer.sync = False
        try:
            yield
        finally:
            self._sync = self._reducer.sync = before
            if self._reducer.unaveraged:
                self._own = object()


def _bucket_bytes(parameters: list[Any], megabytes: float | None) -> int:
    """How much is sent at once. The last bucket is complete when backward() ends, so
    that nothing hides it: an eighth of the whole, within what a message of its own is
    worth and what PyTorch begins with."""
    if megabytes is not None:
        return int(float(megabytes) * 2**20)
    whole = sum(p.numel() * p.element_size() for p in parameters)
    return min(max(whole // 8, 2**19), 25 * 2**20)


def _of_this_rank(module: Module) -> dict[int, Any]:
    """Parameters and buffers that are no copies of other ranks': those of modules that
    say so. Kept, so that none is taken for another one."""
    found: dict[int, Any] = {}
    for part in module.modules():
        if getattr(part, "of_this_rank", False) is True:
            found.update((id(t), t) for t in (*part.parameters(), *part.buffers()))
    return found


def _sparse(module: Module, parameters: list[Any]) -> list[int]:
    """The numbers of those whose gradients are rows: of modules that say so."""
    tables = {
        id(getattr(part, "weight", None))
        for part in module.modules()
        if getattr(part, "sparse", False) is True
    }
    return [i for i, p in enumerate(parameters) if id(p) in tables]
