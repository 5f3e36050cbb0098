"""summary: a table of what a model does with inputs of some shapes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from . import _module
from ._module import Module


class _Recorder:
    """Counts for each module its calls and the work that is its own."""

    def __init__(self, model: Module, recording: Any) -> None:
        self._recording, self._open = recording, [None]
        self.thread = threading.get_ident()
        self.flops = 0.0
        self.rows: dict[Any, Any] = {}
        seen: set[int] = set()
        for path, module in model.named_modules():
            row = _core.ModuleSummary()
            row.path, row.type = path, type(module).__name__
            row.description = module._one_line()
            for p in module.parameters(recurse=False):
                if id(p) not in seen:
                    seen.add(id(p))
                    row.parameters += _count(p)
                    row.trainable += _count(p) if p.requires_grad else 0
            self.rows[module] = row

    def account(self) -> None:
        work = self._recording.account()
        self.flops += work
        row = self.rows.get(self._open[-1])
        if row is not None:
            row.flops += work

    def begin(self, module: Any) -> None:
        self.account()
        self._open.append(module)
        if module in self.rows:
            self.rows[module].calls += 1

    def result(self, module: Any, result: Any) -> None:
        while isinstance(result, (tuple, list)) and result:
            result = result[0]
        if module in self.rows and isinstance(result, Tensor):
            sizes = ("?" if n is None else str(n) for n in result.shape or ())
            self.rows[module].shape = f"[{','.join(sizes)}]"

    def end(self, module: Any) -> None:
        self.account()
        self._open.pop()


def _count(tensor: Tensor) -> int:
    count = 1
    for size in tensor.shape:
        count *= size
    return count


def _shapes(inputs: Any) -> list[tuple[list[int], Any]]:
    if isinstance(inputs, Tensor) or hasattr(inputs, "dtype"):
        inputs = [inputs]
    elif isinstance(inputs, Sequence) and all(isinstance(n, int) for n in inputs):
        inputs = [inputs]
    shapes = []
    for each in inputs:
        if hasattr(each, "shape"):
            shapes.append((list(each.shape), each.dtype))
        else:
            shapes.append(([int(n) for n in each], None))
    return shapes


def summary(model: Module, inputs: Any, dtype: Any = None) -> Any:
    """A table of a model's modules: results, parameters, and the work they do.

        print(nn.summary(net, (1, 3, 224, 224)))

    inputs is a shape, a tensor, or a list of them, one for each argument. Nothing
    is computed: the model is recorded as a graph. Work is counted where it matters,
    two operations for each multiply-add.
    """
    made = _core.Summary()
    recording = _core.NnRecording()
    with recording:
        args = [
            recording.input(shape, dtype or own or _core.float32)
            for shape, own in _shapes(inputs)
        ]
        recorder = _Recorder(model, recording)
        outer, _module.observer = _module.observer, recorder
        try:
            model(*args)
            recorder.account()
        finally:
            _module.observer = outer
    made.rows = list(recorder.rows.values())
    made.parameters = sum(row.parameters for row in made.rows)
    made.trainable = sum(row.trainable for row in made.rows)
    made.buffers = sum(_count(b) for b in model.buffers())
    made.flops = recorder.flops
    return made
