"""Gradients held within bounds, and running means of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .. import _core
from .._autograd import no_grad
from .._clip import clip_grad_norm_, clip_grad_value_
from .._closed import closed
from .._core import Tensor
from .._named_parameters import one_or_named

__all__ = [
    "EMA",
    "clip_by_global_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "global_norm",
]


def global_norm(gradients: Sequence[Tensor]) -> Tensor:
    """The root of the sum of squares of all elements."""
    return _core.global_norm(list(gradients))


def clip_by_global_norm(
    gradients: Sequence[Tensor], max_norm: float
) -> tuple[list[Tensor], Tensor]:
    """The gradients scaled so that their norm is at most ``max_norm``, and the
    norm before. Also in graphs."""
    clipped, norm = _core.clip_by_global_norm(list(gradients), max_norm)
    return clipped, norm


@closed
class EMA:
    """Running means of parameters, which often do better than the last ones.

        ema = optim.EMA(net.parameters(), decay=0.999)
        optimizer.step(); ema.update()
        with ema.use():        # the parameters are the means
            evaluate(net)

    With ``ramp`` the decay is (1 + n) / (10 + n) in the first updates, where
    that is less.
    """

    def __init__(self, params: Any, decay: float = 0.999, ramp: bool = False) -> None:
        self._of = (one_or_named(params, "EMA"), decay, ramp)
        self._core = _core.Ema(*self._of)

    def __getstate__(self) -> dict[str, Any]:
        return {"of": self._of, "state": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._of = state["of"]
        self._core = _core.Ema(*self._of)
        self.load_state_dict(state["state"])

    def update(self) -> Any:
        """mean = decay mean + (1 - decay) parameter. In a graph, returns the
        operation that does it."""
        return self._core.update()

    @contextmanager
    def use(self) -> Iterator[None]:
        """Within it, the parameters have the means for values."""
        if _core.recorder() is not None:
            with self._used_in_graph():
                yield
            return
        use = _core.EmaUse(self._core)
        use.begin()
        try:
            yield
        finally:
            use.end()

    @contextmanager
    def _used_in_graph(self) -> Iterator[None]:
        """The same in recorded code: the graph saves and restores the parameters'
        values of each call, not those of the recording."""
        params = [p.detach() for _, p in self._of[0]]
        with no_grad():
            kept = [p.clone() for p in params]
            for i, p in enumerate(params):
                p.copy_(self.value(i).to(p.dtype))
        try:
            yield
        finally:
            with no_grad():
                for p, before in zip(params, kept, strict=True):
                    p.copy_(before)

    def value(self, i: int) -> Tensor:
        """The mean of parameter i."""
        return self._core.value(i)

    def __len__(self) -> int:
        return len(self._core)

    def state_dict(self) -> dict[str, Tensor]:
        """Tensors by name: "<parameter>.ema" for each, "updates"."""
        state: dict[str, Tensor] = self._core.state_dict()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes back what ``state_dict`` gave, by copying."""
        self._core.load_state_dict(state_dict)
