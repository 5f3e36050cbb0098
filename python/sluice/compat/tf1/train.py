"""Optimizers, coordinators and runners by TensorFlow's names."""

from __future__ import annotations

from typing import Any

from ... import _core, _runners
from ..._core import Operation
from ._arrays import constant
from ._flow import group
from ._graphs import GraphKeys, get_collection, get_default_graph, get_default_session
from ._graphs import recorded
from ._variables import Variable, trainable_variables

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "Coordinator",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "QueueRunner",
    "RMSPropOptimizer",
    "add_queue_runner",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "start_queue_runners",
]

Coordinator = _runners.Coordinator
QueueRunner = _runners.QueueRunner


class Optimizer:
    """What all optimizers have."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    def compute_gradients(
        self, loss: Any, var_list: Any = None, **_: Any
    ) -> list[tuple[Any, Any]]:
        """(gradient, variable) of each trainable variable, or of these."""
        variables = list(var_list or trainable_variables())
        found = _core.gradients(loss, variables, unconnected_gradients="none")
        return list(zip(found, variables))

    @recorded
    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Operation:
        """The operation that changes the variables."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("there is no gradient for any variable")
        done = self._optimizer.apply_gradients(pairs)
        if global_step is None:
            return group(done, name=name)
        with _core.control_dependencies([done]):
            one = constant(1, global_step.dtype)
            return group(global_step.assign_add(one), name=name)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        name: str | None = None,
        **_: Any,
    ) -> Operation:
        """The operation that makes the loss smaller, once."""
        pairs = self.compute_gradients(loss, var_list)
        return self.apply_gradients(pairs, global_step, name)


class GradientDescentOptimizer(Optimizer):
    """A step against the gradient."""

    def __init__(
        self, learning_rate: float, use_locking: bool = False, name: str = ""
    ) -> None:
        from ... import optim

        super().__init__(optim.SGD(None, lr=learning_rate))


class MomentumOptimizer(Optimizer):
    """With momentum."""

    def __init__(
        self,
        learning_rate: float,
        momentum: float,
        use_locking: bool = False,
        name: str = "",
        use_nesterov: bool = False,
    ) -> None:
        from ... import optim

        super().__init__(
            optim.SGD(None, lr=learning_rate, momentum=momentum, nesterov=use_nesterov)
        )


class AdamOptimizer(Optimizer):
    """Adam."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "",
    ) -> None:
        from ... import optim

        super().__init__(
            optim.Adam(None, lr=learning_rate, betas=(beta1, beta2), eps=epsilon)
        )


class AdagradOptimizer(Optimizer):
    """Adagrad."""

    def __init__(
        self,
        learning_rate: float,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "",
    ) -> None:
        from ... import optim

        super().__init__(
            optim.Adagrad(
                None,
                lr=learning_rate,
                initial_accumulator_value=initial_accumulator_value,
            )
        )


class AdadeltaOptimizer(Optimizer):
    """Adadelta."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-8,
        **_: Any,
    ) -> None:
        from ... import optim

        super().__init__(optim.Adadelta(None, lr=learning_rate, rho=rho, eps=epsilon))


class RMSPropOptimizer(Optimizer):
    """RMSProp."""

    def __init__(
        self,
        learning_rate: float,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "",
    ) -> None:
        from ... import optim

        super().__init__(
            optim.RMSprop(
                None,
                lr=learning_rate,
                alpha=decay,
                momentum=momentum,
                eps=epsilon,
                centered=centered,
            )
        )


def add_queue_runner(qr: Any, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """One more runner for start_queue_runners to start."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[Any]:
    """Starts all runners of the default graph; returns their threads."""
    sess = sess or get_default_session()
    if sess is None:
        raise ValueError("there is no session; wanted one, or `with session:`")
    threads: list[Any] = []
    for runner in get_collection(collection):
        threads.extend(runner.create_threads(sess, coord, daemon, start))
    return threads


def create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps."""
    with graph or get_default_graph():
        step = Variable(
            constant(0, _core.int64), trainable=False, name=GraphKeys.GLOBAL_STEP
        )
        get_default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, step)
    return step


def get_global_step(graph: Any = None) -> Variable | None:
    """The variable that counts steps, or None."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def get_or_create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps, made when there is none."""
    return get_global_step(graph) or create_global_step(graph)
