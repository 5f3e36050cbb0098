"""Steps of a pipeline: micro-batches forward and back in the order of a schedule."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._orders import Action, drawn, gpipe_order, one_f_one_b_order, ticks
from ._stage import Kind, Neighbour, PipelineStage, check_kinds

__all__ = ["Schedule1F1B", "ScheduleGPipe", "StepReport"]


class StepReport(NamedTuple):
    """Where a rank's time went in a step."""

    seconds: float  # of the step
    waiting: float  # of those, for other ranks: bubbles, and messages
    kept: int  # micro-batches whose values were kept at the same time, at most

    @property
    def bubble(self) -> float:
        """The share of the step that was waiting."""
        return self.waiting / self.seconds if self.seconds > 0 else 0.0


class _Schedule:
    """What the schedules have in common: one step, on this rank's stage.

    Used by the thread that trains; every rank of the pipeline calls `step` for the
    same steps.
    """

    order: Callable[[int, int, int], list[Action]]

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        scale_grads: bool = True,
    ) -> None:
        name = type(self).__name__
        if not isinstance(stage, PipelineStage):
            raise TypeError(
                f"{name}: stage is a {type(stage).__name__}; wanted a PipelineStage"
            )
        if n_microbatches < 1:
            raise ValueError(
                f"{name}: n_microbatches is {n_microbatches}; wanted at least 1"
            )
        self.stage, self.batches = stage, int(n_microbatches)
        self.loss_fn, self._scale = loss_fn, scale_grads
        self.last: StepReport | None = None

    # ---- What it costs ----

    @property
    def bubble(self) -> float:
        """The share of ticks that a stage waits, where forward and backward take one
        tick each: (stages - 1) / (n_microbatches + stages - 1)."""
        table = ticks(type(self).order, self.stage.num_stages, self.batches)
        return table[0].count(None) / len(table[0])

    def drawn(self) -> str:
        """Who does what when, a line for each stage."""
        return drawn(type(self).order, self.stage.num_stages, self.batches)

    # ---- Steps ----

    def step(
        self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kw: Any
    ) -> Any:
        """One batch forward and back. The first stage gets the input, whose tensors
        and arrays, also those in lists, tuples and dicts, are cut along axis 0, the
        last one target; losses gets those of the micro-batches there. Gradients are
        added to `grad`, those of the mean over the micro-batches. Returns the last
        stage's output, None on the others."""
        stage = self.stage
        if stage.is_last and self.loss_fn is None:
            raise ValueError(
                f"{type(self).__name__}: the last stage has no loss; wanted loss_fn"
            )
        targets = self._cut((target,), {}, "target") if stage.is_last else None
        run = _Step(self, self._inputs(args, kw), targets)
        order = type(self).order(stage.stage_index, stage.num_stages, self.batches)
        for action in order:
            if action.kind == "F":
                run.forward(action.batch)
            else:
                run.backward(action.batch)
        self.last = run.end()
        if losses is not None:
            losses[:] = run.losses
        return run.output()

    def eval(self, *args: Any, **kw: Any) -> Any:
        """One batch forward only."""
        import sluice as sl

        with sl.no_grad():
            run = _Step(self, self._inputs(args, kw), None)
            for batch in range(self.batches):
                run.forward(batch)
            self.last = run.end()
            return run.output()

    def _inputs(self, args: Any, kw: Any) -> Any:
        if self.stage.is_first:
            return self._cut(args, kw, "the input")
        if args or kw:
            raise ValueError(
                f"{type(self).__name__}: stage {self.stage.stage_index} got an input; "
                "wanted one on the first stage only"
            )
        return None

    def _cut(self, args: Any, kw: Any, what: str) -> list[Any]:
        """The arguments of every micro-batch."""
        import numpy as np

        from ... import _core

        def parts(value: Any) -> list[Any]:
            if isinstance(value, Mapping):
                cut = {key: parts(one) for key, one in value.items()}
                return [{k: p[i] for k, p in cut.items()} for i in range(self.batches)]
            if isinstance(value, (list, tuple)):
                many = [parts(one) for one in value]
                return [_like(value, [p[i] for p in many]) for i in range(self.batches)]
            if not isinstance(value, (_core.Tensor, np.ndarray)):
                return [value] * self.batches
            rows = value.shape[0] if value.ndim else 0
            if rows == 0 or rows % self.batches:
                raise ValueError(
                    f"{type(self).__name__}: {what} is of shape {list(value.shape)}; "
                    f"wanted rows for {self.batches} equal micro-batches"
                )
            each = rows // self.batches
            return [value[i * each : (i + 1) * each] for i in range(self.batches)]

        places = [parts(value) for value in args]
        named = {key: parts(value) for key, value in kw.items()}
        return [
            (tuple(p[i] for p in places), {key: p[i] for key, p in named.items()})
            for i in range(self.batches)
        ]


def _like(given: Any, values: list[Any]) -> Any:
    """A list or tuple of the same kind."""
    if hasattr(given, "_fields"):
        return type(given)(*values)
    return values if isinstance(given, list) else tuple(values)


class ScheduleGPipe(_Schedule):
    """All micro-batches forward, then all of them back (Huang et al. 2019)."""

    order = staticmethod(gpipe_order)


class Schedule1F1B(_Schedule):
    """One forward and one backward in turn, as soon as the first comes back: as many
    bubbles as GPipe, and values of `stages` micro-batches kept at most (Narayanan et
    al. 2019)."""

    order = staticmethod(one_f_one_b_order)


class _Step:
    """One step on one rank."""

    def __init__(self, schedule: _Schedule, inputs: Any, targets: Any) -> None:
        self.schedule, self.stage = schedule, schedule.stage
        self.inputs, self.targets = inputs, targets
        self.losses: list[Any] = []
        self._outputs: list[Any] = []
        self._kept: dict[int, tuple[list[Any], list[Any]]] = {}
        self._most = 0
        self._began, self._waited = time.perf_counter(), 0.0
        self._from_before = _Inlet(self.stage.before, schedule.batches)
        self._from_behind = _Inlet(self.stage.behind, schedule.batches)
        self._kinds: list[Kind] | None = None  # of what is sent on

    def forward(self, batch: int) -> None:
        args, kw, taken = self._input(batch)
        result = self.stage.submodule(*args, **kw)
        if self.stage.behind is None:
            self._outputs.append(_detached(result))
            if self.targets is not None:
                (target,), _ = self.targets[batch]
                loss_fn = self.schedule.loss_fn
                assert loss_fn is not None  # step() has looked
                loss = loss_fn(result, target)
                self.losses.append(loss.detach())
                self._keep(batch, taken, [loss])
            return
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        self._send_on(self.stage.behind, results)
        self._keep(batch, taken, results)

    def _input(self, batch: int) -> tuple[Any, Any, list[Any]]:
        if self.stage.before is None:
            args, kw = self.inputs[batch]
            return args, kw, []
        if self._from_before.kinds is None:
            started = time.perf_counter()
            self._from_before.begin(self.stage.before.receive_kinds())
            self._waited += time.perf_counter() - started
        taken = self._take(self._from_before)
        kinds = self._from_before.kinds
        assert kinds is not None
        for tensor, kind in zip(taken, kinds):
            if kind.learns:
                tensor.requires_grad_()
        return tuple(taken), {}, taken

    def _send_on(self, to: Neighbour, results: list[Any]) -> None:
        kinds = [Kind.of(t) for t in results]
        if self._kinds is None:
            check_kinds(kinds, f"stage {self.stage.stage_index}")
            self._kinds = kinds
            to.send_kinds(kinds)
            self._from_behind.begin([kind for kind in kinds if kind.learns])
        elif kinds != self._kinds:
            raise ValueError(
                f"stage {self.stage.stage_index}: a micro-batch gave {kinds}, the "
                f"first one {self._kinds}; wanted the same"
            )
        to.send(results)

    def _keep(self, batch: int, taken: list[Any], results: list[Any]) -> None:
        self._kept[batch] = taken, results
        self._most = max(self._most, len(self._kept))

    def backward(self, batch: int) -> None:
        taken, results = self._kept.pop(batch)
        learning = [t for t in results if t.requires_grad]
        if self.stage.behind is None:
            scale = self.schedule.batches if self.schedule._scale else 1
            if learning:
                (results[0] / scale).backward()
        else:
            gradients = self._take(self._from_behind)
            if learning:
                _backward(learning, gradients)
        if self.stage.before is not None:
            self.stage.before.send([_grad(t) for t in taken if t.requires_grad])

    def _take(self, inlet: _Inlet) -> list[Any]:
        started = time.perf_counter()
        found = inlet.take()
        self._waited += time.perf_counter() - started
        return found

    def end(self) -> StepReport:
        started = time.perf_counter()
        for neighbour in (self.stage.before, self.stage.behind):
            if neighbour is not None:
                neighbour.settle()
        now = time.perf_counter()
        waiting = self._waited + now - started
        return StepReport(now - self._began, waiting, self._most)

    def output(self) -> Any:
        import sluice as sl

        if not self._outputs:
            return None
        if isinstance(self._outputs[0], tuple):
            return tuple(sl.concat(list(parts), 0) for parts in zip(*self._outputs))
        return sl.concat(self._outputs, 0)


class _Inlet:
    """What comes from one side: the next message is on its way while this one is
    used."""

    def __init__(self, neighbour: Neighbour | None, messages: int) -> None:
        self.kinds: list[Kind] | None = None
        self._neighbour, self._left = neighbour, messages
        self._coming: list[tuple[Any, Any]] = []

    def begin(self, kinds: list[Kind]) -> None:
        self.kinds = kinds
        self._receive()

    def _receive(self) -> None:
        assert self._neighbour is not None and self.kinds is not None
        self._left -= 1
        self._coming = self._neighbour.begin_receive(self.kinds)

    def take(self) -> list[Any]:
        coming = self._coming
        for _, work in coming:
            work.wait()
        if self._left > 0:
            self._receive()
        return [place for place, _ in coming]


def _backward(tensors: list[Any], gradients: list[Any]) -> None:
    from ...autograd import backward

    backward(tensors, gradients)


def _grad(tensor: Any) -> Any:
    import sluice as sl

    if tensor.grad is not None:
        return tensor.grad
    return sl.zeros(tensor.shape, dtype=tensor.dtype)


def _detached(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return tuple(t.detach() for t in result)
    return result.detach()
