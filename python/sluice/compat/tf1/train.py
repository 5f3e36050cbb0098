"""Optimizers, coordinators, runners and the count of steps."""

from __future__ import annotations

from typing import Any

from . import _optimizers, _runners
from ._dtypes import int64
from ._graphs import GraphKeys, get_default_graph
from ._optimizers import *  # noqa: F403
from ._runners import *  # noqa: F403
from ._variables import Variable

__all__ = [
    *_optimizers.__all__,
    *_runners.__all__,
    "assert_global_step",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
]


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """How many steps a session has counted."""
    return int(sess.run(global_step_tensor))


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises unless it is a whole number."""
    if not isinstance(global_step_tensor, Variable):
        raise TypeError(
            'Existing "global_step" must be a Variable or Tensor: '
            f"{global_step_tensor}."
        )
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            'Existing "global_step" does not have integer type: '
            f"{global_step_tensor.dtype}"
        )
    if global_step_tensor.get_shape().ndims != 0:
        raise TypeError(
            f'Existing "global_step" is not scalar: {global_step_tensor.get_shape()}'
        )


def create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps; ValueError when there is one."""
    from ._initializers import zeros_initializer
    from ._variable_scope import get_variable

    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=int64,
            initializer=zeros_initializer(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, or None."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise RuntimeError("Multiple tensors in global_step collection")
    if not found:
        found = [
            v
            for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if v.name == "global_step:0"
        ]
    if found:
        assert_global_step(found[0])
    return found[0] if found else None


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, made when there is none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found
